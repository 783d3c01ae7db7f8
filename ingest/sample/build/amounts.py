"""Numbers as text: plain decimals that say what the source said, without binary noise."""

from __future__ import annotations

from decimal import Decimal


def plain(number: float | int | str | Decimal, digits: int = 12) -> str:
    """A number as a plain decimal of at most `digits` significant digits: 115.99999999999 -> '116', 8e-5 -> '0.00008'.

    Raises ValueError for text that is no number, and for infinities.
    """
    exact = Decimal(str(number))
    if not exact.is_finite():
        raise ValueError(f"{number!r} is no finite number.")
    rounded = Decimal(f"{exact:.{digits}g}")
    text = f"{rounded:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def scaled(number: float | int | str, factor: int | str, digits: int = 12) -> str:
    """The number times a factor, multiplied in decimals so that no digit is made up."""
    return plain(Decimal(plain(number, digits)) * Decimal(str(factor)), digits)


def bounds(amount: str, uncertainty: float | None) -> tuple[str | None, str | None]:
    """Lower and upper bound of an amount whose source states an uncertainty; (None, None) where it states none."""
    if not uncertainty:
        return None, None
    half = Decimal(plain(uncertainty, 6))
    return plain(Decimal(amount) - half, 20), plain(Decimal(amount) + half, 20)
