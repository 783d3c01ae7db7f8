"""EPSS scores of a day and CISA's catalogue, over HTTP, landed."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from api_server import SNAPSHOT, ApiServer, Asking, files, landed_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.epss import client as epss_client
from ingest.epss import land as epss_land
from ingest.epss.scores import EpssScore, parse_scores
from ingest.errors import ServiceError
from ingest.http.body import BodyError
from ingest.kev import client as kev_client
from ingest.kev import land as kev_land
from ingest.kev.feed import KnownExploited, parse_feed, parse_whole_feed
from ingest.land_rows import LandingReport

quickly = settings(max_examples=100, deadline=None)
DAY = datetime.date(2024, 1, 3)
FEED_PATH = "/sites/default/files/feeds/known_exploited_vulnerabilities.json"


def scores(*cves: str, total: int | None = None, day: str = "2024-01-03", epss: Any = "0.001500000") -> bytes:
    data = [{"cve": one, "epss": epss, "percentile": "0.510960000", "date": day} for one in cves]
    return json.dumps({"status": "OK", "total": len(cves) if total is None else total, "data": data}).encode()


def feed(count: int = 1, **more: Any) -> bytes:
    entry = {
        "cveID": "CVE-2021-0001",
        "vendorProject": "Maker",
        "product": "Thing",
        "vulnerabilityName": "Maker Thing Flaw",
        "dateAdded": "2021-11-03",
        "dueDate": "2021-11-17",
        "shortDescription": "It breaks.",
        "requiredAction": "Mend it.",
        "knownRansomwareCampaignUse": "Known",
        "notes": "",
        "cwes": ["CWE-79"],
    }
    head = {"catalogVersion": "2024.07.09", "dateReleased": "2024-07-09T20:50:24.7925Z", "count": count}
    return json.dumps(head | {"vulnerabilities": [entry | more]}).encode()


def land_scores(server: ApiServer, landing: Path, *cves: str, day: datetime.date = DAY) -> LandingReport:
    with Asking(server, epss_client.SERVICE) as http:
        return epss_land.land(epss_client.EpssClient(http), cves, day, landing, SNAPSHOT)


def land_feed(server: ApiServer, landing: Path) -> LandingReport:
    with Asking(server, kev_client.SERVICE) as http:
        return kev_land.land(kev_client.KevClient(http), landing, SNAPSHOT)


def path(cves: str, day: str = "2024-01-03") -> str:
    return f"/data/v1/epss?cve={cves}&date={day}&limit=100"


def test_scores_keep_their_digits() -> None:
    assert parse_scores(scores("CVE-2020-0001")) == [
        EpssScore("CVE-2020-0001", DAY, "0.001500000", 0.0015, "0.510960000", 0.51096)
    ]


@quickly
@given(st.decimals(0, 1, places=9))
def test_any_probability_is_read_as_it_is_written(value: Any) -> None:
    (row,) = parse_scores(scores("CVE-2020-0001", epss=str(value)))
    assert (row.score_text, row.score) == (str(value), float(value))


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (scores("CVE-2020-0001", total=2), "held 1 of 2 scores"),
        (scores("CVE-2020-0001", epss="n/a"), "is no number"),
        (scores("CVE-2020-0001", epss=None), "is no number"),
        (scores("CVE-2020-0001", epss="1.5"), "is no probability"),
        (scores("CVE-2020-0001", day="2024-01-04"), "was of 2024-01-04, not of 2024-01-03"),
        (scores("CVE-2020-0002"), "was about CVE-2020-0002, which nobody asked for"),
        (b'{"status": "OK"}', "not what was asked for"),
    ],
)
def test_other_scores_are_refused(body: bytes, cause: str) -> None:
    with pytest.raises(BodyError, match=cause):
        parse_scores(body, {"CVE-2020-0001"}, DAY)


def test_scores_are_landed_once_a_day(server: ApiServer, tmp_path: Path) -> None:
    server.pages[path("CVE-2020-0001,CVE-2020-0002,CVE-2020-0003")] = scores("CVE-2020-0001", "CVE-2020-0002")
    report = land_scores(server, tmp_path, "CVE-2020-0002", "CVE-2020-0001", "CVE-2020-0003")
    assert (report.rows, report.unknown) == ({"scores": 2}, ["CVE-2020-0003"])
    rows = landed_rows(tmp_path, "epss", "scores")
    assert rows[0]["source_url"] == server.home + path("CVE-2020-0001")
    before = files(tmp_path)
    assert land_scores(server, tmp_path, "CVE-2020-0001", "CVE-2020-0002").files_landed == 0
    assert (files(tmp_path), server.requests) == (before, 1)
    server.pages[path("CVE-2020-0001", "2024-01-04")] = scores("CVE-2020-0001", day="2024-01-04")
    later = datetime.date(2024, 1, 4)
    assert land_scores(server, tmp_path, "CVE-2020-0001", day=later).rows == {"scores": 3}


def test_many_scores_are_asked_a_hundred_at_a_time(server: ApiServer, tmp_path: Path) -> None:
    cves = [f"CVE-2020-{number:04d}" for number in range(1, 151)]
    for some in (cves[:100], cves[100:]):
        server.pages[path(",".join(some))] = scores(*some)
    assert land_scores(server, tmp_path, *cves).rows == {"scores": 150}
    assert max(len(asked) for asked in server.paths) < 2000


def test_days_before_the_first_are_not_asked(server: ApiServer, tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="has no scores of 2021-04-13; ask for 2021-04-14 or a later day"):
        land_scores(server, tmp_path, "CVE-2020-0001", day=datetime.date(2021, 4, 13))
    with pytest.raises(ServiceError, match="is no CVE id"):
        land_scores(server, tmp_path, "CVE-2020-0001,CVE-2020-0002")
    assert server.requests == 0


def test_an_entry_of_the_catalogue() -> None:
    assert parse_whole_feed(feed()) == [
        KnownExploited(
            cve_id="CVE-2021-0001",
            vendor="Maker",
            product="Thing",
            name="Maker Thing Flaw",
            added_on=datetime.date(2021, 11, 3),
            due_on=datetime.date(2021, 11, 17),
            description="It breaks.",
            required_action="Mend it.",
            ransomware_use="Known",
            notes=None,
            weaknesses=("CWE-79",),
            catalog_version="2024.07.09",
            released_at=datetime.datetime(2024, 7, 9, 20, 50, 24, 792_500),
        )
    ]


def test_half_a_catalogue_is_asked_for_again() -> None:
    assert parse_feed(feed(count=2)).stated == 2
    with pytest.raises(BodyError, match="the answer held 1 of 2 vulnerabilities") as raised:
        parse_whole_feed(feed(count=2))
    assert raised.value.again


@pytest.mark.parametrize("body", [b"{}", feed(dateAdded="soon"), feed(cveID=None), b'{"vulnerabilities": []}'])
def test_other_feeds_are_refused(body: bytes) -> None:
    with pytest.raises(BodyError, match="not what was asked for"):
        parse_feed(body)


def test_the_catalogue_is_landed_once(server: ApiServer, tmp_path: Path) -> None:
    server.pages[FEED_PATH] = feed()
    assert land_feed(server, tmp_path).rows == {"vulnerabilities": 1}
    (row,) = landed_rows(tmp_path, "kev", "vulnerabilities")
    assert (row["cve_id"], row["source_url"]) == ("CVE-2021-0001", server.home + FEED_PATH)
    before = files(tmp_path)
    assert land_feed(server, tmp_path).files_skipped == 1
    assert (files(tmp_path), server.requests) == (before, 1)


def test_a_catalogue_that_stays_cut_lands_nothing(server: ApiServer, tmp_path: Path) -> None:
    server.pages[FEED_PATH] = feed(count=2)
    with pytest.raises(ServiceError, match=r"CISA KEV failed on .* after 3 attempts: the answer held 1 of 2"):
        land_feed(server, tmp_path)
    assert files(tmp_path) == {}
