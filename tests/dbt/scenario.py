"""The landed facts that the dbt tests read: each is there for a rule that one of the tests names."""

from __future__ import annotations

import datetime as dt

from ingest.domains.statements import Stated, dated
from tests.dbt.landed import NOVALUE, SOMEVALUE, Landing, coordinate, item, qualified, quantity, text, time

COUNTRY = "Q6256"
CITY = "Q515"


def landing() -> Landing:
    """The current snapshot."""
    land = Landing()
    for entity_id, label in {"Q142": "France", "Q183": "Germany", "Q38": "Italy", "Q145": "United Kingdom"}.items():
        land.entity(entity_id, label, COUNTRY)
    land.entity("Q90", "Paris", CITY, aliases=["City of Light"])
    land.entity("Q64", "Berlin", CITY)
    for entity_id, label in {
        "Q46": "Europe",
        "Q15": "Africa",
        "Q150": "French",
        "Q188": "German",
        "Q1860": "English",
    }.items():
        land.entity(entity_id, label)
    _awkward_entities(land)
    _quantities(land)
    _things(land)
    _times(land)
    return land


def said_by_services() -> list[Stated]:
    """A compound's mass, and a company's profits of two years, of which the first was restated."""

    def row(source: str) -> dict[str, object]:
        return {
            "source": source, "source_url": f"https://{source}.test/702", "request_hash": "r1",
            "fetched_at": dt.datetime(2026, 11, 30, 12), "snapshot_id": f"{source}-2026-11-30",
        }  # fmt: skip

    compound, company = Stated("pubchem", ["Q153"]), Stated("edgar", ["Q312"])
    compound.quantity("Q153", "pubchem:molecular-weight", "46.07", row("pubchem"), unit="g/mol")
    for amount, year, rank in (("100", 2022, "deprecated"), ("101", 2022, "normal"), ("110", 2023, "normal")):
        day = dated(dt.date(year, 9, 30))
        company.quantity("Q312", "sec:net-income-loss", amount, row("edgar"), unit="USD", rank=rank, qualifiers=day)
    return [compound, company]


def _awkward_entities(land: Landing) -> None:
    land.entity("Q39", None, COUNTRY)
    land.entity("Q801", "Israel", COUNTRY, lang="mul")
    land.entity("Q4", None)
    land.entity("Q1001", None, redirect_to="Q1002")
    land.entity("Q1002", None, redirect_to="Q46")
    land.entity("Q1003", None, redirect_to="Q1004")
    land.entity("Q1004", None, redirect_to="Q1003")
    land.entity("Q1005", None, redirect_to="Q142")


def _quantities(land: Landing) -> None:
    land.statement("Q142", "P2046", quantity("643801", "Q712226"))
    land.statement("Q183", "P2046", quantity("357022000000", "Q25343"))
    land.statement("Q183", "P2046", quantity("35702200", "Q35852"), reference_count=3)
    land.statement("Q38", "P2046", quantity("301340", "Q712226"))
    land.statement("Q38", "P2046", quantity("1", "Q424242"))
    land.statement("Q145", "P2046", quantity("5", "Q11570"))
    land.statement("Q145", "P2046", quantity("many", "Q712226"))
    year = [qualified("P585", (f"{y}-00-00", 9)) for y in (2010, 2020)]
    land.statement("Q142", "P1082", quantity("64000000"), qualifiers=year[0])
    land.statement("Q142", "P1082", quantity("67000000"), qualifiers=qualified("P585", ("2020-06-01", 11)))
    land.statement("Q142", "P1082", quantity("66000000"), qualifiers=year[1])
    land.statement("Q142", "P1082", quantity("1"))
    land.statement("Q183", "P1082", quantity("84000000"), rank="preferred", qualifiers=year[0])
    land.statement("Q183", "P1082", quantity("83000000"), qualifiers=year[1])
    land.statement("Q183", "P1082", quantity("7"), rank="deprecated")
    land.statement("Q38", "P1082", SOMEVALUE, qualifiers=year[1])
    land.statement("Q38", "P1082", quantity("59000000"), qualifiers=year[0])
    land.statement("Q142", "P2131", quantity("3000", "Q4917"), qualifiers=year[0])
    land.statement("Q142", "P2131", quantity("2500", "Q4916"), qualifiers=year[1])
    land.statement("Q183", "P2131", quantity("2600", "Q4916"), qualifiers=year[1])


def _things(land: Landing) -> None:
    land.statement("Q142", "P30", item("Q46"))
    land.statement("Q183", "P30", item("Q1001"))
    land.statement("Q145", "P30", item("Q46"))
    land.statement("Q145", "P30", item("Q15"))
    land.statement("Q1005", "P37", item("Q150"))
    land.statement("Q183", "P37", item("Q188"))
    land.statement("Q183", "P37", item("Q150"), qualifiers=qualified("P582", ("1813-00-00", 9)))
    land.statement("Q145", "P37", item("Q1860"))
    land.statement("Q145", "P37", item("Q150"), qualifiers=qualified("P582", ("2030-00-00", 9)))
    land.statement("Q38", "P37", item("Q4"))
    land.statement("Q142", "P47", item("Q183"))
    land.statement("Q142", "P47", item("Q38"))
    land.statement("Q145", "P47", NOVALUE)
    land.statement("Q142", "P1813", text("FR", "en"))
    land.statement("Q183", "P1813", text(None))
    land.statement("Q142", "P625", coordinate(46.0, 2.0))
    land.statement("Q183", "P625", coordinate(None, 10.0))
    land.statement("Q90", "P17", item("Q142"))
    land.statement("Q64", "P17", item("Q183"))


def _times(land: Landing) -> None:
    land.statement("Q142", "P571", time("0843-08-10", 11, "julian"))
    land.statement("Q183", "P571", time("1871-00-00", 9))
    land.statement("Q38", "P571", time("-0753-04-21", 11, "julian"))
    land.statement("Q145", "P571", time("1701-02-29", 11))


def older_landing() -> Landing:
    """A complete snapshot that was landed before."""
    land = Landing(snapshot_id="sample-0000000000ff", landed_at=dt.datetime(2026, 1, 1))
    land.entity("Q17", "Japan", COUNTRY)
    land.statement("Q17", "P1082", quantity("125000000"))
    return land


def broken_landing() -> Landing:
    """A snapshot that was landed later, and not to the end."""
    land = Landing(snapshot_id="sample-ffffffffffff", landed_at=dt.datetime(2026, 12, 31), complete=False)
    land.entity("Q29", "Spain", COUNTRY)
    land.statement("Q29", "P1082", quantity("47000000"))
    return land
