"""Scores of a CVSS v3 vector, after the equations of FIRST's specification (v3.1, section 7; v3.0 differs in rounding
alone, which no vector of this sample can tell): https://www.first.org/cvss/v3.1/specification-document
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

_ATTACK_VECTOR: Final = {"N": 0.85, "A": 0.62, "L": 0.55, "P": 0.2}
_ATTACK_COMPLEXITY: Final = {"L": 0.77, "H": 0.44}
_PRIVILEGES: Final = {"U": {"N": 0.85, "L": 0.62, "H": 0.27}, "C": {"N": 0.85, "L": 0.68, "H": 0.5}}
_USER_INTERACTION: Final = {"N": 0.85, "R": 0.62}
_HARM: Final = {"H": 0.56, "L": 0.22, "N": 0.0}
_VECTOR: Final = re.compile(
    r"(?P<version>3\.[01])/AV:(?P<AV>[NALP])/AC:(?P<AC>[LH])/PR:(?P<PR>[NLH])/UI:(?P<UI>[NR])/S:(?P<S>[UC])"
    r"/C:(?P<C>[HLN])/I:(?P<I>[HLN])/A:(?P<A>[HLN])"
)
# Upper end of a band of base scores -> its name, in the order of the specification's table 14.
_SEVERITIES: Final = ((0.0, "none"), (3.9, "low"), (6.9, "medium"), (8.9, "high"), (10.0, "critical"))


@dataclass(frozen=True)
class Scores:
    """Base score and the two sub-scores it is made of, each 0 to 10 at one decimal; `metrics` are the vector's own."""

    version: str
    base: float
    exploitability: float
    impact: float
    metrics: dict[str, str]

    @property
    def severity(self) -> str:
        """none, low, medium, high or critical."""
        return next(name for most, name in _SEVERITIES if self.base <= most)


def scores(vector: str) -> Scores:
    """The scores of a vector such as 3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H. Raises ValueError for other texts."""
    match = _VECTOR.fullmatch(vector)
    if match is None:
        raise ValueError(f"{vector!r} is no CVSS v3 vector such as 3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H.")
    said = match.groupdict()
    version = said.pop("version")
    reach = _ATTACK_VECTOR[said["AV"]] * _ATTACK_COMPLEXITY[said["AC"]]
    exploitability = 8.22 * reach * _PRIVILEGES[said["S"]][said["PR"]] * _USER_INTERACTION[said["UI"]]
    impact = _impact(said)
    if impact <= 0:
        base = 0.0
    elif said["S"] == "U":
        base = _round_up(min(impact + exploitability, 10))
    else:
        base = _round_up(min(1.08 * (impact + exploitability), 10))
    return Scores(version, base, round(exploitability, 1), max(round(impact, 1), 0.0), said)


def _impact(said: dict[str, str]) -> float:
    together = 1 - (1 - _HARM[said["C"]]) * (1 - _HARM[said["I"]]) * (1 - _HARM[said["A"]])
    if said["S"] == "U":
        return 6.42 * together
    return float(7.52 * (together - 0.029) - 3.25 * (together - 0.02) ** 15)


def _round_up(score: float) -> float:
    """To one decimal, upwards, past what binary fractions add (the specification's appendix A)."""
    whole = round(score * 100_000)
    return whole / 100_000 if whole % 10_000 == 0 else (math.floor(whole / 10_000) + 1) / 10
