"""Real copies of CISA's catalogue."""

from __future__ import annotations

import csv
import datetime
from collections import Counter
from pathlib import Path

import pytest

from ingest.http.body import BodyError
from ingest.kev.feed import KnownExploited, parse_feed, parse_whole_feed


def test_one_entry(payloads: Path) -> None:
    (row,) = parse_whole_feed((payloads / "cisa-kev/vulnerablecode_kev_data.json").read_bytes())
    assert (row.cve_id, row.vendor, row.product) == (
        "CVE-2021-38647",
        "Microsoft",
        "Open Management Infrastructure (OMI)",
    )
    assert (row.added_on, row.due_on) == (datetime.date(2021, 11, 3), datetime.date(2021, 11, 17))
    assert (row.ransomware_use, row.notes, row.weaknesses, row.catalog_version) == ("Known", None, (), "2024.07.09")
    assert row.released_at == datetime.datetime(2024, 7, 9, 20, 50, 24, 792_500)


@pytest.fixture(scope="module")
def rows(payloads: Path) -> list[KnownExploited]:
    return parse_feed((payloads / "cisa-kev/known_exploited_vulnerabilities.json").read_bytes()).rows


def test_a_cut_catalogue_is_known_as_such(payloads: Path, rows: list[KnownExploited]) -> None:
    body = (payloads / "cisa-kev/known_exploited_vulnerabilities.json").read_bytes()
    assert (parse_feed(body).stated, len(rows)) == (1404, 828)
    with pytest.raises(BodyError, match="the answer held 828 of 1404 vulnerabilities"):
        parse_whole_feed(body)


def test_every_entry_is_dated_and_named_once(rows: list[KnownExploited]) -> None:
    assert len({row.cve_id for row in rows}) == 828
    assert {row.ransomware_use for row in rows} == {"Known", "Unknown"}
    late = [row for row in rows if row.due_on is None or row.due_on < row.added_on]
    assert len(late) == 10
    assert {row.added_on for row in late} == {datetime.date(2021, 11, 3)}, "due by directives before the catalogue"
    assert Counter(row.vendor for row in rows).most_common(1)[0][0] == "Microsoft"


def test_the_same_entries_stand_in_the_table_that_cisa_offers(payloads: Path, rows: list[KnownExploited]) -> None:
    with (payloads / "cisa-kev/known_exploited_vulnerabilities.csv").open(encoding="utf-8", newline="") as handle:
        table = {line["cveID"]: line for line in csv.DictReader(handle)}
    shared = [row for row in rows if row.cve_id in table]
    assert len(table) == 400
    assert len(shared) >= 100
    for row in shared:
        line = table[row.cve_id]
        assert (row.vendor, row.product, row.name) == (
            line["vendorProject"],
            line["product"],
            line["vulnerabilityName"],
        )
        assert (str(row.added_on), str(row.due_on)) == (line["dateAdded"], line["dueDate"])
