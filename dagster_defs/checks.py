"""Gates between rooms: each is a blocking check, so bad data stops before the next room and nothing is published."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dagster import AssetCheckResult, AssetChecksDefinition, AssetKey, MetadataValue, asset_check

from dagster_defs.resources import Settings, Warehouse
from dagster_defs.steps.quality import judged, published_volumes, record

if TYPE_CHECKING:
    from dagster_defs.steps.audit import AuditReport
    from expectations.gate import Verdict

# Room (its suite is expectations/<room>.py) -> the asset its gate hangs on, which the next room reads.
GATES: Mapping[str, AssetKey] = {
    "facts": AssetKey(["facts", "best_values"]),
    "extractions": AssetKey(["facts", "fills"]),
    "topics": AssetKey(["topics", "entity_attributes"]),
    "questions": AssetKey(["questions", "questions"]),
    "deep_research": AssetKey(["deep_research", "research_minted"]),
    "documents": AssetKey(["documents", "quotes"]),
    "runs": AssetKey(["runs", "verdicts"]),
    "scores": AssetKey(["scores", "by_model"]),
    "selection": AssetKey(["questions", "deep_research"]),
    "elicitation": AssetKey(["elicitation", "scores"]),
}
SHOWN_FAULTS = 20


def gates(settings: Settings) -> list[AssetChecksDefinition]:
    """The gate after each room, and the audit of every gold answer before anything is published."""
    return [*(_gate(settings, room) for room in GATES), _audit(settings)]


def _gate(settings: Settings, room: str) -> AssetChecksDefinition:
    @asset_check(
        asset=GATES[room],
        name=f"{room}_gate",
        blocking=True,
        description=f"Great Expectations suite of the {room} room: shares, ranges, distributions and volume.",
    )
    def gate(warehouse: Warehouse) -> AssetCheckResult:
        verdict = judged(settings.build_database, room, published_volumes(settings.quality, room, settings.endpoint))
        page = record(settings.quality, room, verdict.as_json())
        return AssetCheckResult(
            passed=verdict.passed,
            description=_gate_sentence(verdict, page),
            metadata={
                "claims": MetadataValue.int(len(verdict.outcomes)),
                "failed": MetadataValue.int(len(verdict.failures)),
                "page": MetadataValue.path(page),
            },
        )

    return gate


def _audit(settings: Settings) -> AssetChecksDefinition:
    @asset_check(
        asset=GATES["questions"],
        # Steps that could run next go by their names: this one after the gate, which takes a twentieth of its time.
        name="recomputed_gold",
        blocking=True,
        description="Runs every gold_sql again and derives each answer a second time from its evidence.",
    )
    def run_audit(warehouse: Warehouse) -> AssetCheckResult:
        # Imported here: SciPy would add a second to the time that loading the definitions takes.
        from dagster_defs.steps.audit import audit

        report = audit(settings.build_database, workers=settings.workers)
        page = record(settings.quality, "audit", _audit_json(report))
        return AssetCheckResult(
            passed=not report.faults,
            description=_audit_sentence(report, page),
            metadata={
                "faults": MetadataValue.int(len(report.faults)),
                "counts": MetadataValue.json(dict(report.counts)),
                "megabytes a process": MetadataValue.int(round(report.memory_mb)),
                "page": MetadataValue.path(page),
            },
        )

    return run_audit


def _gate_sentence(verdict: "Verdict", page: Path) -> str:
    """What the gate decided and, when it stopped the run, the first claim that failed."""
    if verdict.passed:
        return f"The {verdict.room} gate passed: all {len(verdict.outcomes)} claims held."
    first = verdict.failures[0]
    more = f" and {len(verdict.failures) - 1} more claims" if len(verdict.failures) > 1 else ""
    return (
        f"The {verdict.room} gate stopped the run and nothing was published: it does not hold that {first.claim}"
        f" (seen: {first.observed}){more}; {page} shows them all."
    )


def _audit_sentence(report: "AuditReport", page: Path) -> str:
    if not report.faults:
        return f"The audit found no fault ({', '.join(f'{count} {check}' for check, count in report.counts.items())})."
    first = report.faults[0]
    return (
        f"The audit stopped the run and nothing was published: {len(report.faults)} gold answers do not hold, first"
        f" {first.question_id} ({first.check}: {first.detail}); {page} shows more."
    )


def _audit_json(report: "AuditReport") -> dict[str, object]:
    """The audit in the form of a gate's verdict, so that the page shows it beside the others."""
    outcomes = [
        {
            "claim": f"{fault.question_id}: {fault.detail}",
            "frame": "questions",
            "expectation": fault.check,
            "passed": False,
            "observed": "differs",
        }
        for fault in report.faults[:SHOWN_FAULTS]
    ] or [
        {"claim": f"{check} checked", "frame": "questions", "expectation": check, "passed": True, "observed": count}
        for check, count in report.counts.items()
    ]
    return {"room": "audit", "passed": not report.faults, "outcomes": outcomes, "volumes": {}}
