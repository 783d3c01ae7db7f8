"""When topics are too old, and what is started then."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from dagster import RunRequest, SkipReason, build_sensor_context, define_asset_job

from dagster_defs import freshness
from dagster_defs.resources import PROJECT, Settings
from ingest.landing import utc_now
from ingest.topics import load_topic_sources
from ingest.wikidata.land import land, live_snapshot

JOB = define_asset_job("some_job")
ENDPOINT = "http://127.0.0.1:9/sparql"


@pytest.fixture(scope="module")
def landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two topics of the sample, as if the live endpoint had given them today."""
    from ingest.wikidata.endpoint import EmbeddedEndpoint
    from ingest.wikidata.sample import SAMPLE_DIR, sample_files

    folder = tmp_path_factory.mktemp("data")
    sample = EmbeddedEndpoint(sample_files(SAMPLE_DIR), ENDPOINT)
    topics = load_topic_sources(PROJECT / "models", ["lakes", "us_states"])
    land(topics, sample, folder / "landing", live_snapshot(utc_now().date()))
    return folder


def settings_of(folder: Path, **other: object) -> Settings:
    return Settings().model_copy(update={"data_dir": folder, "endpoint": ENDPOINT, **other})


def test_a_topic_is_too_old_when_it_was_fetched_too_long_ago_or_never(landing: Path) -> None:
    settings = settings_of(landing, max_age_days=30.0)
    now = datetime.datetime.now(datetime.UTC)
    today = freshness.too_old(settings, now)
    assert {"lakes", "us_states"}.isdisjoint(today)
    assert "rivers" in today
    later = freshness.too_old(settings, now + datetime.timedelta(days=31))
    assert {"lakes", "us_states"} <= set(later)


def test_the_sensor_asks_for_a_run_a_day_that_lands_what_is_too_old(landing: Path) -> None:
    found = freshness.aged_sensor(settings_of(landing, max_age_days=7.0), JOB)(build_sensor_context())
    assert isinstance(found, RunRequest)
    assert found.run_key == datetime.datetime.now(datetime.UTC).date().isoformat()
    assert found.run_config == {"ops": {"ingest_room": {"config": {"max_age_days": 7.0}}}}


def test_the_sample_does_not_age(landing: Path) -> None:
    found = freshness.aged_sensor(settings_of(landing, endpoint="sample"), JOB)(build_sensor_context())
    assert isinstance(found, SkipReason)
    assert "does not age" in (found.skip_message or "")


def test_nothing_is_started_by_itself() -> None:
    schedule = freshness.refreshing_schedule(Settings(), JOB)
    assert schedule.default_status.value == "STOPPED"
    assert schedule.cron_schedule == "0 4 * * 1"
    assert freshness.aged_sensor(Settings(), JOB).default_status.value == "STOPPED"
