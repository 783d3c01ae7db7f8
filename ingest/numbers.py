"""Numbers as sources write them: the text, whose digits tell the precision, beside the float that one computes with."""

from __future__ import annotations

import math
import re
from typing import Final, NamedTuple

import msgspec

# Decimal notation as JSON and the services' strings have it; float() alone would take "1_000", "nan" and "٣".
_DECIMAL: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Number(NamedTuple):
    """A value as text and as float; ``num`` is None where the text is no finite decimal number."""

    text: str | None
    num: float | None


NOTHING: Final = Number(None, None)
# Default of a field that a source may leave out.
ABSENT: Final = msgspec.Raw(b"null")


def number(raw: msgspec.Raw | None) -> Number:
    """A JSON value, number or string, with its text exactly as the source has it; null, true and [] give NOTHING."""
    if raw is None:
        return NOTHING
    text = bytes(raw).decode().strip()
    if text.startswith('"'):
        decoded: str = msgspec.json.decode(text, type=str)
        return number_of(decoded)
    return number_of(text) if _DECIMAL.fullmatch(text) else NOTHING


def number_of(text: str | None) -> Number:
    """A text, stripped, and its float if it is one; '' gives NOTHING."""
    kept = (text or "").strip()
    if not kept:
        return NOTHING
    found = float(kept) if _DECIMAL.fullmatch(kept) else math.inf
    return Number(kept, found if math.isfinite(found) else None)
