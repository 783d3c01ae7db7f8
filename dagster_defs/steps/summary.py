"""What `make demo` prints at its end, read from the published database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

EXAMPLES = ("superlative", "aggregation", "correlation_analysis")


def summary(database: Path) -> str:
    """Where the database is, questions by type, rejections by reason, and three questions with their gold answers."""
    with duckdb.connect(str(database), read_only=True) as connection:

        def rows(sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
            return connection.execute(sql, list(parameters)).fetchall()

        types = rows("select type, count(*) from questions.questions group by type order by count(*) desc, type")
        reasons = rows(
            "select reason, count(*) from questions.rejections group by reason order by count(*) desc, reason"
        )
        examples = [_example(rows, kind) for kind in EXAMPLES]
    minted = sum(count for _, count in types)
    rejected = sum(count for _, count in reasons)
    lines = [
        "",
        f"Published {database} ({database.stat().st_size / 1e6:.0f} MB)",
        "",
        f"{minted:,} questions",
        *(f"  {count:>7,}  {kind.replace('_', ' ')}" for kind, count in types),
        "",
        f"{rejected:,} candidates rejected ({rejected / max(minted + rejected, 1):.0%})",
        *(f"  {count:>7,}  {reason.replace('_', ' ')}" for reason, count in reasons),
        "",
        "Three of them:",
        *(line for example in examples if example for line in example),
    ]
    return "\n".join(lines)


def _example(rows: Any, kind: str) -> list[str]:
    """One question of a type, the same on every machine: the first by question_id that consults over ten entities."""
    found = rows(
        "select question, gold_answer, gold_unit, entity_count from questions.questions"
        " where type = ? order by entity_count <= 10, length(gold_answer) > 80, question_id limit 1",
        kind,
    )
    return [
        line
        for question, answer, unit, entities in found
        for line in ("", f"  Q: {question}", f"  A: {answer}{f' {unit}' if unit else ''}   (from {entities} entities)")
    ]
