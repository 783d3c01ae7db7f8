"""What every gate shares: claims over frames, their verdict, and the words a person reads when one fails.

Great Expectations takes seconds to import, so nothing imports it before a gate is really asked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from great_expectations.data_context import AbstractDataContext
    from great_expectations.expectations.expectation import Expectation

Frames = Mapping[str, pd.DataFrame]
# Great Expectations reads this when it is imported.
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")

# A room may lose a fifth of what was published, and grow threefold, before someone has to look.
LEAST, MOST = 0.8, 3.0


@dataclass(frozen=True)
class Claim:
    """One expectation over the frame called ``frame``; ``text`` says in words what is claimed."""

    frame: str
    text: str
    expectation: Expectation


@dataclass(frozen=True)
class Outcome:
    """Whether one claim held, and what was seen."""

    claim: str
    frame: str
    expectation: str
    passed: bool
    observed: str


@dataclass(frozen=True)
class Verdict:
    """A gate's decision on one room. ``volumes`` counts rows by name, to be compared with by the next run."""

    room: str
    outcomes: tuple[Outcome, ...]
    volumes: dict[str, int]

    @property
    def passed(self) -> bool:
        """Whether every claim held."""
        return all(outcome.passed for outcome in self.outcomes)

    @property
    def failures(self) -> list[Outcome]:
        """The claims that did not hold."""
        return [outcome for outcome in self.outcomes if not outcome.passed]

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain dictionaries and lists."""
        return {**asdict(self), "passed": self.passed}


def judge(room: str, claims: Sequence[Claim], frames: Frames, volumes: dict[str, int]) -> Verdict:
    """Check ``claims`` against ``frames``. Outcomes come in the order of the claims."""
    outcomes: dict[int, Outcome] = {}
    context = _context()
    for name in dict.fromkeys(claim.frame for claim in claims):
        numbered = [(number, claim) for number, claim in enumerate(claims) if claim.frame == name]
        results = _validate(context, name, frames[name], [claim.expectation for _, claim in numbered])
        for (number, claim), result in zip(numbered, results, strict=True):
            kind = claim.expectation.expectation_type
            outcomes[number] = Outcome(claim.text, name, kind, bool(result.success), _observed(result))
    return Verdict(room, tuple(outcomes[number] for number in sorted(outcomes)), volumes)


def volume_frame(volumes: Mapping[str, int], published: Mapping[str, int] | None) -> pd.DataFrame:
    """One row per name counted last time: `name`, `rows` now (0 when gone), `published` rows, and their `ratio`.

    Without anything published there is one row that compares the room with itself, so that the claim still stands.
    """
    before = dict(published or {"(nothing published yet)": 1})
    rows = [volumes.get(name, 0) if published else 1 for name in before]
    frame = pd.DataFrame({"name": list(before), "rows": rows, "published": list(before.values())})
    return frame.assign(ratio=frame["rows"] / frame["published"].clip(lower=1))


def volume_claim() -> Claim:
    """That no part of a room shrank or grew beyond what a refreshed snapshot explains."""
    from great_expectations import expectations as gxe

    return Claim(
        "volume",
        f"every count stays between {LEAST:g} and {MOST:g} times what was published last",
        gxe.ExpectColumnValuesToBeBetween(column="ratio", min_value=LEAST, max_value=MOST),
    )


def _context() -> AbstractDataContext:
    """A context in memory: nothing is written, sent or drawn."""
    import great_expectations as gx
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
        ProgressBarsConfig,
    )

    config = DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        progress_bars=ProgressBarsConfig(globally=False),
        analytics_enabled=False,
    )
    return gx.get_context(mode="ephemeral", project_config=config)


def _validate(
    context: AbstractDataContext, name: str, frame: pd.DataFrame, expectations: Sequence[Expectation]
) -> list[Any]:
    """Great Expectations' result for each expectation, in their order."""
    asset = context.data_sources.add_pandas(name).add_dataframe_asset(name)
    batch = asset.add_batch_definition_whole_dataframe("whole").get_batch({"dataframe": frame})
    return [batch.validate(expectation, result_format=_result_format(frame)) for expectation in expectations]


def _result_format(frame: pd.DataFrame) -> dict[str, Any]:
    """Rows that have a `name` are named when they fail; of others some values are shown."""
    if "name" in frame.columns:
        return {"result_format": "COMPLETE", "unexpected_index_column_names": ["name"]}
    return {"result_format": "SUMMARY"}


def _observed(result: Any) -> str:
    """What was seen, in few words: a value, or how many rows were unexpected and some of them."""
    seen = dict(result.result)
    if not seen:
        problems = [info for info in result.exception_info.values() if isinstance(info, dict)]
        return str(problems[0].get("exception_message") if problems else result.exception_info)[:200]
    if "unexpected_count" in seen:
        named = [" ".join(str(part) for part in row.values()) for row in seen.get("unexpected_index_list") or []]
        unexpected = named or [str(value) for value in seen.get("partial_unexpected_list", [])]
        examples = ", ".join(list(dict.fromkeys(unexpected))[:5])
        return f"{seen['unexpected_count']} of {seen['element_count']} unexpected" + (
            f": {examples}" if examples else ""
        )
    value = seen.get("observed_value")
    return f"{value:.4g}" if isinstance(value, float) else str(value)
