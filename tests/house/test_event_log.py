"""The event log keeps what Dagster's own keeps, where Dagster's own finds it."""

from __future__ import annotations

from pathlib import Path

from dagster import AssetCheckResult, AssetKey, DagsterInstance, asset, asset_check, materialize

from dagster_defs.commands.execution import prepare_home
from dagster_defs.event_log import EventLog
from dagster_defs.resources import load_settings


@asset
def stones(context) -> None:  # type: ignore[no-untyped-def]
    context.log.info("counted the stones")


@asset_check(asset=stones)
def stones_are_hard() -> AssetCheckResult:
    return AssetCheckResult(passed=True)


def test_dagsters_own_event_log_reads_what_was_stored(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "it's data"))
    home = prepare_home(load_settings())
    with DagsterInstance.from_config(str(home)) as instance:
        assert isinstance(instance.event_log_storage, EventLog)
        run = materialize([stones, stones_are_hard], instance=instance)
        stored = [entry.user_message for entry in instance.all_logs(run.run_id)]
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    with DagsterInstance.from_config(str(home)) as instance:
        assert not isinstance(instance.event_log_storage, EventLog)
        assert [entry.user_message for entry in instance.all_logs(run.run_id)] == stored
        assert "counted the stones" in stored
        assert instance.get_latest_materialization_event(AssetKey("stones")) is not None
        assert instance.get_run_by_id(run.run_id).is_success


def test_two_instances_share_one_log(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path))
    home = prepare_home(load_settings())
    with DagsterInstance.from_config(str(home)) as page, DagsterInstance.from_config(str(home)) as terminal:
        for _ in range(3):
            run = materialize([stones], instance=terminal)
            event = page.get_latest_materialization_event(AssetKey("stones"))
            assert event is not None
            assert event.run_id == run.run_id
