"""Writes an export: everything into a new folder, which then takes its name in one step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dagster_defs.errors import RunError
from dagster_defs.names import DEEP_RESEARCH
from dagster_defs.steps.exports.alike import Quotas
from dagster_defs.steps.exports.bundle import RESERVED, project_file, write_reference, write_tasks
from dagster_defs.steps.exports.card import card, licences
from dagster_defs.steps.exports.chat import COLUMNS, RATIONALES, SCHEMA, chat_rows
from dagster_defs.steps.exports.data import schema, write_rows, write_split
from dagster_defs.steps.exports.folder import replaced_folder
from dagster_defs.steps.exports.questions import SPLITS, choose
from dagster_defs.steps.exports.traces import write_traces
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse

# Fit for a folder, a task of lm-evaluation-harness and a line of YAML.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Exported:
    """What was written: the folder, its questions by split, and how many were left out as withdrawn.

    missing: how many fewer it has than the export that it was to be like.
    """

    folder: Path
    questions: Mapping[str, int]
    withdrawn: int
    missing: int = 0


def export(database: Path, folder: Path, name: str, wanted: QuestionSet, like: str = "") -> Exported:
    """Write the questions of ``wanted`` from the published ``database`` to ``folder/name``, in place of what was there.

    like: another export in ``folder``; then the family is that export's, both splits are drawn from, and there are as
    many questions of each of its topics, templates and densities as it has, as far as there are such.

    Same data, same bytes. Questions in review.withdrawn, where there is such a table, are left out. A killed export
    leaves the old folder or the new one. Raises RunError when the name can't name one, the database can't be read, the
    set is empty or names what there isn't, the folder can't be written or is being written.
    """
    if not _NAME.fullmatch(name) or name in RESERVED:
        raise RunError(
            f"An export cannot be called '{name}': begin with a letter, use letters, digits, _ and - only (64 at most),"
            f" and none of the names {', '.join(sorted(RESERVED))}."
        )
    quotas = Quotas.of(folder / like) if like else None
    if quotas is not None:
        wanted = replace(wanted, family=quotas.family, split="all", n=0)
    notice = project_file("NOTICE")
    with Warehouse(database) as warehouse:
        chosen = choose(database, warehouse, wanted, quotas)
        by_split = {split: [item for item in chosen.items if item.row["split"] == split] for split in SPLITS}
        splits = {split: items for split, items in by_split.items() if items}
        folder.mkdir(parents=True, exist_ok=True)
        with replaced_folder(folder / name) as made:
            (made / "data").mkdir()
            columns = schema(chosen)
            for split, items in splits.items():
                write_split(items, columns, chosen.canary, made / "data", split)
            if "train" in splits:
                (made / "chat").mkdir()
                for kind in RATIONALES:
                    rows = list(chat_rows(splits["train"], warehouse, kind))
                    write_rows(rows, COLUMNS[kind], made / "chat" / f"train_{kind}")
                (made / "chat" / "schema.json").write_bytes(SCHEMA.read_bytes())
                if wanted.family == DEEP_RESEARCH:
                    write_traces(splits["train"], database, licences(notice.read_text(encoding="utf-8")), made)
            write_tasks(made, name, "test" if "test" in splits else "train")
            write_reference(made, database, warehouse, chosen)
            (made / "NOTICE").write_bytes(notice.read_bytes())
            text = card(name, wanted, chosen, splits, notice.read_text(encoding="utf-8"))
            (made / "README.md").write_text(text, encoding="utf-8")
    return Exported(
        folder / name,
        {split: len(items) for split, items in splits.items()},
        len(chosen.withdrawn),
        quotas.missing if quotas else 0,
    )
