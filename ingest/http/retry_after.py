"""The Retry-After header (RFC 9110, section 10.2.3): a number of seconds, or the date to come back at."""

from __future__ import annotations

import datetime
import email.utils
import re
from typing import Final

# Thirty years, in seconds: no service means it.
_LONGEST: Final = 1e9
_SECONDS: Final = re.compile(r"[0-9]+(\.[0-9]+)?")


def seconds_to_wait(header: str | None, now: datetime.datetime) -> float | None:
    """Seconds asked for, never negative; None where the header is missing or neither a number nor a date.

    Args:
        header: the header's value.
        now: the present, with time zone, that a date is compared with.
    """
    text = (header or "").strip()
    if _SECONDS.fullmatch(text):
        # RFC 9110 allows whole seconds only; some services send fractions, and some nonsense.
        waited = float(text)
        return waited if waited < _LONGEST else None
    try:
        when = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=datetime.UTC)
    return max(0.0, (when - now).total_seconds())
