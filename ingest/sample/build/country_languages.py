"""Official languages after the Factbook, as the languages of wikidata-lang."""

from __future__ import annotations

import functools
import json
import re

from ingest.sample.build import factbook
from ingest.sample.build.country_list import Country
from ingest.sample.build.places import npm_file
from ingest.sample.build.rdf import Fact, Item, Ref

# The Factbook's names for languages that wikidata-lang lists under another.
OTHER_NAMES = {
    "Afghan Persian or Dari": "Dari",
    "Bahasa Indonesia": "Indonesian",
    "Bahasa Malaysia": "Malay",
    "Bangla": "Bengali",
    "Bokmal Norwegian": "Norwegian",
    "Castilian Spanish": "Spanish",
    "English only": "English",
    "Greek": "Modern Greek",
    "German (or Swiss German)": "German",
    "Kiswahili": "Swahili",
    "Kiswahili or Swahili": "Swahili",
    "Malay (Bahasa Melayu)": "Malay",
    "Maori": "Māori",
    "Nynorsk Norwegian": "Norwegian",
    "Persian Farsi": "Persian",
    "Sesotho": "Sotho",
    "Swahili/Kiswahili": "Swahili",
    "Tigrigna (Tigrinya)": "Tigrinya",
    "siSwati": "Swazi",
}
# Where the Factbook's text says more than a list can: regional, partial or disputed official languages.
# fmt: off
TOO_INVOLVED = frozenset({
    "BF", "BO", "CF", "CN", "DZ", "ET", "FM", "HK", "IN", "IQ", "KG", "KI", "KM", "KZ", "LU",
    "MA", "MH", "ML", "MO", "MU", "NE", "NZ", "PS", "PW", "PY", "SO", "VU", "ZA", "ZW",
})
# fmt: on
_OFFICIAL = re.compile(r"^(?P<name>[^,;]+?)\s*(?:<?\d[\d.]*%?\s*)?\((?:official)\b[^)]*\)")
_NOT_NATIONAL = re.compile(r"official (?:in|regional|on|but)|municipalit|minority|locally|working language|includes")


@functools.cache
def languages() -> dict[str, tuple[str, str]]:
    """Name of a language -> (Wikidata id, name); languages that carry an ISO code only."""
    rows = json.loads(npm_file("wikidata-lang", "data/languages.json").read_text(encoding="utf-8"))
    coded = [row for row in rows if row.get("label") and (row.get("iso6391") or row.get("iso6393"))]
    # ISO 639-1 codes last, so that they win where two languages share a name.
    coded.sort(key=lambda row: (bool(row.get("iso6391")), row["wd"]))
    return {row["label"]: (row["wd"], row["label"]) for row in coded}


def official_languages(country: Country) -> tuple[list[Item], list[Fact]]:
    """The languages called official; nothing at all where one of them cannot be told for certain."""
    found = factbook.text(country.profile, "People and Society", "Languages") or factbook.text(
        country.profile, "People and Society", "Languages", "Languages"
    )
    if not found or country.iso in TOO_INVOLVED or not country.is_country:
        return [], []
    names: list[str] = []
    for part in re.split(r"[,;] (?![^(]*\))", found):
        if "official" not in part:
            continue
        match = _OFFICIAL.match(part.strip())
        if match is None or _NOT_NATIONAL.search(part):
            return [], []
        name = OTHER_NAMES.get(match["name"], match["name"])
        names += [] if name in names else [name]
    known = languages()
    if not names or any(name not in known for name in names):
        return [], []
    items = [Item(*known[name], source="wikidata_lang") for name in names]
    return items, [Fact(country.id, "P37", Ref(item.id), source=factbook.SOURCE) for item in items]
