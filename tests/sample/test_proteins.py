"""Proteins: sizes fit each other, and some are known by heart."""

from __future__ import annotations

import re

import pytest

from ingest.sample.build.typed_table import read_table
from tests.sample.stated import names, statements, values

ROWS = {row["accession"]: row for row in read_table("proteins")}
# An average residue in a folded protein weighs 110 Da; collagen's glycines weigh least, and nothing here is heavier.
LIGHTEST, HEAVIEST = 94, 125
# UniProt's own pattern for an accession.
ACCESSION = re.compile(r"[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9]([A-Z][A-Z0-9]{2}[0-9]){1,2}")


def test_there_are_proteins_of_many_species_each_with_its_own_name() -> None:
    assert len(ROWS) == len({row["name"] for row in ROWS.values()}) >= 200
    assert len({row["organism"] for row in ROWS.values()}) >= 15
    assert all(ACCESSION.fullmatch(accession) for accession in ROWS)


@pytest.mark.parametrize("row", [row for row in ROWS.values() if row["mass"]], ids=lambda row: row["accession"])
def test_a_mass_fits_the_length(row: dict[str, str]) -> None:
    assert LIGHTEST < float(row["mass"]) / int(row["length"]) < HEAVIEST


@pytest.mark.parametrize("row", [row for row in ROWS.values() if row["ec"]], ids=lambda row: row["accession"])
def test_an_ec_number_has_four_parts(row: dict[str, str]) -> None:
    assert re.fullmatch(r"[1-7](\.([1-9][0-9]*|-)){3}", row["ec"])


def test_human_genes_and_no_others_have_a_chromosome() -> None:
    for row in ROWS.values():
        assert bool(row["chromosome"]) == (row["organism"] == "Homo sapiens"), row
        assert not row["chromosome"] or re.fullmatch(r"[1-9]|1[0-9]|2[0-2]|X", row["chromosome"]), row


# From the sequences: residues by their average masses, and a water.
MASSES = {
    "A": 71.0788, "R": 156.1875, "N": 114.1038, "D": 115.0886, "C": 103.1388, "E": 129.1155, "Q": 128.1307,
    "G": 57.0519, "H": 137.1411, "I": 113.1594, "L": 113.1594, "K": 128.1741, "M": 131.1926, "F": 147.1766,
    "P": 97.1167, "S": 87.0782, "T": 101.1051, "W": 186.2132, "Y": 163.1760, "V": 99.1326,
}  # fmt: skip
UBIQUITIN = "MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLEDGRTLSDYNIQKESTLHLVLRLRGG"
SEQUENCES = {
    "P01308": (
        "MALWMRLLPLLALLALWGPDPAAAFVNQHLCGSHLVEALYLVCGERGFFYTPKTRREAEDLQVGQVELGGGPGAGSLQPLALEGSLQKRGIVEQCCTSICSLYQLENYCN"
    ),
    "P99999": (
        "MGDVEKGKKIFIMKCSQCHTVEKGGKHKTGPNLHGLFGRKTGQAPGYSYTAANKNKGIIWGEDTLMEYLENPKKYIPGTKMIFVGIKKKEERADLIAYLKKATNE"
    ),
    "P0CG47": 3 * UBIQUITIN + "C",
    "P10599": (
        "MVKQIESKTAFQEALDAAGDKLVVVDFSATWCGPCKMIKPFFHSLSEKYSNVIFLEVDVDDCQDVASECEVKCMPTFQFFKKGQKVGEFSGANKEKLEATINELV"
    ),
}


@pytest.mark.parametrize("accession", sorted(SEQUENCES))
def test_length_and_mass_are_those_of_the_sequence(accession: str) -> None:
    sequence = SEQUENCES[accession]
    mass = sum(MASSES[residue] for residue in sequence) + 18.0153
    assert values("proteins", f"uniprot:{accession}", "P2067") == [str(round(mass))]
    assert values("proteins", f"uniprot:{accession}", "uniprot:length") == [str(len(sequence))]


def test_insulin_as_stated() -> None:
    insulin = "uniprot:P01308"
    (mass,) = statements("proteins", insulin, "P2067")
    assert (mass.value, mass.unit) == ("11981", "Q483261")
    (gene,) = values("proteins", insulin, "P702")
    assert names("proteins")[gene] == ["INS"]
    assert values("proteins", gene, "P1057") == ["typed:chromosome/human-chromosome-11"]
    assert values("proteins", insulin, "P31") == ["typed:class/hormone"]
    assert values("proteins", "typed:class/hormone", "P279") == ["Q8054"]


def test_an_enzyme_is_tied_to_an_element_and_a_compound_of_the_sample() -> None:
    assert values("proteins", "uniprot:P00918", "uniprot:cofactor") == ["mendeleev:Zn"]
    assert values("proteins", "uniprot:P00918", "uniprot:substrate") == ["pubchem:280"]
    assert names("chemical_compounds")["pubchem:280"] == ["carbon dioxide"]
