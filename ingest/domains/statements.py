"""What services say of an entity, in the shape of statements: property, value, unit, precision as given, and when.

A service's own property is named after it (``pubchem:molecular-weight``), so that its values never mix with what
Wikidata states of the same. Pure functions from landed rows.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from ingest.landing import ORIGIN
from ingest.rows import Row as Struct
from ingest.wikidata import values

DALTON, ANGSTROM, SQUARE_METRE, US_DOLLAR = "Q483261", "Q81454", "Q25343", "Q4917"
# Unit as a service writes it -> (unit, power of ten that leads to it); g/mol of one molecule are daltons.
UNITS: Final[Mapping[str, tuple[str, int]]] = {
    "Da": (DALTON, 0), "g/mol": (DALTON, 0), "kDa": (DALTON, 3), "Å": (ANGSTROM, 0), "Å²": (SQUARE_METRE, -20),
    "USD": (US_DOLLAR, 0), "°": ("Q28390", 0),
}  # fmt: skip
_WORD: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

# A row as Parquet gives it: the columns of its struct, then those of its origin.
Row = Mapping[str, Any]


class Statement(Struct, frozen=True):
    """One statement, with the columns that statements of Wikidata land with."""

    statement_id: str
    subject_id: str
    property_id: str
    value_kind: str
    value_entity: str | None = None
    amount_text: str | None = None
    lower_text: str | None = None
    upper_text: str | None = None
    unit_id: str | None = None
    value_time: str | None = None
    time_precision: int | None = None
    calendar: str | None = None
    value_text: str | None = None
    value_lang: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    rank: str = "normal"
    qualifiers: str | None = None
    reference_count: int = 1


class Stated:
    """Collects the statements of one service, each with the origin of the row it was read off.

    Args:
        source: name of the service, which begins the statements' ids.
        about: entities that it was asked about, whether or not it said anything.
    """

    def __init__(self, source: str, about: Iterable[str]) -> None:
        self.source = source
        self.about = frozenset(about)
        self.rows: list[dict[str, Any]] = []
        self._counted: dict[tuple[str, str], int] = {}

    def quantity(self, subject: str, prop: str, amount: str, row: Row, *, unit: str | None = None, **more: Any) -> None:
        """A number, digits as given; ``unit`` is one of ``UNITS``, None for counts and bare numbers."""
        unit_id, power = UNITS[unit] if unit is not None else (None, 0)
        # Trailing zeros stay: they say how precise the number is.
        text = f"{Decimal(amount).scaleb(power):f}"
        self._add(subject, prop, row, value_kind="quantity", amount_text=text, unit_id=unit_id, **more)

    def text(self, subject: str, prop: str, text: str, row: Row, **more: Any) -> None:
        """A text."""
        self._add(subject, prop, row, value_kind="text", value_text=text, **more)

    def day(self, subject: str, prop: str, day: datetime.date, row: Row, **more: Any) -> None:
        """A day."""
        time = {"value_time": _moment(day), "time_precision": 11, "calendar": "gregorian"}
        self._add(subject, prop, row, value_kind="time", **time, **more)

    def entity(self, subject: str, prop: str, entity_id: str, row: Row, **more: Any) -> None:
        """Another entity."""
        self._add(subject, prop, row, value_kind="entity", value_entity=entity_id, **more)

    def _add(self, subject: str, prop: str, row: Row, **cells: Any) -> None:
        number = self._counted[subject, prop] = self._counted.get((subject, prop), 0) + 1
        local = re.sub(r"[^A-Za-z0-9-]", "-", f"{subject}-{prop}")
        statement = Statement(f"{self.source}-{local}-{number}", subject, prop, **cells)
        given = {name: getattr(statement, name) for name in Statement.__struct_fields__}
        self.rows.append({**given, **{name: row[name] for name, _ in ORIGIN}})


def dated(day: datetime.date, **more: datetime.date | None) -> str:
    """Qualifiers of a value of one day (P585); ``more``: property -> another day."""
    days = {"P585": day, **{prop: one for prop, one in more.items() if one is not None}}
    return values.qualifiers_text({p: [values.time_value(_moment(d), 11, "gregorian")] for p, d in days.items()}) or ""


def named(prefix: str, name: str) -> str:
    """A property's id from its source and name: ``pubchem``, ``HeavyAtomCount`` -> ``pubchem:heavy-atom-count``."""
    return f"{prefix}:{'-'.join(word.lower() for word in _WORD.findall(name))}"


def of_properties(source: str, rows: Sequence[Row], key: str, subjects: Mapping[str, str]) -> Stated:
    """Statements of rows (``property``, ``value_text``, ``value_num``, ``unit``) about what ``key`` identifies.

    ``subjects``: identifier -> entity. Where a property has several values (``position``), the first is taken.
    """
    stated = Stated(source, subjects.values())
    for row in rows:
        subject = subjects.get(str(row[key]))
        if subject is None or row.get("position", 1) != 1:
            continue
        prop = named(source, row["property"])
        if row["value_num"] is None:
            stated.text(subject, prop, row["value_text"], row)
        else:
            stated.quantity(subject, prop, row["value_text"], row, unit=row["unit"])
    return stated


def of_proteins(entries: Sequence[Row], features: Sequence[Row], subjects: Mapping[str, str]) -> Stated:
    """Statements of UniProt's entries; an inactive accession has none."""
    stated = Stated("uniprot", subjects.values())
    for row in entries:
        subject = subjects.get(row["accession"])
        if subject is None or row["length_text"] is None:
            continue
        stated.quantity(subject, "uniprot:length", row["length_text"], row)
        if row["mass_da_text"] is not None:
            stated.quantity(subject, "uniprot:mass", row["mass_da_text"], row, unit="Da")
        own = [one for one in features if one["accession"] == row["accession"]]
        bonds = sum(one["feature_kind"] == "Disulfide bond" for one in own)
        stated.quantity(subject, "uniprot:disulfide-bonds", str(bonds), row)
    return stated


# Concepts of us-gaap that are asked for; each is the property sec:<its words>.
CONCEPTS: Final = (
    "Assets", "AssetsCurrent", "AccountsPayableCurrent", "AccountsReceivableNetCurrent",
    "CashAndCashEquivalentsAtCarryingValue", "CostOfGoodsAndServicesSold", "CostOfRevenue", "GrossProfit",
    "InterestExpense", "InventoryNet", "Liabilities", "LiabilitiesCurrent",
    "NetCashProvidedByUsedInOperatingActivities",
    "NetIncomeLoss", "OperatingIncomeLoss", "PaymentsToAcquirePropertyPlantAndEquipment",
    "ResearchAndDevelopmentExpense", "RevenueFromContractWithCustomerExcludingAssessedTax", "Revenues",
    "SalesRevenueNet", "StockholdersEquity",
)  # fmt: skip


def of_companies(facts: Sequence[Row], subjects: Mapping[str, str]) -> Stated:
    """Statements of fiscal years, told by the facts' own dates (P585 is the last day, P580 the first).

    Of a figure that several filings report, the latest filing's stands; the others are kept, deprecated.
    """
    stated = Stated("edgar", subjects.values())
    for row in facts:
        subject = subjects.get(row["cik"])
        wanted = row["taxonomy"] == "us-gaap" and row["concept"] in CONCEPTS and row["unit"] == "USD"
        if subject is None or not wanted or row["fiscal_period"] != "FY":
            continue
        stated.quantity(
            subject,
            named("sec", row["concept"]),
            row["value_text"],
            row,
            unit="USD",
            rank="normal" if row["is_latest"] else "deprecated",
            qualifiers=dated(row["period_end"], P580=row["period_start"]),
        )
    return stated


def _moment(day: datetime.date) -> str:
    return f"{day.isoformat()}T00:00:00Z"
