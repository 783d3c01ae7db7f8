"""One refinement from question set to landed rows."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Reply
from dagster_defs.steps.asking import Maker, ask_readable, readable
from dagster_defs.steps.refine.check import Finding, Reason, check, plain
from dagster_defs.steps.refine.clues import Puzzle, check_composed, puzzles
from dagster_defs.steps.refine.compose import Groups, compose_call, facts_call, worded
from dagster_defs.steps.refine.plan import Refining, confirm_call, originals, prompt_sha, refine_call
from dagster_defs.steps.run_rows import FLAGS, SCHEMAS, land_rows
from dagster_defs.steps.solve.questions import Question, Warehouse

ACCEPTED, REFUSED, UNSCORED = "accepted", "refused", "unscored"
Row = dict[str, Any]
# Finds what speaks against a text, given whose text every other one is.
Checker = Callable[[str, Mapping[str, str]], list[Finding]]


@dataclass(frozen=True)
class Draft:
    """How a question's rewrite is asked for and checked.

    facts: the reply that it builds on, where one was asked for before. note: what a person should know of that.
    """

    make: Maker
    check: Checker
    facts: Reply | None = None
    note: str | None = None


@dataclass(frozen=True)
class Report:
    """What one refinement came to: questions by status, refusals by reason, flags by fault, and what was spent."""

    refine_id: str
    statuses: dict[str, int]
    reasons: dict[str, int]
    flags: dict[str, int]
    dollars: float
    cached: int

    def sentences(self) -> list[str]:
        """The report in lines that a person reads."""
        count = self.statuses
        refused = f" ({_listed(self.reasons)})" if self.reasons else ""
        return [
            f"{sum(count.values())} questions: {count.get(ACCEPTED, 0)} rewritten, {count.get(REFUSED, 0)} rewrites"
            f" refused{refused}, {count.get(UNSCORED, 0)} unscored.",
            f"Flagged: {_listed(self.flags) or 'none'}.",
        ]


def estimate(refining: Refining, database: Path, caller: Caller) -> str:
    """What a refinement would take, in one sentence; nothing is asked. Raises RunError without readable questions."""
    with Warehouse(database) as warehouse:
        questions = warehouse.choose(refining.questions)
        return _estimate(refining, questions, _puzzles(refining, questions, warehouse), caller)


def execute(
    refining: Refining,
    database: Path,
    landing: Path,
    caller: Caller,
    log: Callable[[str], None] = lambda line: None,
) -> Report:
    """Ask for rewrites, check them, have the judge confirm what passes, and land a row a question below ``landing``.

    What the journal has is not asked again, except that what could not be read is tried once more. Raises RunError
    where the questions cannot be read, a call cannot be sent or a cap is reached; what was answered until then is in
    the journal, and refining again goes on from there.
    """
    started = datetime.datetime.now(datetime.UTC)
    with Warehouse(database) as warehouse:
        questions = {one.question_id: one for one in warehouse.choose(refining.questions)}
        parts = _puzzles(refining, list(questions.values()), warehouse)
        checked = {} if parts else originals(list(questions.values()), warehouse)
        taken = {plain(text): question_id for question_id, text in warehouse.texts()}
    log(_estimate(refining, list(questions.values()), parts, caller))
    drafts = _composed(refining, parts, caller) if parts else {
        key: Draft(partial(refine_call, refining.refiner, questions[key]), partial(check, one))
        for key, one in checked.items()
    }  # fmt: skip
    written = ask_readable(caller, {key: draft.make for key, draft in drafts.items()}, f"{refining.refine_id} refiner")
    found = {key: _findings(key, drafts[key].check, reply, taken) for key, reply in written.items() if readable(reply)}
    passed = [key for key, findings in found.items() if not findings]
    words = {key: partial(confirm_call, refining.judge, questions[key], _rewrite(written[key])) for key in passed}
    confirmed = ask_readable(caller, words, f"{refining.refine_id} judge")
    rows = [
        _row(refining, one, started, drafts[key], written[key], found.get(key, []), confirmed.get(key))
        for key, one in questions.items()
    ]
    table = pa.Table.from_pylist(rows, SCHEMAS["refinements"])
    land_rows(landing, "refinements", refining.refine_id, table)
    facts = [draft.facts for draft in drafts.values() if draft.facts is not None]
    return _report(refining, rows, [*facts, *written.values(), *confirmed.values()])


def _puzzles(refining: Refining, questions: Sequence[Question], warehouse: Warehouse) -> dict[str, Puzzle]:
    """The questions taken apart where a model composes them, else nothing."""
    return puzzles(questions, warehouse) if refining.clue_writer is not None else {}


def _composed(refining: Refining, parts: Mapping[str, Puzzle], caller: Caller) -> dict[str, Draft]:
    """Phase 1 asked, and phase 2 as drafts."""
    assert refining.clue_writer is not None
    wanted = {key: partial(facts_call, refining.clue_writer, puzzle) for key, puzzle in parts.items()}
    facts = ask_readable(caller, wanted, f"{refining.refine_id} clues")
    drafts = {}
    for key, puzzle in parts.items():
        groups = worded(puzzle, facts[key].parsed if readable(facts[key]) else None)
        drafts[key] = Draft(
            partial(compose_call, refining.refiner, puzzle, groups),
            partial(check_composed, puzzle, groups),
            facts[key],
            _reworded(puzzle, groups),
        )
    return drafts


def _reworded(puzzle: Puzzle, groups: Groups) -> str:
    """How many clues are in the model's words."""
    changed = sum(one != other for one, other in zip(puzzle.clues, chain(*groups), strict=True))
    return f"{changed} of {len(puzzle.clues)} clues reworded"


def _estimate(refining: Refining, questions: Sequence[Question], parts: Mapping[str, Puzzle], caller: Caller) -> str:
    """Clues and texts in other words are about as long as they were; the judge is asked of texts that pass."""
    before = ""
    if parts:
        assert refining.clue_writer is not None
        facts = caller.estimate([facts_call(refining.clue_writer, one) for one in parts.values()]).taking()
        before = f"clues, {facts}; then "
        drafts = [compose_call(refining.refiner, one, one.groups) for one in parts.values()]
    else:
        drafts = [refine_call(refining.refiner, one) for one in questions]
    rewrites = caller.estimate(drafts).taking()
    words = caller.estimate([confirm_call(refining.judge, one, one.question) for one in questions]).taking()
    return f"{refining.refine_id}: {before}rewrites, {rewrites}; then at most so much for the judge: {words}."


def _rewrite(reply: Reply) -> str:
    return str(reply.parsed["rewrite"]).strip()


def _findings(question_id: str, check_text: Checker, reply: Reply, taken: dict[str, str]) -> list[Finding]:
    """What speaks against a rewrite; one that passes takes its text from the others."""
    rewrite = _rewrite(reply)
    found = check_text(rewrite, taken)
    if not found:
        taken[plain(rewrite)] = question_id
    return found


def _row(
    refining: Refining,
    question: Question,
    started: datetime.datetime,
    draft: Draft,
    written: Reply,
    findings: Sequence[Finding],
    confirmed: Reply | None,
) -> Row:
    """The landed row of a question; ``started`` is UTC."""
    said = written.parsed if readable(written) else {}
    word = confirmed.parsed if confirmed is not None and readable(confirmed) else {}
    status, reason, detail = _verdict(written, findings, confirmed)
    flags: Row = {}
    for flag in FLAGS:
        seen = said.get(flag, {})
        flags |= {
            f"is_{flag}": seen.get("flagged"),
            f"{flag}_reason": seen.get("reason") if seen.get("flagged") else None,
        }
    asked = [reply for reply in (draft.facts, written, confirmed) if reply is not None]
    costs = [reply.cost_usd for reply in asked]
    return {
        "refine_id": refining.refine_id,
        "question_id": question.question_id,
        "refiner": refining.refiner.name,
        "judge": refining.judge.name,
        "original": question.question,
        "rewrite": _rewrite(written) if said else None,
        "status": status,
        "reason": reason,
        "detail": "; ".join(filter(None, (detail, draft.note))) or None,
        "judge_same": word.get("same"),
        "judge_difference": word.get("difference"),
        **flags,
        "refine_outcome": str(written.outcome),
        "confirm_outcome": None if confirmed is None else str(confirmed.outcome),
        "prompt_tokens": sum(reply.prompt_tokens for reply in asked),
        "completion_tokens": sum(reply.completion_tokens for reply in asked),
        "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs),
        "refine_hash": written.key,
        "confirm_hash": None if confirmed is None else confirmed.key,
        "prompt_sha": prompt_sha("refine" if draft.facts is None else "compose", "confirm"),
        "refined_at": started,
    }


def _verdict(
    written: Reply, findings: Sequence[Finding], confirmed: Reply | None
) -> tuple[str, str | None, str | None]:
    """(status, reason, detail) of a rewrite."""
    if not readable(written):
        return UNSCORED, None, f"the refiner's answer is {written.outcome}"
    if findings:
        return REFUSED, str(findings[0].reason), "; ".join(str(finding) for finding in findings)
    if confirmed is None or not readable(confirmed):
        return UNSCORED, None, f"the judge's answer is {'missing' if confirmed is None else confirmed.outcome}"
    if confirmed.parsed["same"]:
        return ACCEPTED, None, None
    return REFUSED, str(Reason.MEANING), confirmed.parsed["difference"] or "the judge says that it asks something else"


def _report(refining: Refining, rows: Sequence[Row], replies: Sequence[Reply]) -> Report:
    flags = {flag: sum(bool(row[f"is_{flag}"]) for row in rows) for flag in FLAGS}
    return Report(
        refining.refine_id,
        dict(sorted(Counter(row["status"] for row in rows).items())),
        dict(Counter(row["reason"] for row in rows if row["status"] == REFUSED).most_common()),
        {flag: count for flag, count in flags.items() if count},
        sum(reply.cost_usd or 0.0 for reply in replies),
        sum(reply.cached for reply in replies),
    )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
