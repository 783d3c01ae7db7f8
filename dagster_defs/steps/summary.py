"""What commands print at their end, read from the published database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

EXAMPLES = ("superlative", "aggregation", "correlation_analysis", "scientific_inference")


def summary(database: Path) -> str:
    """Where the database is, questions by family and kind, rejections by reason, and some with their gold answers."""
    with duckdb.connect(str(database), read_only=True) as connection:

        def rows(sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
            return connection.execute(sql, list(parameters)).fetchall()

        # What tells questions of a family apart: the type, or the domain of deep research.
        kinds = rows(
            "select family, case family when 'deep_research' then category else type end as kind, count(*)"
            " from questions.questions group by all order by family desc, count(*) desc, kind"
        )
        reasons = rows(
            "select reason, count(*) from questions.rejections group by reason order by count(*) desc, reason"
        )
        examples = [_example(rows, kind) for kind in EXAMPLES]
    minted = sum(count for _, _, count in kinds)
    rejected = sum(count for _, count in reasons)
    lines = [
        "",
        f"Published {database} ({database.stat().st_size / 1e6:.0f} MB)",
        "",
        f"{minted:,} questions",
        *(line for family in dict.fromkeys(row[0] for row in kinds) for line in _family(family, kinds)),
        "",
        f"{rejected:,} candidates rejected ({rejected / max(minted + rejected, 1):.0%})",
        *(f"  {count:>7,}  {reason.replace('_', ' ')}" for reason, count in reasons),
        "",
        "Some of them:",
        *(line for example in examples if example for line in example),
    ]
    return "\n".join(lines)


def _family(family: str, kinds: list[tuple[Any, ...]]) -> list[str]:
    """A family's name, and how many questions it has of each kind."""
    own = [(kind, count) for of, kind, count in kinds if of == family]
    return [
        f"  {family.replace('_', '-')}: {sum(count for _, count in own):,}",
        *(f"  {count:>7,}  {kind.replace('_', ' ')}" for kind, count in own),
    ]


def published(database: Path) -> str:
    """Where the database is and how many questions it holds, in one line."""
    with duckdb.connect(str(database), read_only=True) as connection:
        ((questions,),) = connection.execute("select count(*) from questions.questions").fetchall()
    return f"\nPublished {database} ({database.stat().st_size / 1e6:.0f} MB, {questions:,} questions)"


def leaderboard(database: Path, page: Path) -> str:
    """Every scored run, best first, and where the page is."""
    with duckdb.connect(str(database), read_only=True) as connection:
        runs = connection.execute(
            "select model, setting, split, n_questions, samples, accuracy, ci_low, ci_high, ea_f1, n_unscored, chance"
            " from scores.leaderboard order by rank, run_id"
        ).fetchall()
    lines = ["", f"{'model':<24} {'setting':<12} {'split':<6} {'questions':>9} {'accuracy (95%)':>24} {'EA-F1':>7}"]
    for model, setting, split, questions, samples, accuracy, low, high, ea_f1, unscored, _ in runs:
        interval = "not scored" if accuracy is None else f"{accuracy:.1%} ({low:.1%} to {high:.1%})"
        of = f"{questions}" if samples == 1 else f"{questions} x {samples}"
        tuples = "-" if ea_f1 is None else f"{ea_f1:.3f}"
        left = f"   {unscored} unscored" if unscored else ""
        lines.append(f"{model:<24} {setting:<12} {split or 'all':<6} {of:>9} {interval:>24} {tuples:>7}{left}")
    # Each run has a level of its own, as it asked questions of its own.
    chances = sorted({f"{chance:.1%}" for *_, chance in runs if chance is not None}, key=lambda one: float(one[:-1]))
    if chances:
        levels = chances[0] if len(chances) == 1 else f"{chances[0]} to {chances[-1]}, by run,"
        lines.append(f"Guessing would be right {levels} of the time.")
    return "\n".join([*lines, "", f"The page: {page}"])


def elicited(database: Path, page: Path) -> str:
    """Every judged experiment, made-up entities, how far the judge can be believed, and where the page is."""
    with duckdb.connect(str(database), read_only=True) as connection:
        scores = connection.execute(
            "select model, setting, prompt, reasoning_effort, scale, precision, precision_low, precision_high, recall,"
            " f1, n_precision, n_recall, n_error from elicitation.scores where slice_kind = 'overall' and is_current"
            " order by f1 desc nulls last, evaluation_id"
        ).fetchall()
        made_up = connection.execute(
            "select model, prompt, hallucination_rate, n_entities, triples_per_entity from elicitation.hallucinations"
            " order by hallucination_rate desc, experiment_id"
        ).fetchall()
        judges = connection.execute(
            "select judge, agreement, n, n_error from elicitation.judge_agreement order by judge_id"
        ).fetchall()
    lines = ["", f"{'model':<20} {'setting':<30} {'precision (95%)':>24} {'recall':>7} {'F1':>7} {'triples':>9}"]
    for model, setting, prompt, effort, scale, precision, low, high, recall, f1, *counts in scores:
        how = ", ".join(filter(None, (setting, prompt, effort, None if scale is None else f"x{scale:g}")))
        interval = "none judged" if precision is None else f"{precision:.1%} ({low:.1%} to {high:.1%})"
        judged, facts, errors = counts
        left = f"   {errors} without a verdict" if errors else ""
        lines.append(
            f"{model:<20} {how:<30} {interval:>24} {_share(recall):>7} {_share(f1):>7} {judged:>4}/{facts}{left}"
        )
    for model, prompt, rate, n, each in made_up:
        lines.append(
            f"{model} ({prompt}) tells something of {rate:.0%} of {n} made-up entities, {each:.1f} triples each."
        )
    for judge, agreement, n, errors in judges:
        lines.append(
            f"The judge {judge} agrees with {agreement:.0%} of {n} examples ({errors} more could not be read)."
        )
    return "\n".join([*lines, "", f"The page: {page}"])


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _example(rows: Any, kind: str) -> list[str]:
    """One question of a type, the same on every machine: the first by question_id that consults over ten entities."""
    found = rows(
        "select question, gold_answer, gold_unit, entity_count from questions.questions"
        " where type = ? order by entity_count <= 10, length(gold_answer) > 80, question_id limit 1",
        kind,
    )
    lines = []
    for question, answer, unit, entities in found:
        source = f"{entities} {'entity' if entities == 1 else 'entities'}"
        lines += ["", f"  Q: {question}", f"  A: {answer}{f' {unit}' if unit else ''}   (from {source})"]
    return lines
