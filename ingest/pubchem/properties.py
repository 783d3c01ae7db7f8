"""PUG REST's property tables as rows; pure functions from bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from ingest.http.body import BodyError, UnknownError, decode
from ingest.numbers import number
from ingest.rows import Row

# Property -> unit, as PubChem's documentation of the property table gives it; None for counts, texts and bare numbers.
PROPERTIES: Final[Mapping[str, str | None]] = {
    "Title": None,
    "MolecularFormula": None,
    "MolecularWeight": "g/mol",
    "SMILES": None,
    "InChIKey": None,
    "IUPACName": None,
    "XLogP": None,
    "ExactMass": "Da",
    "MonoisotopicMass": "Da",
    "TPSA": "Å²",
    "Complexity": None,
    "Charge": None,
    "HBondDonorCount": None,
    "HBondAcceptorCount": None,
    "RotatableBondCount": None,
    "HeavyAtomCount": None,
}
_PASSING: Final = frozenset({"PUGREST.ServerBusy", "PUGREST.Timeout", "PUGREST.ServerError", "PUGREST.Unknown"})


class CompoundProperty(Row, frozen=True):
    """One property of one compound. ``value_num`` is NULL where the property is a text such as a formula."""

    cid: int
    property: str
    value_text: str
    value_num: float | None
    unit: str | None


class _Table(msgspec.Struct):
    Properties: list[dict[str, msgspec.Raw]]


class _Fault(msgspec.Struct):
    Code: str
    Message: str = ""
    Details: list[str] = []


class _Body(msgspec.Struct):
    PropertyTable: _Table | None = None
    Fault: _Fault | None = None


def parse_properties(body: bytes, asked: Collection[int] | None = None) -> list[CompoundProperty]:
    """Rows of a property table, in its order; properties that a compound lacks are left out by PubChem, and here.

    A compound that PubChem does not know has no rows.

    Raises:
        UnknownError: PubChem knows none of the compounds.
        BodyError: a fault, no property table, or a compound that is not among those ``asked`` for.
    """
    found = decode(body, _Body)
    if found.Fault is not None:
        _raise_fault(found.Fault)
    if found.PropertyTable is None:
        raise BodyError("the answer was JSON, but no property table", again=False)
    rows = [row for compound in found.PropertyTable.Properties for row in _rows(compound)]
    strange = sorted({row.cid for row in rows} - set(asked)) if asked is not None else []
    if strange:
        raise BodyError(f"the answer was about CID {strange[0]}, which nobody asked for", again=False)
    return rows


def _rows(compound: Mapping[str, msgspec.Raw]) -> list[CompoundProperty]:
    rows = []
    cid = number(compound.get("CID"))
    if cid.text is None or not cid.text.isdecimal():
        raise BodyError("the answer was a property table with a compound without CID", again=False)
    for name, raw in compound.items():
        value = number(raw)
        if name != "CID" and value.text is not None:
            rows.append(CompoundProperty(int(cid.text), name, value.text, value.num, PROPERTIES.get(name)))
    return rows


def _raise_fault(fault: _Fault) -> None:
    said = ": ".join(part for part in (fault.Code, fault.Message, *fault.Details) if part)
    if fault.Code == "PUGREST.NotFound":
        raise UnknownError(f"the answer was the fault {said!r}")
    raise BodyError(f"the answer was the fault {said!r}", again=fault.Code in _PASSING)
