"""Entity and property ids and their IRIs: the one table that both the sample builder and the ingestors use.

An id is either Wikidata's own, bare (``Q142``, ``P17``, ``L7``), or ``<prefix>:<local>`` where the prefix names the
source that issued it (``geonames:2988507``). The IRI is always the source's own where it has one.

A property is Wikidata's (``P2046``) or, where Wikidata has none, its source's (``first:epss``).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ingest.errors import IngestError

WIKIDATA_ENTITY: Final = "http://www.wikidata.org/entity/"
WIKIDATA_STATEMENT: Final = "http://www.wikidata.org/entity/statement/"
SOURCE_IRI: Final = "urn:assay:source:"
WIKIDATA_CLAIM: Final = "http://www.wikidata.org/prop/"
SOURCED_PROPERTY: Final = "urn:assay:prop:"

# prefix -> IRI with the local part in place of {}; keep it sorted.
CURIES: Final[dict[str, str]] = {
    "cik": "https://www.sec.gov/cgi-bin/browse-edgar?CIK={}",
    "cpe": "urn:cpe:{}",
    "cve": "https://www.cve.org/CVERecord?id={}",
    "cwe": "https://cwe.mitre.org/data/definitions/{}.html",
    "factbook": "urn:cia-world-factbook:{}",
    "geonames": "https://sws.geonames.org/{}/",
    "hip": "urn:hipparcos:{}",
    "iau": "urn:iau:constellation:{}",
    "icao": "urn:icao:{}",
    "isin": "urn:isin:{}",
    "iso15924": "urn:iso:std:iso:15924:{}",
    "iso3166": "urn:iso:std:iso:3166:{}",
    "iso4217": "urn:iso:std:iso:4217:{}",
    "iso639": "urn:iso:std:iso:639:-3:{}",
    "mendeleev": "urn:mendeleev:{}",
    "pdg": "urn:pdg:{}",
    "pubchem": "http://rdf.ncbi.nlm.nih.gov/pubchem/compound/CID{}",
    "typed": "urn:assay:typed:{}",
    "tz": "urn:tz:{}",
    "uniprot": "http://purl.uniprot.org/uniprot/{}",
}

# Sources whose own properties are used where Wikidata has none: FIRST (CVSS, EPSS), CISA (known exploited
# vulnerabilities), the SEC, and the databases that are called so.
PROPERTY_SOURCES: Final = ("chembl", "cisa", "first", "nvd", "pubchem", "rcsb", "sec", "uniprot")

_WIKIDATA_ID: Final = re.compile(r"[QPE][1-9][0-9]*|M[1-9][0-9]*|L[1-9][0-9]*(?:-[FS][1-9][0-9]*)?")
_LOCAL: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._~/:-]|%[0-9A-Fa-f]{2})*")
_PROPERTY: Final = re.compile(rf"P[1-9][0-9]*|(?:{'|'.join(PROPERTY_SOURCES)}):[a-z0-9]+(?:-[a-z0-9]+)*")
_AFFIXES: Final = tuple((prefix, *template.split("{}")) for prefix, template in CURIES.items())


class BadEntityIdError(IngestError, ValueError):
    """The text is no entity id: neither Wikidata's nor one with a prefix of :data:`CURIES`."""


def is_wikidata_id(entity_id: str) -> bool:
    """True for Wikidata's own ids: items, properties, lexemes (forms and senses too), media and schemas."""
    return _WIKIDATA_ID.fullmatch(entity_id) is not None


@lru_cache(maxsize=65536)
def to_iri(entity_id: str) -> str:
    """The IRI of an entity id, e.g. ``Q142`` -> ``http://www.wikidata.org/entity/Q142``.

    Raises:
        BadEntityIdError: unknown prefix, or characters that an IRI cannot hold unescaped.
    """
    if _WIKIDATA_ID.fullmatch(entity_id):
        return WIKIDATA_ENTITY + entity_id
    prefix, colon, local = entity_id.partition(":")
    template = CURIES.get(prefix)
    if not colon or template is None:
        known = ", ".join(CURIES)
        raise BadEntityIdError(
            f"{entity_id!r} is no entity id: write a Wikidata id such as Q142, or <prefix>:<local> with one of {known}."
        )
    if not _LOCAL.fullmatch(local):
        raise BadEntityIdError(f"Entity id {entity_id!r} may hold letters, digits, ._~/:- and %41 after its prefix.")
    return template.format(local)


@lru_cache(maxsize=65536)
def to_id(iri: str) -> str | None:
    """The entity id of an IRI, or None when the IRI names no entity (a web page, a file, a statement node)."""
    if iri.startswith(WIKIDATA_ENTITY):
        local = iri[len(WIKIDATA_ENTITY) :]
        return local if _WIKIDATA_ID.fullmatch(local) else None
    for prefix, head, tail in _AFFIXES:
        if iri.startswith(head) and iri.endswith(tail):
            local = iri[len(head) : len(iri) - len(tail)]
            if _LOCAL.fullmatch(local):
                return f"{prefix}:{local}"
    return None


def is_property_id(property_id: str) -> bool:
    """True for Wikidata's properties (``P2046``) and for those of a source (``first:epss``)."""
    return _PROPERTY.fullmatch(property_id) is not None


def property_iri(role: str, property_id: str) -> str:
    """The IRI of a source's own property in one of the roles of Wikidata's RDF: ``p`` leads to the statement, ``ps``
    and ``psv`` from there to its value and its value node, ``wdt`` straight to the best value.

    ``ps``, ``first:epss`` -> ``urn:assay:prop:ps:first:epss``

    Raises:
        BadEntityIdError: no property, or one of Wikidata's, which the usual prefixes name.
    """
    if not is_property_id(property_id) or is_wikidata_id(property_id):
        raise BadEntityIdError(f"{property_id!r} is no property of {', '.join(PROPERTY_SOURCES)}, such as first:epss.")
    return f"{SOURCED_PROPERTY}{role}:{property_id}"


@lru_cache(maxsize=4096)
def claimed_property(iri: str) -> str:
    """The property that leads from an entity to a statement: ``http://www.wikidata.org/prop/P2046`` -> ``P2046``.

    Raises:
        BadEntityIdError: the IRI is that of no property in this role.
    """
    for base in (WIKIDATA_CLAIM, f"{SOURCED_PROPERTY}p:"):
        if iri.startswith(base) and is_property_id(iri[len(base) :]):
            return iri[len(base) :]
    raise BadEntityIdError(f"<{iri}> leads to no statement: p:P31 and {SOURCED_PROPERTY}p:first:epss are ones that do.")


def statement_id(iri: str) -> str:
    """The id of a statement node: the local name under ``wds:``, Wikidata's ``Q42-F078E5B3-...``.

    Entity JSON writes the same id with ``$`` in place of the first ``-``; the RDF form is the canonical one here.
    """
    return iri[len(WIKIDATA_STATEMENT) :] if iri.startswith(WIKIDATA_STATEMENT) else iri
