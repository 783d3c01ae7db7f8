"""What every answer of MediaWiki's action API has in common: errors that come under a status of success."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ingest.http.body import BodyError

# Errors that pass by themselves, and the pause that the service asks for where its databases lag.
_PASSING: Final = frozenset({"maxlag", "ratelimited", "readonly", "toomanyrequests"})
_PASSING_START: Final = "internal_api_error_"
_PAUSE_SECONDS: Final = "5"


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


def is_set(flag: Any) -> bool:
    """Whether a flag is set: an empty text in format version 1, true in version 2; it is left out where it is not."""
    return flag is not None and flag is not False
