"""Listed companies from pytickersymbols (MIT), by the SEC's company numbers where edgartools (MIT) knows them.

A company is taken where its country, sector and founding date are known. Figures come from fact boxes in free text
and are read strictly (company_figures.py); what is out of proportion to the rest of the company is left out.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet
from pytickersymbols import PyTickerSymbols

from ingest.sample.build.airports import fold
from ingest.sample.build.cities import chosen as chosen_cities
from ingest.sample.build.company_figures import Money, count, founding, money
from ingest.sample.build.mendeleev_db import slug
from ingest.sample.build.model import Fact, Item, Quantity, Ref, Time, Value
from ingest.sample.build.places import country_ids, country_ids_by_name, us_state_items

SOURCE = "pytickersymbols"
COMPANY_CLASS, INDEX_CLASS, EXCHANGE_CLASS = "Q891723", "Q223371", "Q11691"
SECTORS = {
    "Communication Services": "communication services",
    "Telecommunications Services": "communication services",
    "Consumer Cyclicals": "consumer discretionary",
    "Consumer Discretionary": "consumer discretionary",
    "Consumer Non-Cyclicals": "consumer staples",
    "Consumer Staples": "consumer staples",
    "Energy": "energy",
    "Financials": "financials",
    "Health Care": "health care",
    "Healthcare": "health care",
    "Industrials": "industrials",
    "Information Technology": "information technology",
    "Technology": "information technology",
    "Basic Materials": "materials",
    "Materials": "materials",
    "Real Estate": "real estate",
    "Utilities": "utilities",
}
INDICES = {
    "AEX": "AEX",
    "BEL 20": "BEL 20",
    "CAC_40": "CAC 40",
    "CAC Mid 60": "CAC Mid 60",
    "DAX": "DAX",
    "DOW JONES": "Dow Jones Industrial Average",
    "EURO STOXX 50": "EURO STOXX 50",
    "FTSE 100": "FTSE 100",
    "IBEX 35": "IBEX 35",
    "MDAX": "MDAX",
    "NASDAQ 100": "Nasdaq-100",
    "NIKKEI 225": "Nikkei 225",
    "OMX Helsinki 25": "OMX Helsinki 25",
    "OMX Stockholm 30": "OMX Stockholm 30",
    "SDAX": "SDAX",
    "S&P 100": "S&P 100",
    "S&P 500": "S&P 500",
    "S&P 600": "S&P SmallCap 600",
    "Switzerland 20": "Swiss Market Index",
    "TecDAX": "TecDAX",
}
EXCHANGES = {
    "AMS": "Euronext Amsterdam",
    "BME": "Madrid Stock Exchange",
    "EBR": "Euronext Brussels",
    "EPA": "Euronext Paris",
    "ETR": "Xetra",
    "HEL": "Nasdaq Helsinki",
    "LON": "London Stock Exchange",
    "NASDAQ": "Nasdaq",
    "NYSE": "New York Stock Exchange",
    "STO": "Nasdaq Stockholm",
    "SWX": "SIX Swiss Exchange",
    "TYO": "Tokyo Stock Exchange",
}
FIGURES = {"revenue": "P2139", "net_income": "P2295", "total_assets": "P2403"}
UNITED_STATES = "US"


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the companies, sectors, indices and exchanges; places are referred to by their ids."""
    items = [Item(_typed("sector", name), name, source=SOURCE) for name in sorted(set(SECTORS.values()))]
    items += [Item(_typed("index", name), name, classes=(INDEX_CLASS,), source=SOURCE) for name in INDICES.values()]
    items += [
        Item(_typed("exchange", name), name, classes=(EXCHANGE_CLASS,), source=SOURCE) for name in EXCHANGES.values()
    ]
    facts: list[Fact] = []
    for subject, row in chosen().items():
        items.append(_item(subject, row))
        facts.extend(_facts(subject, row))
    return items, facts


@functools.cache
def chosen() -> dict[str, dict[str, Any]]:
    """Company id -> row of pytickersymbols; where two rows share an id or a name, both are left out."""
    found: dict[str, list[dict[str, Any]]] = {}
    names: dict[str, int] = {}
    for row in PyTickerSymbols().get_all_stocks():
        subject = company_id(row)
        if subject is not None and country(row) and sector(row) and founding(_box(row).get("founded")):
            found.setdefault(subject, []).append(row)
            names[fold(row["name"])] = names.get(fold(row["name"]), 0) + 1
    return {key: rows[0] for key, rows in sorted(found.items()) if len(rows) == 1 and names[fold(rows[0]["name"])] == 1}


def company_id(row: dict[str, Any]) -> str | None:
    """cik:<number> where the SEC knows the ticker under a like name, else isin:<number>, else None."""
    number = _cik_numbers().get(str(row.get("symbol", "")).replace(".", "-"))
    if number is not None and _first_word(number[1]) == _first_word(row["name"]):
        return f"cik:{int(number[0])}"
    isins = row.get("isins") or []
    return f"isin:{isins[0]}" if len(isins) == 1 and re.fullmatch(r"[A-Z]{2}[A-Z0-9]{9}\d", isins[0]) else None


def country(row: dict[str, Any]) -> str | None:
    """Wikidata id of the company's country; for an American company the source may write city and state instead."""
    name = str(row.get("country") or "")
    if name in country_ids_by_name():
        return country_ids_by_name()[name]
    return country_ids()[UNITED_STATES] if _state_code(name.rpartition(", ")[2]) else None


def sector(row: dict[str, Any]) -> str | None:
    """The one sector of the company; None where the source's taxonomies disagree."""
    found = {SECTORS[name] for name in row.get("industries", ()) if name in SECTORS}
    return found.pop() if len(found) == 1 else None


def headquarters(row: dict[str, Any]) -> str | None:
    """Id of the sample's city in 'City, State' or 'City, Country'; None where more is named."""
    text = str(row.get("country") or "")
    parts = [part.strip() for part in (text if "," in text else str(_box(row).get("headquarters") or "")).split(",")]
    if len(parts) == 3 and parts[2] in ("U.S.", "US", "United States"):
        parts = parts[:2]
    if len(parts) != 2:
        return None
    state = _state_code(parts[1])
    same = [city for city in _cities_by_name().get(fold(parts[0]), ()) if _is_in(city, state, parts[1])]
    return f"geonames:{same[0]['geonameid']}" if len(same) == 1 else None


def _is_in(city: dict[str, Any], state: str | None, country_name: str) -> bool:
    if state is not None:
        return bool(city["countrycode"] == UNITED_STATES and city["admin1code"] == state)
    return country_ids()[city["countrycode"]] == country_ids_by_name().get(country_name)


@functools.cache
def _cities_by_name() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for city in chosen_cities():
        found.setdefault(fold(city["name"]), []).append(city)
    return found


def figures(row: dict[str, Any]) -> dict[str, Money]:
    """Property -> amount, of those that are in proportion: revenue to the staff, profit and assets to the revenue."""
    in_us = country(row) == country_ids()[UNITED_STATES]
    read = {prop: money(_box(row).get(key), in_us) for key, prop in FIGURES.items()}
    found = {prop: value for prop, value in read.items() if value is not None}
    staff, revenue = count(_box(row).get("employees")), found.get("P2139")
    if revenue is None or staff is None or not 2e4 <= revenue.rough_dollars / float(staff[0]) <= 1e7:
        return {}
    limits = {"P2139": (0.0, 1.0), "P2295": (0.0, 1.0), "P2403": (0.2, 50.0)}
    return {
        prop: value
        for prop, value in found.items()
        if limits[prop][0] <= abs(value.rough_dollars) / revenue.rough_dollars <= limits[prop][1]
    }


def _item(subject: str, row: dict[str, Any]) -> Item:
    address = str(_box(row).get("wikipedia_url") or "")
    prefix = "https://en.wikipedia.org/wiki/"
    title = (
        unquote(address.removeprefix(prefix)).replace("_", " ")
        if address.startswith(prefix) and "#" not in address
        else None
    )
    return Item(subject, row["name"], aliases=_aliases(row), classes=(COMPANY_CLASS,), wikipedia=title, source=SOURCE)


def _aliases(row: dict[str, Any]) -> tuple[str, ...]:
    short = re.sub(
        r",? (Inc\.?|Corporation|Corp\.?|plc|PLC|Company|Co\.?|AG|SE|S\.A\.|N\.V\.|Ltd\.?|Limited|Holdings?|Group)$",
        "",
        row["name"],
    )
    return (short,) if len(short) > 2 and short != row["name"] else ()


def _facts(subject: str, row: dict[str, Any]) -> Iterator[Fact]:
    def fact(prop: str, value: Value, **more: Any) -> Fact:
        return Fact(subject, prop, value, source=SOURCE, **more)

    of_country, of_sector, founded = country(row), sector(row), founding(_box(row).get("founded"))
    assert of_country is not None
    assert of_sector is not None
    assert founded is not None
    yield fact("P17", Ref(of_country))
    yield fact("P452", Ref(_typed("sector", of_sector)))
    yield fact("P571", founded)
    yield from (fact("P361", Ref(_typed("index", name))) for name in _indices().get(row["name"], ()))
    yield from (fact("P414", Ref(_typed("exchange", name))) for name in _exchanges(row))
    city = headquarters(row)
    if city is not None:
        yield fact("P159", Ref(city))
    staff = count(_box(row).get("employees"))
    if staff is not None and int(staff[0]) >= 10:
        yield fact("P1128", Quantity(staff[0]), qualifiers=(("P585", Time(staff[1])),))
    for prop, value in figures(row).items():
        yield fact(prop, Quantity(value.amount, value.currency), qualifiers=(("P585", Time(value.year)),))


def _box(row: dict[str, Any]) -> dict[str, Any]:
    return row.get("metadata") or {}


def _exchanges(row: dict[str, Any]) -> list[str]:
    """Exchanges the shares trade at; London counts for British companies only, it quotes others second-hand."""
    codes = {str(entry.get("google") or "").partition(":")[0] for entry in row.get("symbols", ())}
    if country(row) != country_ids()["GB"]:
        codes.discard("LON")
    return sorted(EXCHANGES[code] for code in codes if code in EXCHANGES)


@functools.cache
def _indices() -> dict[str, list[str]]:
    """Company name -> names of the indices that list it."""
    listed: dict[str, list[str]] = {}
    for code, name in INDICES.items():
        for row in PyTickerSymbols().get_stocks_by_index(code):
            listed.setdefault(row["name"], []).append(name)
    return listed


@functools.cache
def _cik_numbers() -> dict[str, tuple[str, str]]:
    """Ticker -> (CIK, name) of companies on the New York exchanges."""
    table = importlib.resources.files("edgar.reference.data") / "company_tickers.parquet"
    with importlib.resources.as_file(table) as path:
        rows = pyarrow.parquet.read_table(path).to_pylist()
    return {row["ticker"]: (row["cik"], row["name"]) for row in rows if row["exchange"] in ("NYSE", "Nasdaq")}


def _first_word(name: str) -> str:
    return fold(name).removeprefix("the ").partition(" ")[0]


def _state_code(name: str) -> str | None:
    return next((code for code, state in us_state_items().items() if state.label == name), None)


def _typed(kind: str, name: str) -> str:
    return f"typed:{kind}/{slug(name)}"
