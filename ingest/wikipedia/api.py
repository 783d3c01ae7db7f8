"""What every answer of MediaWiki's action API has in common: errors that come under a status of success."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, TypeVar

import msgspec

from ingest.http.body import BodyError

# Errors that pass by themselves, and the pause that the service asks for where its databases lag.
_PASSING: Final = frozenset({"maxlag", "ratelimited", "readonly", "toomanyrequests"})
_PASSING_START: Final = "internal_api_error_"
_PAUSE_SECONDS: Final = "5"


T = TypeVar("T")


class Fault(msgspec.Struct):
    """An error as the API writes it."""

    code: str
    info: str = ""


def refuse(fault: Fault | None) -> None:
    """Raise BodyError for an answer that is an error; those that pass are tried again."""
    if fault is None:
        return
    again = fault.code in _PASSING or fault.code.startswith(_PASSING_START)
    said = ": ".join(part for part in (fault.code, " ".join(fault.info.split())[:160]) if part)
    raise BodyError(f"the answer was the error {said!r}", again=again, retry_after=_PAUSE_SECONDS if again else None)


def in_order(entities: Mapping[str, T] | None, fault: Fault | None, asked: Collection[str]) -> list[tuple[str, T]]:
    """(id, entity) of an answer to wbgetentities, in the order in which they were ``asked`` for.

    Raises:
        BodyError: an error of the API (those that pass are tried again), no entities, or one that is lacking.
    """
    refuse(fault)
    if entities is None:
        raise BodyError("the answer was JSON, but no entities", again=False)
    lacking = [one for one in asked if one not in entities]
    if lacking:
        raise BodyError(f"the answer lacks {lacking[0]}, which was asked for", again=False)
    return [(one, entities[one]) for one in asked]


def is_set(flag: Any) -> bool:
    """Whether a flag is set: an empty text in format version 1, true in version 2; it is left out where it is not."""
    return flag is not None and flag is not False
