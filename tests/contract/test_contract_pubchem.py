"""Real PUG REST bodies."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.http.body import BodyError, UnknownError
from ingest.pubchem.properties import PROPERTIES, CompoundProperty, parse_properties


def test_aspirin(payloads: Path) -> None:
    rows = parse_properties((payloads / "pubchem/propertytable_aspirin.json").read_bytes())
    found = {row.property: row for row in rows}
    assert {row.cid for row in rows} == {2244}
    assert found["MolecularWeight"] == CompoundProperty(2244, "MolecularWeight", "180.16", 180.16, "g/mol")
    assert found["ExactMass"] == CompoundProperty(2244, "ExactMass", "180.04225873", 180.04225873, "Da")
    assert found["TPSA"] == CompoundProperty(2244, "TPSA", "63.6", 63.6, "Å²")
    assert found["XLogP"].value_num == 1.2
    assert found["MolecularFormula"] == CompoundProperty(2244, "MolecularFormula", "C9H8O4", None, None)
    assert found["IUPACName"].value_text == "2-acetyloxybenzoic acid"
    counts = ("HBondDonorCount", "HBondAcceptorCount", "RotatableBondCount", "HeavyAtomCount", "Charge", "Complexity")
    assert [found[name].value_num for name in counts] == [1, 4, 3, 13, 0, 212]
    assert set(PROPERTIES) - set(found) == {"Title"}, "the recorded request did not ask for titles"


def test_faults(payloads: Path) -> None:
    with pytest.raises(UnknownError, match="No CID found that matches the given name"):
        parse_properties((payloads / "pubchem/fault_notfound_name.json").read_bytes())
    with pytest.raises(BodyError, match=r"PUGREST\.ServerBusy: Too many requests or server too busy") as raised:
        parse_properties((payloads / "pubchem/fault_serverbusy.json").read_bytes())
    assert raised.value.again


def test_other_downloads_of_pubchem_are_refused_and_none_is_asked_again(payloads: Path) -> None:
    others = [
        path
        for path in sorted((payloads / "pubchem").glob("*.json"))
        if not path.name.startswith(("propertytable", "fault"))
    ]
    assert len(others) == 12
    for path in others:
        with pytest.raises(BodyError, match="the answer was JSON, but") as raised:
            parse_properties(path.read_bytes())
        assert not raised.value.again, path.name
