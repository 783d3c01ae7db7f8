"""The dataset card: README.md with the front matter that Hugging Face reads, and what a user has to know."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined

from dagster_defs.names import DEEP_RESEARCH
from dagster_defs.steps.exports.questions import Chosen, Item
from dagster_defs.steps.solve.plan import ANSWER_TOKENS
from dagster_defs.steps.solve.questions import QuestionSet

_CARD = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
_CARD.filters["cell"] = lambda value: " ".join(str(value).split()).replace("|", "\\|")
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_DENSITIES = ("low", "medium", "high")


def card(name: str, wanted: QuestionSet, chosen: Chosen, splits: Mapping[str, Sequence[Item]], notice: str) -> str:
    """The card's text. splits: split -> its questions, none empty. notice: the text of NOTICE."""
    template = _CARD.from_string(Path(__file__).with_name("card.md.jinja").read_text(encoding="utf-8"))
    return template.render(
        front=_front_matter(name, chosen, splits),
        name=name,
        total=f"{len(chosen.items):,}",
        wanted=wanted.as_json(),
        snapshot_id=chosen.snapshot_id,
        canary=chosen.canary,
        as_of=chosen.as_of.isoformat(),
        splits=list(splits),
        chat="train" in splits,
        traces="train" in splits and wanted.family == DEEP_RESEARCH,
        tokens=ANSWER_TOKENS,
        composition=_composition(splits),
        entities=[(split, f"{_mean(items):,.0f}") for split, items in splits.items()],
        filled=sum(bool(item.row.get("n_fills")) for item in chosen.items),
        withdrawn=chosen.withdrawn,
        endpoints=list(chosen.endpoints),
        sources=_sources(chosen.sources, notice),
    )


def _front_matter(name: str, chosen: Chosen, splits: Mapping[str, Sequence[Item]]) -> str:
    configs: list[dict[str, Any]] = [
        {
            "config_name": "default",
            "data_files": [{"split": split, "path": f"data/{split}.parquet"} for split in splits],
        }
    ]
    if "train" in splits:
        # Parquet here too: `datasets` reads all configurations of a folder in one format.
        configs += [
            {"config_name": f"chat_{kind}", "data_files": [{"split": "train", "path": f"chat/train_{kind}.parquet"}]}
            for kind in ("table", "sql")
        ]
    matter = {
        "pretty_name": f"Assay {name}",
        "language": ["en"],
        # Several, and not the same for all facts.
        "license": "other",
        "license_name": "several-see-notice",
        "license_link": "NOTICE",
        "task_categories": ["question-answering"],
        "size_categories": [next((said for limit, said in _SIZES if len(chosen.items) < limit), "n>1M")],
        "tags": ["assay", "knowledge", "multi-entity", "evaluation"],
        "configs": configs,
    }
    return yaml.safe_dump(matter, sort_keys=False, allow_unicode=True)


def _composition(splits: Mapping[str, Sequence[Item]]) -> list[tuple[str, list[tuple[str, list[int]]]]]:
    """(title, rows of label and counts by split) for types, topics and densities; what occurs nowhere is left out."""
    tables = []
    for column in ("type", "topic", "density"):
        counts = {split: Counter(str(item.row[column]) for item in items) for split, items in splits.items()}
        labels: Sequence[str] = sorted({label for found in counts.values() for label in found})
        if column == "density":
            labels = [label for label in _DENSITIES if label in labels]
        rows = [(label, [counts[split][label] for split in splits]) for label in labels]
        tables.append((column, [*rows, ("all", [len(items) for items in splits.values()])]))
    return tables


def _mean(items: Sequence[Item]) -> float:
    return sum(item.question.entity_count for item in items) / len(items)


def licences(notice: str) -> dict[str, str]:
    """The licence of each source by its key, as NOTICE states it."""
    return {key: licence for key, (_, licence) in _sections(notice).items()}


def _sources(keys: Sequence[str], notice: str) -> list[tuple[str, str]]:
    """(name of the source with its address, licence) of each key."""
    found = _sections(notice)
    return [found.get(key, (key, "not stated in NOTICE: ask the source")) for key in keys]


def _sections(notice: str) -> dict[str, tuple[str, str]]:
    """(name of the source with its address, licence) by key, from NOTICE's sections, which begin with the key."""
    found = {}
    for section in re.split(r"\n\s*\n", notice):
        lines = [line.strip() for line in section.strip().splitlines()]
        licence = next((line.removeprefix("Licence: ") for line in lines if line.startswith("Licence: ")), None)
        if licence and len(lines) > 2:
            found[lines[0]] = (f"{lines[1]}, <{lines[2]}>" if lines[2].startswith("http") else lines[1], licence)
    return found
