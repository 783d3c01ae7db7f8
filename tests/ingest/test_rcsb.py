"""RCSB PDB: an entry written from the schema of its data API, over HTTP, landed."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from api_server import SNAPSHOT, ApiServer, Asking, files, landed_rows

from ingest.errors import NotFoundError, ServiceError
from ingest.http.body import BodyError
from ingest.land_rows import LandingReport
from ingest.rcsb.client import SERVICE, RcsbClient
from ingest.rcsb.entries import PdbEntry, PdbValue, parse_entry
from ingest.rcsb.land import land

# Fields and types as the data API's schema of core/entry has them; the values are made up.
XRAY: dict[str, Any] = {
    "rcsb_id": "1TST",
    "entry": {"id": "1TST"},
    "struct": {"title": "A test protein at high resolution", "pdbx_descriptor": "TEST"},
    "struct_keywords": {"pdbx_keywords": "OXYGEN TRANSPORT", "text": "OXYGEN TRANSPORT, HEME"},
    "exptl": [{"method": "X-RAY DIFFRACTION", "crystals_number": 1}, {"method": "NEUTRON DIFFRACTION"}],
    "cell": {"length_a": 63.15, "length_b": 83.59, "length_c": 53.8, "angle_alpha": 90.0, "angle_beta": 99.34,
             "angle_gamma": 90, "zpdb": 4},
    "symmetry": {"space_group_name_hm": "P 1 21 1", "int_tables_number": 4},
    "rcsb_accession_info": {
        "deposit_date": "1984-03-07T00:00:00.000+00:00",
        "initial_release_date": "1984-07-17T00:00:00Z",
        "revision_date": "2024-05-22",
        "major_revision": 4,
        "minor_revision": 2,
        "status_code": "REL",
    },
    "rcsb_entry_info": {
        "assembly_count": 1,
        "deposited_atom_count": 4779,
        "molecular_weight": 64.740,
        "polymer_entity_count": 2,
        "polymer_entity_count_protein": 2,
        "polymer_composition": "heteromeric protein",
        "resolution_combined": [1.74, 2.0],
        "na_polymer_entity_types": "Other",
    },
    "rcsb_entry_container_identifiers": {"entry_id": "1TST", "pubmed_id": 6726807},
}  # fmt: skip
NMR: dict[str, Any] = {
    "rcsb_id": "2TST",
    "rcsb_accession_info": {"status_code": "REL", "deposit_date": "not a date"},
    "rcsb_entry_info": {"molecular_weight": 5.0, "resolution_combined": None},
    "exptl": [{"method": "SOLUTION NMR"}],
}
NOT_FOUND = b'{"status": 404, "message": "No data found for entryId: 9ZZZ", "link": "https://data.rcsb.org/"}'


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


def landed(server: ApiServer, landing: Path, entry_ids: list[str]) -> LandingReport:
    with Asking(server, SERVICE) as http:
        return land(RcsbClient(http), entry_ids, landing, SNAPSHOT)


def test_an_entry() -> None:
    entries, values = parse_entry(body(XRAY).replace(b"64.74,", b"64.740,"), "1TST")
    assert entries == [
        PdbEntry(
            entry_id="1TST",
            title="A test protein at high resolution",
            keywords="OXYGEN TRANSPORT",
            methods=("X-RAY DIFFRACTION", "NEUTRON DIFFRACTION"),
            status="REL",
            deposited_on=datetime.date(1984, 3, 7),
            released_on=datetime.date(1984, 7, 17),
            revised_on=datetime.date(2024, 5, 22),
            major_revision=4,
            minor_revision=2,
            space_group="P 1 21 1",
            pubmed_id=6726807,
        )
    ]
    found = {(row.property, row.position): row for row in values}
    assert found["molecular_weight", 1] == PdbValue("1TST", "molecular_weight", 1, "64.740", 64.74, "kDa")
    assert found["resolution_combined", 1] == PdbValue("1TST", "resolution_combined", 1, "1.74", 1.74, "Å")
    assert found["resolution_combined", 2].value_text == "2.0"
    assert found["deposited_atom_count", 1] == PdbValue("1TST", "deposited_atom_count", 1, "4779", 4779.0, None)
    assert found["cell_angle_beta", 1] == PdbValue("1TST", "cell_angle_beta", 1, "99.34", 99.34, "°")
    assert found["cell_length_c", 1].value_text == "53.8"
    assert len(values) == 13, "texts and numbers of unknown meaning are left out"


def test_an_entry_by_nmr_has_neither_resolution_nor_cell() -> None:
    (entry,), values = parse_entry(body(NMR))
    assert (entry.methods, entry.deposited_on, entry.title) == (("SOLUTION NMR",), None, None)
    assert [row.property for row in values] == ["molecular_weight"]


@pytest.mark.parametrize("absent", ["rcsb_id", "rcsb_entry_info", "rcsb_accession_info"])
def test_what_lacks_an_entrys_parts_is_refused(absent: str) -> None:
    with pytest.raises(BodyError, match="not what was asked for"):
        parse_entry(body({name: value for name, value in XRAY.items() if name != absent}))
    with pytest.raises(BodyError, match="the answer was the entry 1TST, not 4HHB"):
        parse_entry(body(XRAY), "4HHB")


def test_entries_are_landed_once(server: ApiServer, tmp_path: Path) -> None:
    server.pages["/rest/v1/core/entry/1TST"] = body(XRAY)
    server.pages["/rest/v1/core/entry/2TST"] = body(NMR)
    server.not_found = NOT_FOUND
    with Asking(server, SERVICE) as http, pytest.raises(NotFoundError, match="No data found for entryId: 9ZZZ"):
        RcsbClient(http).entry("9ZZZ")
    report = landed(server, tmp_path, ["1tst", "2TST", "1TST", "9ZZZ"])
    assert (report.unknown, report.rows) == (["9ZZZ"], {"entries": 2, "values": 14})
    rows = {row["entry_id"]: row for row in landed_rows(tmp_path, "rcsb", "entries")}
    assert rows["1TST"]["source_url"] == f"{server.home}/rest/v1/core/entry/1TST"
    assert rows["1TST"]["released_on"] == datetime.date(1984, 7, 17)
    before = files(tmp_path)
    assert landed(server, tmp_path, ["1TST", "2TST", "9ZZZ"]).files_landed == 0
    assert files(tmp_path) == before


@pytest.mark.parametrize("entry_id", ["", "HHB4", "4HHBX", "4HH/", "../x"])
def test_what_is_no_pdb_id_is_not_asked(entry_id: str, server: ApiServer, tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="is no PDB id; write one such as 4HHB"):
        landed(server, tmp_path, [entry_id])
    assert server.requests == 0
