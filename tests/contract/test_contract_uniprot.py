"""Real UniProtKB bodies."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ingest.http.body import BodyError
from ingest.uniprot.entries import Entry, parse_entry


def test_the_amyloid_precursor_protein(payloads: Path) -> None:
    body = (payloads / "uniprot/swissprotEntry.json").read_bytes()
    (entry,), features = parse_entry(body, "P05067")
    assert (entry.entry_kind, entry.entry_name, entry.gene_name) == ("reviewed", "A4_HUMAN", "APP")
    assert (entry.protein_name, entry.organism) == ("Amyloid-beta precursor protein", "Homo sapiens")
    assert (entry.length_text, entry.mass_da_text, entry.mass_da) == ("770", "86943", 86943.0)
    assert len(entry.sequence or "") == 770
    assert entry.is_precursor
    assert (entry.entry_version, entry.sequence_version, str(entry.annotated_on)) == (319, 3, "2026-06-10")
    assert Counter(row.feature_kind for row in features) == {
        "Chain": 13,
        "Disulfide bond": 9,
        "Peptide": 2,
        "Signal": 1,
    }
    signal = next(row for row in features if row.feature_kind == "Signal")
    assert (signal.start_position, signal.end_position) == (1, 17)
    merged, _ = parse_entry(body, "P09000").entries
    assert merged == Entry("P09000", "merged", ("P05067",), "MERGED")


def test_an_unreviewed_entry(payloads: Path) -> None:
    (entry,), features = parse_entry((payloads / "uniprot/A8Y1C3UniprotkbApi.json").read_bytes(), "A8Y1C3")
    assert (entry.entry_kind, entry.protein_name, entry.gene_name) == ("unreviewed", "Protein CBG22016", "CBG22016")
    assert (entry.length, entry.mass_da, entry.taxon_id) == (327, 38657, 6238)
    assert [(row.feature_kind, row.start_position, row.end_position) for row in features] == [
        ("Signal", 1, 19),
        ("Chain", 20, 327),
    ]


def test_a_deleted_accession(payloads: Path) -> None:
    (entry,), _ = parse_entry((payloads / "uniprot/deletedEntryModelData.json").read_bytes(), "I8FBX0")
    assert entry == Entry("I8FBX0", "deleted", (), "DELETED")


def test_entries_of_a_page_of_search_results(payloads: Path) -> None:
    page = json.loads((payloads / "uniprot/results.json").read_bytes())
    parsed = [parse_entry(json.dumps(entry).encode()) for entry in page["results"]]
    entries = [entry for entries, _ in parsed for entry in entries]
    assert [(entry.accession, entry.length, entry.mass_da) for entry in entries[:1]] == [("P13866", 664, 73498)]
    assert len(entries) == 2
    assert all(len(entry.sequence or "") == entry.length for entry in entries)
    assert [row.feature_kind for row in parsed[0][1]].count("Disulfide bond") == 5


@pytest.mark.parametrize(
    "name",
    [
        "diseasesModelData.json",
        "entryPublicationsData.json",
        "keywordsModelData.json",
        "uniParcLightEntryModelData.json",
        "unirefP05067.json",
    ],
)
def test_other_answers_of_uniprot_are_no_entries(name: str, payloads: Path) -> None:
    with pytest.raises(BodyError, match="the answer was JSON, but not what was asked for"):
        parse_entry((payloads / "uniprot" / name).read_bytes())
