"""Real bodies of ChEMBL's web services."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.chembl.molecules import MoleculeProperty, parse_molecule
from ingest.http.body import BodyError


@pytest.mark.parametrize(
    ("name", "logp", "psa"),
    [("CHEMBL25Attributes.json", "1.40", "63.60"), ("Compounds_CHEMBL25wsResponse.json", "1.4", "63.6")],
)
def test_aspirin_with_the_digits_of_each_recording(name: str, logp: str, psa: str, payloads: Path) -> None:
    (molecule,), rows = parse_molecule((payloads / "chembl" / name).read_bytes(), "CHEMBL25")
    assert (molecule.name, molecule.molecule_type, molecule.first_approval_year) == ("ASPIRIN", "Small molecule", 1950)
    assert (molecule.max_phase_text, molecule.max_phase, molecule.chebi_id) == ("4", 4.0, 15365)
    assert (molecule.smiles, molecule.inchikey) == ("CC(=O)Oc1ccccc1C(=O)O", "BSYNRYMUTXBXSQ-UHFFFAOYSA-N")
    found = {row.property: row for row in rows}
    assert found["full_mwt"] == MoleculeProperty("CHEMBL25", "full_mwt", "180.16", 180.16, "g/mol")
    assert found["mw_monoisotopic"] == MoleculeProperty("CHEMBL25", "mw_monoisotopic", "180.0423", 180.0423, "Da")
    assert (found["cx_logp"].value_text, found["cx_logp"].value_num) == (logp, 1.4)
    assert found["psa"] == MoleculeProperty("CHEMBL25", "psa", psa, 63.6, "Å²")
    assert (found["hba"].value_num, found["full_molformula"].value_num) == (4.0, None)
    assert "cx_most_bpka" not in found


@pytest.mark.parametrize(
    ("recorded", "kind", "name", "phase", "sequences"),
    [
        ("CHEMBL1201644protein", "Protein", "INSULIN ZINC SUSP RECOMBINANT HUMAN", 4.0, 1),
        ("CHEMBL2107858Enzyme", "Enzyme", "MYELOPEROXIDASE", 0.0, 0),
        ("CHEMBL2108122Oligosaccharidge", "Oligosaccharide", "PENTASTARCH", 4.0, 0),
        ("CHEMBL2109133Unknown", "Unknown", "MAGNESIUM SILICATE", 0.0, 0),
        ("CHEMBL2109414Antibody", "Antibody", "IMGN-853", 1.0, 0),
        ("CHEMBL3545182Oligonucleotide", "Oligonucleotide", "GATAPARSEN", 0.0, 0),
    ],
)
def test_molecules_without_structure(
    recorded: str, kind: str, name: str, phase: float, sequences: int, payloads: Path
) -> None:
    (molecule,), rows = parse_molecule((payloads / f"chembl/Compounds_{recorded}wsResponse.json").read_bytes())
    assert (molecule.molecule_type, molecule.name, molecule.max_phase) == (kind, name, phase)
    assert (molecule.smiles, molecule.inchi, molecule.inchikey, rows) == (None, None, None, [])
    assert len(molecule.sequences) == sequences


def test_molecules_of_a_page(payloads: Path) -> None:
    page = json.loads((payloads / "chembl/SimilarityResultsSampleResponsePage1.json").read_bytes())
    parsed = [parse_molecule(json.dumps(molecule).encode()) for molecule in page["molecules"]]
    assert len(parsed) == 20
    assert (parsed[0].molecules[0].chembl_id, parsed[0].molecules[0].name) == ("CHEMBL17", "DICHLORPHENAMIDE")
    weights = {row.chembl_id: row for _, rows in parsed for row in rows if row.property == "full_mwt"}
    assert len(weights) == 20
    assert (weights["CHEMBL17"].value_text, weights["CHEMBL17"].value_num) == ("305.16", 305.16)


def test_every_other_body_of_chembl_is_refused(payloads: Path) -> None:
    read = {"CHEMBL25Attributes.json"}
    others = [
        path
        for path in sorted((payloads / "chembl").glob("*.json"))
        if path.name not in read and not (path.name.startswith("Compounds_") and path.name.endswith("wsResponse.json"))
    ]
    assert len(others) == 27
    for path in others:
        with pytest.raises(BodyError, match="the answer was JSON, but not what was asked for"):
            parse_molecule(path.read_bytes())
