"""Real EPSS answers."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from ingest.epss.scores import EpssScore, parse_scores
from ingest.http.body import BodyError

DAY = datetime.date(2024, 1, 3)


def test_one_score(payloads: Path) -> None:
    body = (payloads / "first-epss/api_single_CVE-2022-27225.json").read_bytes()
    assert parse_scores(body, {"CVE-2022-27225"}, DAY) == [
        EpssScore("CVE-2022-27225", DAY, "0.001500000", 0.0015, "0.510960000", 0.51096)
    ]
    with pytest.raises(BodyError, match="the answer was of 2024-01-03, not of 2024-01-04"):
        parse_scores(body, {"CVE-2022-27225"}, datetime.date(2024, 1, 4))


def test_the_daily_file_is_no_answer_of_the_api(payloads: Path) -> None:
    with pytest.raises(BodyError, match="broke off or was damaged"):
        parse_scores((payloads / "first-epss/vunnel_epss_example-1.csv").read_bytes())
