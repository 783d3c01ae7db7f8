"""PubChem: its property tables and faults, over HTTP, landed."""

from pathlib import Path

import pytest
from api_server import FAULTS, NOW, SNAPSHOT, ApiServer, Asking, files, landed_rows
from fault_proxy import status

from ingest.errors import NotFoundError, ServiceError
from ingest.http.body import BodyError, UnknownError
from ingest.land_rows import LandingReport
from ingest.pubchem.client import SERVICE, PubChemClient
from ingest.pubchem.land import land
from ingest.pubchem.properties import PROPERTIES, CompoundProperty, parse_properties

TABLE = b"""{"PropertyTable": {"Properties": [
  {"CID": 962, "MolecularFormula": "H2O", "MolecularWeight": "18.015", "XLogP": -0.5, "TPSA": 1, "Charge": 0,
   "ExactMass": "18.0105646840", "Complexity": 0.0, "SMILES": "O"},
  {"CID": 99999999999},
  {"CID": 222, "MolecularFormula": "H3N", "MolecularWeight": "17.031", "IUPACName": null}
]}}"""
BUSY = '{"Fault": {"Code": "PUGREST.ServerBusy", "Message": "Too many requests or server too busy"}}'
NOT_FOUND = '{"Fault": {"Code": "PUGREST.NotFound", "Message": "No record found", "Details": ["CID 1"]}}'


def path(cids: str) -> str:
    return f"/rest/pug/compound/cid/{cids}/property/{','.join(PROPERTIES)}/JSON"


def landed(server: ApiServer, landing: Path, cids: list[int], fault: str = "") -> LandingReport:
    with Asking(server, SERVICE, fault) as http:
        return land(PubChemClient(http), cids, landing, SNAPSHOT)


def test_numbers_keep_the_texts_of_the_source() -> None:
    rows = {(row.cid, row.property): row for row in parse_properties(TABLE)}
    assert rows[962, "MolecularWeight"] == CompoundProperty(962, "MolecularWeight", "18.015", 18.015, "g/mol")
    assert rows[962, "ExactMass"].value_text == "18.0105646840", "a trailing zero is precision"
    assert rows[962, "XLogP"] == CompoundProperty(962, "XLogP", "-0.5", -0.5, None)
    assert rows[962, "Complexity"].value_text == "0.0"
    assert rows[962, "SMILES"] == CompoundProperty(962, "SMILES", "O", None, None)
    assert (222, "IUPACName") not in rows
    assert {cid for cid, _ in rows} == {962, 222}


@pytest.mark.parametrize("code", ["PUGREST.ServerBusy", "PUGREST.Timeout", "PUGREST.ServerError", "PUGREST.BadRequest"])
def test_a_fault_is_tried_again_unless_the_request_is_wrong(code: str) -> None:
    with pytest.raises(BodyError, match=f"the answer was the fault '{code}: why'") as raised:
        parse_properties(f'{{"Fault": {{"Code": "{code}", "Message": "why"}}}}'.encode())
    assert raised.value.again is (code != "PUGREST.BadRequest")


def test_an_unknown_compound_is_no_failure_to_answer() -> None:
    with pytest.raises(UnknownError, match="No record found: CID 1"):
        parse_properties(NOT_FOUND.encode())


@pytest.mark.parametrize(
    "body",
    [b"{}", b'{"PropertyTable": {}}', b'{"PropertyTable": {"Properties": [{"TPSA": 1}]}}', b'{"PC_Compounds": []}'],
)
def test_other_json_is_refused(body: bytes) -> None:
    with pytest.raises(BodyError) as raised:
        parse_properties(body)
    assert not raised.value.again


def test_a_compound_that_nobody_asked_for_is_refused() -> None:
    with pytest.raises(BodyError, match="the answer was about CID 222, which nobody asked for"):
        parse_properties(TABLE, [962, 280])


def test_compounds_are_landed_once(server: ApiServer, tmp_path: Path) -> None:
    server.pages[path("222,962,99999999999")] = TABLE
    report = landed(server, tmp_path, [962, 222, 962, 99999999999])
    rows = landed_rows(tmp_path, "pubchem", "properties")
    assert len(rows) == 10
    water = next(row for row in rows if (row["cid"], row["property"]) == (962, "MolecularWeight"))
    assert water | {"request_hash": ""} == {
        "cid": 962,
        "property": "MolecularWeight",
        "value_text": "18.015",
        "value_num": 18.015,
        "unit": "g/mol",
        "source": "pubchem",
        "source_url": server.home + path("962"),
        "request_hash": "",
        "fetched_at": NOW.replace(tzinfo=None),
        "snapshot_id": SNAPSHOT.snapshot_id,
    }
    assert report.unknown == ["CID 99999999999"]
    before = files(tmp_path)
    again = landed(server, tmp_path, [222, 962])
    assert (again.files_landed, server.requests) == (0, 1)
    assert files(tmp_path) == before
    (manifest,) = landed_rows(tmp_path, "pubchem", "snapshots")
    assert (manifest["dataset"], manifest["files"], manifest["row_count"]) == ("properties", 1, 10)
    assert manifest["endpoint"] == "https://pubchem.ncbi.nlm.nih.gov"


def test_a_compound_is_landed_once_whatever_batch_it_is_in(server: ApiServer, tmp_path: Path) -> None:
    server.pages[path("222,962")] = TABLE
    landed(server, tmp_path, [222, 962])
    server.pages[path("280")] = b'{"PropertyTable": {"Properties": [{"CID": 280, "Charge": 0}]}}'
    report = landed(server, tmp_path, [962, 280])
    assert (report.files_landed, report.rows) == (1, {"properties": 11})
    assert server.paths == [path("222,962"), path("280")]


@pytest.mark.parametrize("cid", [0, -1])
def test_what_is_no_cid_is_not_asked(cid: int, server: ApiServer, tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match=f"'{cid}' is no PubChem CID; write one such as 2244"):
        landed(server, tmp_path, [962, cid])
    assert server.requests == 0


def test_busy_faults_are_ridden_out(server: ApiServer, tmp_path: Path) -> None:
    server.pages[path("222,962")] = TABLE
    server.faults = [status(503, BUSY, Retry_After="4"), status(200, BUSY)]
    with Asking(server, SERVICE) as http:
        assert len(PubChemClient(http).properties([222, 962]).value) == 10
    assert server.requests == 3


def test_a_lasting_busy_fault_names_itself(server: ApiServer, tmp_path: Path) -> None:
    server.always = status(503, BUSY)
    with pytest.raises(
        ServiceError, match=r"after 3 attempts: HTTP 503 Service Unavailable, saying 'PUGREST\.ServerBusy"
    ):
        landed(server, tmp_path, [962])
    assert files(tmp_path) == {}


@pytest.mark.parametrize("code", [200, 404])
def test_compounds_that_are_all_unknown_land_nothing_and_are_named(
    code: int, server: ApiServer, tmp_path: Path
) -> None:
    server.always = status(code, NOT_FOUND)
    with Asking(server, SERVICE) as http, pytest.raises(NotFoundError, match="No record found"):
        PubChemClient(http).properties([1])
    report = landed(server, tmp_path, [1, 2])
    assert report.unknown == ["CID 1", "CID 2"]
    assert report.rows == {"properties": 0}
    assert "Not known to the source: CID 1, CID 2." in report.summary()


def test_one_unknown_compound_does_not_hide_the_others(server: ApiServer, tmp_path: Path) -> None:
    for cid in ("1", "2", "4,5"):
        first, *others = (b'{"CID": %s, "Charge": 0}' % one.encode() for one in cid.split(","))
        server.pages[path(cid)] = b'{"PropertyTable": {"Properties": [%s]}}' % b",".join([first, *others])
    server.not_found = NOT_FOUND.encode()
    report = landed(server, tmp_path, [1, 2, 3, 4, 5])
    assert {row["cid"] for row in landed_rows(tmp_path, "pubchem", "properties")} == {1, 2, 4, 5}
    assert report.unknown == ["CID 3"]


@pytest.mark.parametrize("name", FAULTS)
def test_a_run_that_fails_halfway_keeps_whole_batches_and_goes_on(name: str, server: ApiServer, tmp_path: Path) -> None:
    for cid in ("222", "962"):
        server.pages[path(cid)] = b'{"PropertyTable": {"Properties": [{"CID": %s, "Charge": 0}]}}' % cid.encode()
    server.after, server.always = 1, FAULTS[name][0]

    def land_both() -> LandingReport:
        with Asking(server, SERVICE, name) as http:
            return land(PubChemClient(http), [222, 962], tmp_path, SNAPSHOT, batch_size=1)

    with pytest.raises(ServiceError, match=r"PubChem failed on http://127\.0\.0\.1:"):
        land_both()
    before = files(tmp_path)
    assert [file.split("/")[1] for file in before] == ["properties"], "one batch, and no manifest"
    server.always = None
    report = land_both()
    assert report.files_landed == 1
    assert server.paths[-1] == path("962")
    assert before.items() <= files(tmp_path).items()
