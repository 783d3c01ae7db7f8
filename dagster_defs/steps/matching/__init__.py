"""Is an answer right? Matching of numbers, names, lists, distributions, statistical methods and evidence tuples.

Nothing here reads a file or calls a model: units and method names are handed in.
"""

from dagster_defs.steps.matching.entities import Hidden, names_hidden
from dagster_defs.steps.matching.methods import Attribute, Methods, chance_level
from dagster_defs.steps.matching.tuples import Fact, TupleScore, score_tuples
from dagster_defs.steps.matching.units import Units
from dagster_defs.steps.matching.verdicts import (
    Answer,
    QuestionGold,
    Reference,
    Verdict,
    method_fields,
    verdict,
    with_judgement,
)

__all__ = [
    "Answer",
    "Attribute",
    "Fact",
    "Hidden",
    "Methods",
    "QuestionGold",
    "Reference",
    "TupleScore",
    "Units",
    "Verdict",
    "chance_level",
    "method_fields",
    "names_hidden",
    "score_tuples",
    "verdict",
    "with_judgement",
]
