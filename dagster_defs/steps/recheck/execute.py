"""One recheck from end to end: fetch, build where anything differs, compare, land."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.steps.recheck.compare import Change, Recheck, changes, not_fetched, not_said, questions_of
from dagster_defs.steps.recheck.fetch import Fetching, fetch_again
from dagster_defs.steps.recheck.rebuild import differing, rebuild, says_otherwise, snapshot_of
from dagster_defs.steps.recheck.rows import CHANGES, MATCHES, land
from dagster_defs.steps.recheck.unique import Match, count_matches
from ingest.domains import kept
from ingest.landing import Snapshot, utc_now

_SHOWN: Final = 20


@dataclass(frozen=True)
class Places:
    """The dbt project, the published file, the folder that a recheck works in, and the landing zone."""

    project: Path
    published: Path
    folder: Path
    landing: Path


@dataclass
class Report:
    """What a recheck found.

    ``questions``: topic -> how many were to be checked; ``failed``: topic -> why it was not; ``silent``: service -> why
    it said nothing, which leaves the inputs it gave unchecked; ``matches``: how many entities clues are true of.
    """

    recheck: Recheck
    questions: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    silent: dict[str, str] = field(default_factory=dict)
    rows: Sequence[Change] = ()
    matches: Sequence[Match] = ()

    def answers(self) -> list[Change]:
        """One row for each changed answer, the greatest change first."""
        first = {row.question_id: row for row in reversed(self.rows) if row.is_answer_changed}
        return sorted(first.values(), key=lambda row: (-_size(row), row.question_id))

    def sentences(self) -> list[str]:
        """The report for a terminal: which answers changed, by how much, since when."""
        asked = sum(self.questions.values())
        unknown = sum(count for topic, count in self.questions.items() if topic in self.failed)
        changed = self.answers()
        beyond = sum(bool(row.is_beyond_tolerance) for row in changed)
        inputs = {(row.entity_id, row.attribute) for row in self.rows if row.status in ("changed", "gone", "new")}
        lines = [
            f"{asked - unknown} of {asked} questions checked against {self.recheck.endpoint}: {len(inputs)} inputs are "
            f"not as they were, {len(changed)} answers changed, {beyond} of them beyond their tolerance."
        ]
        lines += [
            f"Not checked, {topic} ({self.questions[topic]} questions): {why}" for topic, why in self.failed.items()
        ]
        lines += [f"Not asked again, {source}: {why}" for source, why in self.silent.items()]
        if self.matches:
            lines.append(_unique(self.matches))
        lines += [_told(row) for row in changed[:_SHOWN]]
        if len(changed) > _SHOWN:
            lines.append(f"... and {len(changed) - _SHOWN} more: see scores.rechecks.")
        return lines


def recheck(
    places: Places,
    request: Fetching,
    *,
    topics: Collection[str] = (),
    said_again: Callable[[Path], Mapping[str, str]],
    within: Callable[[Path], AbstractContextManager[None]],
    log: Callable[[str], None],
) -> Report:
    """Fetch the inputs of the published questions of ``topics`` (all where empty), and land what is not as it was.

    ``request.topics`` are all topics there are; only those with questions are asked for. ``said_again`` asks the
    domains' services again, lands what they say in a zone, and gives source -> why it failed. ``within`` is for dbt,
    see :func:`dagster_defs.steps.recheck.rebuild.rebuild`.

    Raises:
        RunError: nothing is published, no question is of these topics, or the tables cannot be built.
        LandingError: the rows cannot be landed.
    """
    now = utc_now()
    asked = Recheck(f"{now:%Y-%m-%dT%H-%M-%S}", request.endpoint.name, now)
    report = Report(asked, _asked_topics(places.published, topics))
    wanted = [topic for topic in request.topics if topic.name in report.questions]
    landing = places.folder / "landing"
    # Under the published snapshot's id, in a zone of its own, the same facts give the same files.
    as_of = request.snapshot.as_of
    snapshot = Snapshot(snapshot_of(places.published).snapshot_id, as_of)
    fetched = fetch_again(replace(request, topics=wanted, snapshot=snapshot), landing, log)
    report.failed = {
        **fetched.failed,
        **{
            topic: f"models/topics has no {topic} any more, so its inputs cannot be fetched."
            for topic in report.questions.keys() - {one.name for one in request.topics}
        },
    }
    rows = list(not_fetched(places.published, report.failed, asked))
    report.silent = dict(said_again(landing))
    _carry_over(report.silent, places.landing.parent, landing)
    rows += not_said(places.published, report.silent, snapshot.snapshot_id, fetched.whole, asked)
    other = differing(places.published, landing, as_of) & set(fetched.whole) if fetched.whole else set()
    if says_otherwise(places.landing.parent, landing):
        other = set(fetched.whole)
    if other:
        work = (places.project, places.published, places.folder)
        rebuilt = rebuild(*work, other, places.landing.parent / "extractions", within=within, log=log)
        rows += changes(places.published, rebuilt, other, asked)
    report.rows = sorted(rows, key=lambda row: (row.question_id, row.status, row.entity_id or "", row.attribute or ""))
    land(places.landing, CHANGES, asked.recheck_id, report.rows)
    report.matches = _counted(places, request, fetched.whole, asked)
    return report


def _counted(places: Places, request: Fetching, topics: Collection[str], asked: Recheck) -> list[Match]:
    """What the clues of questions of ``topics`` are true of at the endpoint, landed."""
    known = {one.name: one for one in request.topics}
    matches = list(count_matches(places.published, request.endpoint, known, topics, asked))
    land(places.landing, MATCHES, asked.recheck_id, matches)
    return matches


def _unique(matches: Sequence[Match]) -> str:
    """What the counts of a recheck come to."""
    counted = [match.n_match for match in matches if match.n_match is not None]
    one, several = sum(n == 1 for n in counted), sum(n > 1 for n in counted)
    return (
        f"Clues of {len(counted)} of {len(matches)} deep-research questions were counted there: {one} leave one entity,"
        f" {several} several, {len(counted) - one - several} none."
    )


def _carry_over(silent: Collection[str], before: Path, landing: Path) -> None:
    """What services that failed said before stands in for now: their questions have rows that say so."""
    for source in silent:
        old, new = (kept.folder(zone) / f"{source}.parquet" for zone in (before, landing))
        if old.exists():
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(old, new)


def _asked_topics(published: Path, topics: Collection[str]) -> dict[str, int]:
    if not published.exists():
        raise RunError(f"There is no {published} to recheck: run `make demo` or `make build` first.")
    try:
        found = questions_of(published, topics)
    except duckdb.Error as error:
        raise RunError(f"{published} cannot be read ({str(error).splitlines()[0]}): build it again.") from error
    missing = sorted(set(topics) - found.keys())
    if missing or not found:
        raise RunError(
            f"{published} has no question about {missing[0] if missing else 'anything'}: name topics of "
            "questions.questions, or none for all."
        )
    return found


def _size(row: Change) -> float:
    """How much an answer changed; one that is no number, or is gone, changed altogether."""
    return math.inf if row.relative_change is None else abs(row.relative_change)


def _told(row: Change) -> str:
    by = "" if row.relative_change is None else f" ({row.relative_change:+.3%})"
    if row.entity_id is None:
        why = "a name or a member of its topic"
    else:
        since = "" if row.old_as_of is None else f" since {row.old_as_of:%Y-%m-%d %H:%M}"
        why = f"{row.attribute} of {row.entity}: {row.old_value or 'none'} -> {row.new_value or 'none'}{since}"
    return f"{row.question_id}: {row.old_answer} -> {row.new_answer or 'no answer'}{by}; {why}"
