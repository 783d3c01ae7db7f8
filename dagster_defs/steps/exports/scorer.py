"""Scores a reply to an exported question exactly as Assay does.

This file and the modules it imports are copied into every export, with Assay's licence. So an export is scored wherever
it is unpacked, with nothing on PYTHONPATH, and always by the code it was written with: an Assay that happens to be
installed is not used, since another version of it could give the same reply another score. It needs jsonschema-rs
and otherwise nothing but Python.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dagster_defs.llm.structured import parse
from dagster_defs.steps.matching import Answer, Attribute, Methods, QuestionGold, Reference, Units, verdict
from dagster_defs.steps.matching.verdicts import STATISTICAL_TYPES


@dataclass(frozen=True, slots=True)
class Score:
    """What a reply is worth.

    outcome: answered, unparsed, refused or cut; all but the first are wrong. scorer: exact, numeric, list or method.
    needs_judge: prose that matching can't settle. It counts as wrong here; in Assay a judge model has the last word.
    """

    correct: bool
    outcome: str
    scorer: str
    detail: str
    needs_judge: bool


class Scorer:
    """Scores replies to the questions of one export."""

    def __init__(self, reference: Path) -> None:
        """``reference``: the export's reference.json, with units, names of tests, attributes and answer schemas."""
        known = json.loads(reference.read_text(encoding="utf-8"))
        methods = Methods((name["gold_method"], name["name"]) for name in known["methods"])
        self._reference = Reference(Units(known["units"]), methods)
        self._attributes = {
            topic: tuple(Attribute(**attribute) for attribute in found) for topic, found in known["attributes"].items()
        }
        self._schemas = known["schemas"]

    def score(self, row: Mapping[str, Any], text: str, outcome: str = "answered") -> Score:
        """The score of ``text``, the whole reply to the question of ``row`` (of Parquet or JSONL).

        outcome: refused or cut where the server says so. Raises KeyError for a row that isn't of this export.
        """
        read = parse(text, self._schemas[_form(row)])
        if outcome == "answered" and read.error is not None:
            outcome = "unparsed"
        found = verdict(self._gold(row), Answer(outcome, text, read.value), self._reference)
        return Score(bool(found.correct), outcome, found.scorer, found.detail, found.needs_judge)

    def _gold(self, row: Mapping[str, Any]) -> QuestionGold:
        slots = _slots(row)
        return QuestionGold(
            question_id=row["question_id"],
            type=row["type"],
            operation=row["operation"],
            gold_kind=row["gold_kind"],
            gold_answer=row["gold_answer"],
            gold_value=row["gold_value"],
            gold_aliases=tuple(row["gold_aliases"] or ()),
            gold_unit=row["gold_unit"],
            tolerance=row["tolerance"],
            gold_columns=tuple(row["gold_columns"] or ()),
            gold_method=row["gold_method"],
            rivals=tuple(slots.get("names") or ()),
            listed=self._attributes[row["topic"]],
        )


def _form(row: Mapping[str, Any]) -> str:
    """In which form the prompt asks for the answer."""
    if _slots(row).get("entity_ids"):
        return "research"
    return "method" if row["type"] in STATISTICAL_TYPES else "answer"


def _slots(row: Mapping[str, Any]) -> Mapping[str, Any]:
    slots = row["slots"]
    found: Mapping[str, Any] = json.loads(slots) if isinstance(slots, str) else slots
    return found
