"""Proteins by their UniProt accession: organism, gene, size, function, place in the cell, cofactors, disease, drugs.

Length and mass are those of the whole sequence as translated, before anything is cut off: read off a reply of
UniProt's API, computed from a sequence that a package carries, or typed, as the column `read` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingest.sample.build.model import Fact, Item, Quantity, Ref, Text, Value
from ingest.sample.build.typed_table import Names, cells, read_table, typed_id

PROTEIN: Final = "Q8054"
GENE: Final = "Q7187"
DALTON: Final = "Q483261"
HUMAN: Final = "Homo sapiens"
UNIPROT_PAGE: Final = "https://www.uniprot.org/uniprotkb/{}/entry"
SOURCES_READ: Final = {"api": "uniprot", "package": "uniprot", "typed": "typed"}
COUNTS: Final = {"disulfides": "uniprot:disulfide-bonds", "subunits": "uniprot:subunits"}
# Substrates that the sample's compounds have.
SUBSTRATES: Final = {
    "acetaldehyde": "pubchem:177",
    "carbon dioxide": "pubchem:280",
    "ethanol": "pubchem:702",
    "hydrogen peroxide": "pubchem:784",
}


def build() -> tuple[list[Item], list[Fact]]:
    """The proteins of typed/proteins.csv and what they refer to.

    Raises KeyError for a drug that is not in typed/drugs.csv, or a substrate that is not among the sample's compounds.
    """
    names = Names()
    names.add(Item(PROTEIN, "protein"))
    names.add(Item(GENE, "gene"))
    drugs = {row["name"]: _drug(row) for row in read_table("drugs")}
    facts: list[Fact] = []
    functions = set()
    for row in read_table("proteins"):
        function = names.typed("class", row["function"]).id
        functions.add(function)
        names.add(Item(protein_id(row["accession"]), row["name"], classes=(function,)))
        facts += _size(row)
        facts += _nature(row, names)
        facts += _gene(row, names)
        facts += _partners(row, names, drugs)
    return names.items(), facts + [Fact(one, "P279", Ref(PROTEIN)) for one in sorted(functions)]


def protein_id(accession: str) -> str:
    """`P01308` -> `uniprot:P01308`."""
    return f"uniprot:{accession}"


def _drug(row: dict[str, str]) -> Item:
    return Item(f"pubchem:{row['pubchem']}" if row["pubchem"] else typed_id("drug", row["name"]), row["name"])


def _fact(row: dict[str, str], prop: str, value: Value, source: str = "typed") -> Fact:
    page = UNIPROT_PAGE.format(row["accession"])
    return Fact(protein_id(row["accession"]), prop, value, source=source, url=page)


def _size(row: dict[str, str]) -> Iterator[Fact]:
    source = SOURCES_READ[row["read"]]
    yield _fact(row, "uniprot:length", Quantity(row["length"]), source)
    if row["mass"]:
        yield _fact(row, "P2067", Quantity(row["mass"], DALTON), source)


def _nature(row: dict[str, str], names: Names) -> Iterator[Fact]:
    yield _fact(row, "P352", Text(row["accession"]))
    yield _fact(row, "P703", names.typed("organism", row["organism"]))
    if row["component"]:
        yield _fact(row, "P681", names.typed("component", row["component"]))
    if row["ec"]:
        yield _fact(row, "P591", Text(row["ec"]))
    for column, prop in COUNTS.items():
        if row[column]:
            yield _fact(row, prop, Quantity(row[column]))


def _gene(row: dict[str, str], names: Names) -> Iterator[Fact]:
    """A gene's name is its species' own, so that one of another species says which."""
    if not row["gene"]:
        return
    label = row["gene"] if row["organism"] == HUMAN else f"{row['gene']} of {row['organism']}"
    gene = names.add(Item(typed_id("gene", label), label, classes=(GENE,)))
    yield _fact(row, "P702", gene)
    if row["chromosome"]:
        chromosome = names.typed("chromosome", f"human chromosome {row['chromosome']}")
        yield Fact(gene.id, "P1057", chromosome, url=UNIPROT_PAGE.format(row["accession"]))


def _partners(row: dict[str, str], names: Names, drugs: dict[str, Item]) -> Iterator[Fact]:
    yield from (_fact(row, "uniprot:cofactor", Ref(f"mendeleev:{symbol}")) for symbol in cells(row["metals"]))
    yield from (_fact(row, "P2293", names.typed("disease", disease)) for disease in cells(row["disease"]))
    yield from (_fact(row, "P129", names.add(drugs[drug])) for drug in cells(row["drugs"]))
    yield from (_fact(row, "uniprot:substrate", Ref(SUBSTRATES[name])) for name in cells(row["substrates"]))
