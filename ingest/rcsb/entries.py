"""Entries of the PDB as rows; pure functions from bytes."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from ingest.http.body import BodyError, decode
from ingest.numbers import ABSENT, Number, number
from ingest.rows import Row

# Values of rcsb_entry_info -> unit, as the schema of the data API documents them; None for counts.
INFO: Final[Mapping[str, str | None]] = {
    "molecular_weight": "kDa",
    "polymer_molecular_weight_maximum": "kDa",
    "polymer_molecular_weight_minimum": "kDa",
    "resolution_combined": "Å",
    "assembly_count": None,
    "deposited_atom_count": None,
    "deposited_model_count": None,
    "deposited_modeled_polymer_monomer_count": None,
    "deposited_polymer_monomer_count": None,
    "deposited_solvent_atom_count": None,
    "disulfide_bond_count": None,
    "entity_count": None,
    "nonpolymer_entity_count": None,
    "polymer_entity_count": None,
    "polymer_entity_count_nucleic_acid": None,
    "polymer_entity_count_protein": None,
}
_CELL: Final[Mapping[str, str]] = {
    "length_a": "Å",
    "length_b": "Å",
    "length_c": "Å",
    "angle_alpha": "°",
    "angle_beta": "°",
    "angle_gamma": "°",
}
_DATE: Final = re.compile(r"(\d{4}-\d{2}-\d{2})(T.*)?", re.ASCII)


class PdbEntry(Row, frozen=True):
    """One entry. ``methods`` has several where the structure was determined in several ways.

    The molecular mass among the values leaves the solvent out; an entry by NMR has no resolution and no cell.
    """

    entry_id: str
    title: str | None
    keywords: str | None
    methods: tuple[str, ...]
    status: str | None
    deposited_on: datetime.date | None
    released_on: datetime.date | None
    revised_on: datetime.date | None
    major_revision: int | None
    minor_revision: int | None
    space_group: str | None
    pubmed_id: int | None


class PdbValue(Row, frozen=True):
    """One number of one entry; ``position`` counts from 1 where there are several, as resolutions by method."""

    entry_id: str
    property: str
    position: int
    value_text: str
    value_num: float | None
    unit: str | None


class Parsed(NamedTuple):
    """Rows of one answer."""

    entries: list[PdbEntry]
    values: list[PdbValue]


class _Struct(msgspec.Struct):
    title: str | None = None


class _Keywords(msgspec.Struct):
    pdbx_keywords: str | None = None


class _Experiment(msgspec.Struct):
    method: str | None = None


class _Accession(msgspec.Struct):
    status_code: str | None = None
    deposit_date: str | None = None
    initial_release_date: str | None = None
    revision_date: str | None = None
    major_revision: int | None = None
    minor_revision: int | None = None


class _Symmetry(msgspec.Struct):
    space_group: str | None = msgspec.field(default=None, name="space_group_name_hm")
    space_group_of_old: str | None = msgspec.field(default=None, name="space_group_name_H_M")


class _Identifiers(msgspec.Struct):
    pubmed_id: int | None = None


class _Entry(msgspec.Struct):
    rcsb_id: str
    rcsb_entry_info: dict[str, msgspec.Raw]
    rcsb_accession_info: _Accession
    struct: _Struct | None = None
    struct_keywords: _Keywords | None = None
    exptl: list[_Experiment] = []
    cell: dict[str, msgspec.Raw] | None = None
    symmetry: _Symmetry | None = None
    rcsb_entry_container_identifiers: _Identifiers | None = None


def parse_entry(body: bytes, asked: str | None = None) -> Parsed:
    """Rows of one entry. Raises BodyError where it is none, or not the one ``asked`` for."""
    entry = decode(body, _Entry)
    if asked is not None and entry.rcsb_id != asked:
        raise BodyError(f"the answer was the entry {entry.rcsb_id}, not {asked}", again=False)
    accession, symmetry = entry.rcsb_accession_info, entry.symmetry or _Symmetry()
    identifiers = entry.rcsb_entry_container_identifiers or _Identifiers()
    row = PdbEntry(
        entry_id=entry.rcsb_id,
        title=entry.struct.title if entry.struct else None,
        keywords=entry.struct_keywords.pdbx_keywords if entry.struct_keywords else None,
        methods=tuple(experiment.method for experiment in entry.exptl if experiment.method),
        status=accession.status_code,
        deposited_on=_date(accession.deposit_date),
        released_on=_date(accession.initial_release_date),
        revised_on=_date(accession.revision_date),
        major_revision=accession.major_revision,
        minor_revision=accession.minor_revision,
        space_group=symmetry.space_group or symmetry.space_group_of_old,
        pubmed_id=identifiers.pubmed_id,
    )
    return Parsed([row], list(_values(entry)))


def _values(entry: _Entry) -> Iterator[PdbValue]:
    for held, known, prefix in ((entry.rcsb_entry_info, INFO, ""), (entry.cell or {}, _CELL, "cell_")):
        for name, unit in known.items():
            for position, value in enumerate(_numbers(held.get(name, ABSENT)), 1):
                if value.text is not None:
                    yield PdbValue(entry.rcsb_id, prefix + name, position, value.text, value.num, unit)


def _numbers(raw: msgspec.Raw) -> list[Number]:
    """One number, or each of a list."""
    if bytes(raw).lstrip().startswith(b"["):
        return [number(one) for one in msgspec.json.decode(raw, type=list[msgspec.Raw])]
    return [number(raw)]


def _date(text: str | None) -> datetime.date | None:
    """The day of a time stamp such as 1984-07-17T00:00:00.000+00:00; it is the day alone that the PDB means."""
    if text is None:
        return None
    match = _DATE.fullmatch(text)
    try:
        return datetime.date.fromisoformat(match.group(1)) if match else None
    except ValueError:
        return None
