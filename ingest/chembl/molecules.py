"""ChEMBL's molecules as rows; pure functions from bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from ingest.http.body import BodyError, decode
from ingest.numbers import ABSENT, number
from ingest.rows import Row

# Property -> unit, as ChEMBL's schema documentation gives it; properties not listed are counts, texts or bare numbers.
UNITS: Final[Mapping[str, str]] = {
    "full_mwt": "g/mol",
    "mw_freebase": "g/mol",
    "mw_monoisotopic": "Da",
    "psa": "Å²",
}


class Molecule(Row, frozen=True):
    """One molecule. Structures are NULL for biologics and mixtures, which have none.

    ``max_phase`` is the highest clinical phase reached: 4 is approved, 0.5 early phase 1, -1 unknown.
    """

    chembl_id: str
    name: str | None
    molecule_type: str | None
    structure_type: str | None
    parent_chembl_id: str | None
    max_phase_text: str | None
    max_phase: float | None
    first_approval_year: int | None
    is_withdrawn: bool | None
    chebi_id: int | None
    smiles: str | None
    inchi: str | None
    inchikey: str | None
    sequences: tuple[str, ...]


class MoleculeProperty(Row, frozen=True):
    """One calculated property of one molecule. ``value_num`` is NULL where it is a text such as a formula."""

    chembl_id: str
    property: str
    value_text: str
    value_num: float | None
    unit: str | None


class Parsed(NamedTuple):
    """Rows of one answer."""

    molecules: list[Molecule]
    properties: list[MoleculeProperty]


class _Structures(msgspec.Struct):
    canonical_smiles: str | None = None
    standard_inchi: str | None = None
    standard_inchi_key: str | None = None


class _Hierarchy(msgspec.Struct):
    parent_chembl_id: str | None = None


class _Component(msgspec.Struct):
    sequence: str | None = None


class _Biotherapeutic(msgspec.Struct):
    biocomponents: list[_Component] | None = None


class _Molecule(msgspec.Struct):
    molecule_chembl_id: str
    # Required, if null for biologics: what lacks it is some other record of ChEMBL.
    molecule_structures: _Structures | None
    molecule_properties: dict[str, msgspec.Raw] | None
    molecule_type: str | None
    pref_name: str | None = None
    structure_type: str | None = None
    molecule_hierarchy: _Hierarchy | None = None
    max_phase: msgspec.Raw = ABSENT
    first_approval: int | None = None
    withdrawn_flag: bool | int | None = None
    chebi_par_id: int | None = None
    biotherapeutic: _Biotherapeutic | None = None


def parse_molecule(body: bytes, asked: str | None = None) -> Parsed:
    """Rows of one molecule. Raises BodyError where it is none, or not the one ``asked`` for."""
    molecule = decode(body, _Molecule)
    if asked is not None and molecule.molecule_chembl_id != asked:
        raise BodyError(f"the answer was the molecule {molecule.molecule_chembl_id}, not {asked}", again=False)
    return Parsed([_row(molecule)], _properties(molecule))


def _row(molecule: _Molecule) -> Molecule:
    structures = molecule.molecule_structures or _Structures()
    hierarchy = molecule.molecule_hierarchy or _Hierarchy()
    components = molecule.biotherapeutic.biocomponents if molecule.biotherapeutic else None
    phase = number(molecule.max_phase)
    return Molecule(
        chembl_id=molecule.molecule_chembl_id,
        name=molecule.pref_name,
        molecule_type=molecule.molecule_type,
        structure_type=molecule.structure_type,
        parent_chembl_id=hierarchy.parent_chembl_id,
        max_phase_text=phase.text,
        max_phase=phase.num,
        first_approval_year=molecule.first_approval,
        is_withdrawn=None if molecule.withdrawn_flag is None else bool(molecule.withdrawn_flag),
        chebi_id=molecule.chebi_par_id,
        smiles=structures.canonical_smiles,
        inchi=structures.standard_inchi,
        inchikey=structures.standard_inchi_key,
        sequences=tuple(component.sequence for component in components or () if component.sequence),
    )


def _properties(molecule: _Molecule) -> list[MoleculeProperty]:
    rows = []
    for name, raw in (molecule.molecule_properties or {}).items():
        value = number(raw)
        if value.text is not None:
            rows.append(MoleculeProperty(molecule.molecule_chembl_id, name, value.text, value.num, UNITS.get(name)))
    return rows
