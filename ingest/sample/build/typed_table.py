"""Reads the hand-typed tables in `typed/*.csv` and turns their cells into values and entities.

Cells hold plain text. A list is written with semicolons. An empty cell says nothing at all; `unknown` says that there
is a value which nobody knows (Wikidata's somevalue), `none` that there is no value (novalue).
"""

from __future__ import annotations

import csv
import re
import unicodedata
from pathlib import Path
from typing import Final

from ingest.sample.build.model import DAY, MONTH, NOVALUE, SOMEVALUE, YEAR, Calendar, Item, Ref, Time, Value
from ingest.sample.build.places import country_ids

TABLES: Final = Path(__file__).parent / "typed"
UNKNOWN: Final = "unknown"
NONE: Final = "none"

_ISO_CODE: Final = re.compile(r"[A-Z]{2}")
_DATE: Final = re.compile(r"(-?[0-9]{4,})(-[0-9]{2})?(-[0-9]{2})?")
_UNDECOMPOSED: Final = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "æ": "ae", "ı": "i", "đ": "d", "–": "-"}
)


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of `typed/<name>.csv` by column, in the file's order; cells are stripped.

    Raises ValueError naming file and line where a row has more or fewer cells than the header.
    """
    path = TABLES / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = []
        for row in reader:
            if None in row or None in row.values():
                raise ValueError(
                    f"{path.name}, line {reader.line_num}: a row needs {len(reader.fieldnames or [])} cells."
                )
            rows.append({column: cell.strip() for column, cell in row.items()})
    return rows


def cells(cell: str) -> list[str]:
    """The parts of a list cell, in order; [] for an empty one."""
    return [part.strip() for part in cell.split(";") if part.strip()]


def slug(text: str) -> str:
    """A name as the local part of an id: 'Ryōji Noyori' -> 'ryoji-noyori'.

    Raises ValueError where nothing is left of the name.
    """
    plain = unicodedata.normalize("NFKD", text.translate(_UNDECOMPOSED)).encode("ascii", "ignore").decode()
    local = "-".join(re.findall(r"[a-z0-9]+", plain.replace("'", "").lower()))
    if not local:
        raise ValueError(f"No id can be made of the name {text!r}; write it in Latin letters.")
    return local


def typed_id(kind: str, name: str) -> str:
    """The id of an entity known only from these tables, such as `typed:person/marie-curie`."""
    return f"typed:{kind}/{slug(name)}"


def country_id(code: str) -> str:
    """The Wikidata id of a country, by its ISO 3166-1 alpha-2 code.

    Raises ValueError for a code that Natural Earth does not list.
    """
    found = country_ids().get(code)
    if found is None:
        raise ValueError(f"{code!r} is no ISO 3166-1 alpha-2 code that Natural Earth lists.")
    return found


def is_country_code(cell: str) -> bool:
    """True for two capital letters: a country stands in a table by its code, anything else by its name."""
    return _ISO_CODE.fullmatch(cell) is not None


def date_value(cell: str, calendar: Calendar = "gregorian") -> Time:
    """'1789-04-30', '1789-04', '1789' or '-0480' (480 BCE) at the precision in which it is written.

    Raises ValueError for any other text.
    """
    match = _DATE.fullmatch(cell)
    if match is None:
        raise ValueError(f"{cell!r} is no date: write 1789-04-30, 1789-04, 1789, or -0480 for 480 BCE.")
    precision = DAY if match[3] else MONTH if match[2] else YEAR
    return Time(cell, precision, calendar)


def date_or_none(cell: str, calendar: Calendar = "gregorian") -> Value | None:
    """As `date_value`, and None for an empty cell, SOMEVALUE for 'unknown', NOVALUE for 'none'."""
    special: dict[str, Value | None] = {"": None, UNKNOWN: SOMEVALUE, NONE: NOVALUE}
    return special[cell] if cell in special else date_value(cell, calendar)


class Names:
    """Collects an item for each entity that a table refers to by name, so that none is left without a label."""

    def __init__(self) -> None:
        self._items: dict[str, Item] = {}

    def add(self, item: Item) -> Ref:
        """Keeps an item and gives the reference to it. Raises ValueError for two names that make one id."""
        known = self._items.setdefault(item.id, item)
        if known != item:
            raise ValueError(
                f"{known.label!r} and {item.label!r} would both be {item.id}; write one of them differently."
            )
        return Ref(item.id)

    def typed(self, kind: str, name: str) -> Ref:
        """A reference to `typed:<kind>/<slug of the name>`."""
        return self.add(Item(typed_id(kind, name), name))

    def place(self, kind: str, cell: str) -> Ref:
        """A country by its two-letter code, anything else as `typed`."""
        return Ref(country_id(cell)) if is_country_code(cell) else self.typed(kind, cell)

    def items(self) -> list[Item]:
        """Everything referred to so far."""
        return list(self._items.values())
