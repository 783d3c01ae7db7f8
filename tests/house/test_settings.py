"""Every setting is documented, and a wrong one is answered with a sentence."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from dagster_defs.errors import RunError
from dagster_defs.resources import OTHER_VARIABLES, PREFIX, Settings, load_settings

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def only_own_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Settings of the machine that runs the tests stay out of them."""
    for name in [*(PREFIX + field.upper() for field in Settings.model_fields), *OTHER_VARIABLES]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "data"))


def documented() -> dict[str, str]:
    """Variable -> default as .env.example shows it."""
    return dict(re.findall(r"^# (ASSAY_[A-Z_]+)=(.*)$", (PROJECT / ".env.example").read_text(), re.MULTILINE))


def test_every_variable_is_documented_and_nothing_else_is() -> None:
    assert set(documented()) == {PREFIX + name.upper() for name in Settings.model_fields} | OTHER_VARIABLES


def test_documented_defaults_are_the_real_ones() -> None:
    shown = documented()
    for name, field in Settings.model_fields.items():
        if name != "data_dir":
            assert type(field.default)(shown[PREFIX + name.upper()]) == field.default, name


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_only_resources_read_the_environment() -> None:
    readers = re.compile(r"os\.environ(?!\[\"[A-Z_]+\"\] = )(?!\.setdefault)|os\.getenv|environ\.get")
    guilty = [
        str(path.relative_to(PROJECT))
        for folder in ("dagster_defs", "expectations", "ingest")
        for path in (PROJECT / folder).rglob("*.py")
        if readers.search(path.read_text()) and path.name != "resources.py" and "sample/build" not in str(path)
    ]
    assert guilty == []


def test_unknown_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ENDPONT", "sample")
    with pytest.raises(RunError, match=r"ASSAY_ENDPONT, which Assay does not know: unset it"):
        load_settings()


def test_unusable_value_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_PAGE_SIZE", "none")
    with pytest.raises(RunError, match=r"ASSAY_PAGE_SIZE cannot be 'none'"):
        load_settings()


def test_dbt_gets_the_same_folder_and_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASSAY_MEMORY_LIMIT", "700MB")
    settings = load_settings()
    profile = (PROJECT / "profiles.yml").read_text()
    assert settings.build_database == tmp_path / "data" / "build" / "assay.duckdb"
    assert settings.build_database.parent.is_dir()
    assert set(re.findall(r"env_var\('(\w+)'", profile)) == set(settings.for_dbt)
    assert all(os.environ[name] == value for name, value in settings.for_dbt.items())
