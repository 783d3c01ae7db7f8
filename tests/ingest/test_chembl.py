"""ChEMBL: molecules with and without structure, over HTTP, landed."""

import json
from pathlib import Path
from typing import Any

import pytest
from api_server import SNAPSHOT, ApiServer, Asking, files, landed_rows

from ingest.chembl.client import SERVICE, ChemblClient
from ingest.chembl.land import land
from ingest.chembl.molecules import Molecule, MoleculeProperty, parse_molecule
from ingest.errors import ServiceError
from ingest.http.body import BodyError
from ingest.land_rows import LandingReport

SMALL: dict[str, Any] = {
    "molecule_chembl_id": "CHEMBL1",
    "pref_name": "TESTAMINE",
    "molecule_type": "Small molecule",
    "structure_type": "MOL",
    "molecule_hierarchy": {"parent_chembl_id": "CHEMBL7"},
    "max_phase": "4.0",
    "first_approval": 1950,
    "withdrawn_flag": False,
    "chebi_par_id": 15365,
    "biotherapeutic": None,
    "molecule_structures": {"canonical_smiles": "CN", "standard_inchi": "InChI=1S/x", "standard_inchi_key": "ABC"},
    "molecule_properties": {"full_mwt": "180.160", "alogp": "-1.20", "hba": 4, "cx_most_bpka": None, "ro3_pass": "N"},
}
ANTIBODY: dict[str, Any] = {
    "molecule_chembl_id": "CHEMBL2",
    "molecule_type": "Antibody",
    "structure_type": "SEQ",
    "molecule_hierarchy": None,
    "max_phase": 0.5,
    "biotherapeutic": {"biocomponents": [{"sequence": "EVQ"}, {"sequence": None}]},
    "molecule_structures": None,
    "molecule_properties": None,
}


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


def landed(server: ApiServer, landing: Path, chembl_ids: list[str]) -> LandingReport:
    with Asking(server, SERVICE) as http:
        return land(ChemblClient(http), chembl_ids, landing, SNAPSHOT)


def test_a_small_molecule() -> None:
    molecules, properties = parse_molecule(body(SMALL), "CHEMBL1")
    assert molecules == [
        Molecule(
            chembl_id="CHEMBL1",
            name="TESTAMINE",
            molecule_type="Small molecule",
            structure_type="MOL",
            parent_chembl_id="CHEMBL7",
            max_phase_text="4.0",
            max_phase=4.0,
            first_approval_year=1950,
            is_withdrawn=False,
            chebi_id=15365,
            smiles="CN",
            inchi="InChI=1S/x",
            inchikey="ABC",
            sequences=(),
        )
    ]
    assert properties == [
        MoleculeProperty("CHEMBL1", "full_mwt", "180.160", 180.16, "g/mol"),
        MoleculeProperty("CHEMBL1", "alogp", "-1.20", -1.2, None),
        MoleculeProperty("CHEMBL1", "hba", "4", 4.0, None),
        MoleculeProperty("CHEMBL1", "ro3_pass", "N", None, None),
    ]


def test_a_biologic_has_no_structure_and_is_a_molecule_all_the_same() -> None:
    ((molecule,), properties) = parse_molecule(body(ANTIBODY))
    assert (molecule.smiles, molecule.inchi, molecule.inchikey) == (None, None, None)
    assert (molecule.sequences, molecule.max_phase_text, molecule.max_phase) == (("EVQ",), "0.5", 0.5)
    assert (molecule.is_withdrawn, molecule.parent_chembl_id, properties) == (None, None, [])


@pytest.mark.parametrize("absent", ["molecule_chembl_id", "molecule_structures", "molecule_properties"])
def test_what_lacks_a_molecules_parts_is_refused(absent: str) -> None:
    with pytest.raises(BodyError, match="not what was asked for"):
        parse_molecule(body({name: value for name, value in SMALL.items() if name != absent}))


def test_another_molecule_than_asked_for_is_refused() -> None:
    with pytest.raises(BodyError, match="the answer was the molecule CHEMBL1, not CHEMBL2"):
        parse_molecule(body(SMALL), "CHEMBL2")


def test_molecules_are_landed_once(server: ApiServer, tmp_path: Path) -> None:
    server.pages["/chembl/api/data/molecule/CHEMBL1.json"] = body(SMALL)
    server.pages["/chembl/api/data/molecule/CHEMBL2.json"] = body(ANTIBODY)
    report = landed(server, tmp_path, ["CHEMBL2", "CHEMBL1", "CHEMBL3"])
    assert (report.unknown, report.rows) == (["CHEMBL3"], {"molecules": 2, "properties": 4})
    rows = {row["chembl_id"]: row for row in landed_rows(tmp_path, "chembl", "molecules")}
    assert rows["CHEMBL2"]["smiles"] is None
    assert rows["CHEMBL1"]["source_url"] == f"{server.home}/chembl/api/data/molecule/CHEMBL1.json"
    before = files(tmp_path)
    assert landed(server, tmp_path, ["CHEMBL1", "CHEMBL2", "CHEMBL3"]).files_landed == 0
    assert files(tmp_path) == before
    assert server.requests == 3


@pytest.mark.parametrize("chembl_id", ["", "25", "chembl25", "CHEMBL0", "CHEMBL25/x"])
def test_what_is_no_chembl_id_is_not_asked(chembl_id: str, server: ApiServer, tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="is no ChEMBL id; write one such as CHEMBL25"):
        landed(server, tmp_path, [chembl_id])
    assert server.requests == 0
