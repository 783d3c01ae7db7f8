"""UniProt: active, merged, demerged and deleted accessions, over HTTP, landed."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from api_server import SNAPSHOT, ApiServer, Asking, files, landed_rows, redirect
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import ServiceError
from ingest.http.body import BodyError
from ingest.land_rows import LandingReport
from ingest.uniprot.client import SERVICE, UniProtClient
from ingest.uniprot.entries import Entry, Feature, parse_entry
from ingest.uniprot.land import land

quickly = settings(max_examples=100, deadline=None)
ACTIVE: dict[str, Any] = {
    "entryType": "UniProtKB reviewed (Swiss-Prot)",
    "primaryAccession": "P00001",
    "secondaryAccessions": ["P00002", "Q00003"],
    "uniProtkbId": "TEST_HUMAN",
    "entryAudit": {
        "lastSequenceUpdateDate": "1991-11-01",
        "lastAnnotationUpdateDate": "2026-06-10",
        "entryVersion": 7,
        "sequenceVersion": 2,
    },
    "annotationScore": 4.5,
    "organism": {"scientificName": "Homo sapiens", "taxonId": 9606},
    "proteinExistence": "1: Evidence at protein level",
    "proteinDescription": {"recommendedName": {"fullName": {"value": "Test protein"}}, "flag": "Precursor"},
    "genes": [{"geneName": {"value": "TST"}}],
    "sequence": {"value": "MKWVTFC", "length": 7, "molWeight": 899, "md5": "AB"},
    "features": [
        {"type": "Signal", "description": "",
         "location": {"start": {"value": 1, "modifier": "EXACT"}, "end": {"value": 3, "modifier": "EXACT"}}},
        {"type": "Chain", "location": {"start": {"modifier": "UNKNOWN"}, "end": {"value": 7, "modifier": "OUTSIDE"}},
         "description": "Test protein", "featureId": "PRO_1"},
        {"type": "Helix", "location": {"start": {"value": 4}, "end": {"value": 5}}},
    ],
}  # fmt: skip
UNREVIEWED = {
    "entryType": "UniProtKB unreviewed (TrEMBL)",
    "primaryAccession": "A0A000ABC1",
    "proteinDescription": {"submissionNames": [{"fullName": {"value": "Sent in"}}], "flag": "Fragment"},
    "genes": [{"orfNames": [{"value": "ORF7"}]}],
    "sequence": {"value": "AC", "length": 2, "molWeight": 192},
}


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


def inactive(kind: str, *targets: str) -> dict[str, Any]:
    reason = {"inactiveReasonType": kind, **({"mergeDemergeTo": list(targets)} if targets else {})}
    return {"entryType": "Inactive", "primaryAccession": "P00009", "inactiveReason": reason}


def landed(server: ApiServer, landing: Path, accessions: list[str]) -> LandingReport:
    with Asking(server, SERVICE) as http:
        return land(UniProtClient(http), accessions, landing, SNAPSHOT)


def test_an_active_entry() -> None:
    (entry,), features = parse_entry(body(ACTIVE), "P00001")
    assert entry == Entry(
        accession="P00001",
        entry_kind="reviewed",
        moved_to=(),
        inactive_reason=None,
        entry_name="TEST_HUMAN",
        protein_name="Test protein",
        gene_name="TST",
        organism="Homo sapiens",
        taxon_id=9606,
        protein_existence="1: Evidence at protein level",
        annotation_score_text="4.5",
        annotation_score=4.5,
        is_precursor=True,
        is_fragment=False,
        sequence="MKWVTFC",
        length_text="7",
        length=7.0,
        mass_da_text="899",
        mass_da=899.0,
        sequence_md5="AB",
        secondary_accessions=("P00002", "Q00003"),
        entry_version=7,
        sequence_version=2,
        sequence_updated_on=datetime.date(1991, 11, 1),
        annotated_on=datetime.date(2026, 6, 10),
    )
    assert features == [
        Feature("P00001", "Signal", None, 1, "EXACT", 3, "EXACT", None),
        Feature("P00001", "Chain", "PRO_1", None, "UNKNOWN", 7, "OUTSIDE", "Test protein"),
    ]


def test_an_unreviewed_entry_with_little_said() -> None:
    ((entry,), features) = parse_entry(body(UNREVIEWED))
    assert (entry.entry_kind, entry.protein_name, entry.gene_name) == ("unreviewed", "Sent in", "ORF7")
    assert (entry.is_precursor, entry.is_fragment, entry.taxon_id, features) == (False, True, None, [])


@pytest.mark.parametrize(
    ("kind", "targets"), [("DELETED", ()), ("MERGED", ("P00001",)), ("DEMERGED", ("P00001", "P00002"))]
)
def test_inactive_accessions_are_rows_of_their_own_kind(kind: str, targets: tuple[str, ...]) -> None:
    ((entry,), features) = parse_entry(body(inactive(kind, *targets)), "P00009")
    assert entry == Entry("P00009", kind.lower(), targets, kind)
    assert features == []


def test_a_deletion_may_say_why() -> None:
    value = inactive("DELETED")
    value["inactiveReason"]["deletedReason"] = "PROTEOME REDUNDANCY"
    assert parse_entry(body(value)).entries[0].inactive_reason == "PROTEOME REDUNDANCY"


def test_an_accession_that_leads_to_its_new_entry_is_merged() -> None:
    entries, _ = parse_entry(body(ACTIVE), "Q00003")
    assert [(row.accession, row.entry_kind, row.moved_to) for row in entries] == [
        ("Q00003", "merged", ("P00001",)),
        ("P00001", "reviewed", ()),
    ]


def test_an_entry_that_nobody_asked_for_is_refused() -> None:
    with pytest.raises(BodyError, match="the answer was the entry P00001, which P55555 is no part of"):
        parse_entry(body(ACTIVE), "P55555")


@pytest.mark.parametrize(
    "changes",
    [{"sequence": None}, {"entryType": "UniParc"}, {"primaryAccession": 7}, {"features": [{"type": "Chain"}]}],
)
def test_half_an_entry_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(BodyError):
        parse_entry(body(ACTIVE | changes))


@quickly
@given(st.integers(1, 10**6), st.integers(1, 10**9))
def test_numbers_are_what_the_source_says(length: int, mass: int) -> None:
    value = UNREVIEWED | {"sequence": {"value": "M", "length": length, "molWeight": mass}}
    entry = parse_entry(body(value)).entries[0]
    assert (entry.length_text, entry.length, entry.mass_da_text, entry.mass_da) == (
        str(length),
        length,
        str(mass),
        mass,
    )


def test_entries_are_landed_once(server: ApiServer, tmp_path: Path) -> None:
    server.pages["/uniprotkb/P00001.json"] = body(ACTIVE)
    server.pages["/uniprotkb/P00009.json"] = body(inactive("DEMERGED", "P00001", "P00002"))
    report = landed(server, tmp_path, ["P00009", "P00001", "P77777"])
    assert report.unknown == ["P77777"]
    assert report.rows == {"entries": 2, "features": 2}
    rows = {row["accession"]: row for row in landed_rows(tmp_path, "uniprot", "entries")}
    assert rows["P00009"]["moved_to"] == ["P00001", "P00002"]
    assert rows["P00009"]["source_url"] == f"{server.home}/uniprotkb/P00009.json"
    assert {row["feature_kind"] for row in landed_rows(tmp_path, "uniprot", "features")} == {"Signal", "Chain"}
    before = files(tmp_path)
    again = landed(server, tmp_path, ["P00009", "P00001", "P77777"])
    assert (again.files_landed, again.files_skipped, server.requests) == (0, 6, 3)
    assert files(tmp_path) == before


def test_a_merged_accession_is_followed_to_its_entry(server: ApiServer, tmp_path: Path) -> None:
    server.pages["/uniprotkb/P00001?from=Q00003"] = body(ACTIVE)
    server.faults = [redirect("/uniprotkb/P00001?from=Q00003", 303)]
    landed(server, tmp_path, ["Q00003"])
    rows = {row["accession"]: row for row in landed_rows(tmp_path, "uniprot", "entries")}
    assert (rows["Q00003"]["entry_kind"], rows["Q00003"]["moved_to"]) == ("merged", ["P00001"])
    assert rows["P00001"]["source_url"] == f"{server.home}/uniprotkb/P00001.json"


@pytest.mark.parametrize("accession", ["", "p00001", "P0000", "P00001/../x", "P00001-2", "P00001?x"])
def test_what_is_no_accession_is_not_asked(accession: str, server: ApiServer, tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="is no UniProt accession; write one such as P69905"):
        landed(server, tmp_path, ["P00001", accession])
    assert server.requests == 0
