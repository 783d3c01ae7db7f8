"""What a user can get wrong, or a machine can do to him: one plain sentence, and the published file as it was.

Each of these runs the real command in a copy of the project, beside a published file that must not change by a byte.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from dagster_defs.steps.lock import writer_lock
from tests.conftest import Checkout, Outcome, copy_project, environment_of_a_user, keep_topics

pytestmark = pytest.mark.e2e
TOPICS = ("us_presidents", "turing_laureates")


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the project with two small topics and something published, which dbt has read already.

    dbt reads again only what has changed since, as long as the data folder is at the same place.
    """
    copied = copy_project(tmp_path_factory.mktemp("bad") / "assay")
    keep_topics(copied, *TOPICS)
    copied.data.mkdir()
    with duckdb.connect(str(copied.published)) as connection:
        connection.execute("create schema questions; create table questions.questions as select 'kept' as question_id")
    subprocess.run(
        [sys.executable, "-c", "import dagster_defs.definitions"],
        cwd=copied.root,
        env=environment_of_a_user(),
        check=True,
    )
    assert (copied.data / "build/target/partial_parse.msgpack").exists()
    shutil.copytree(copied.root, copied.root.with_name("kept"))
    return copied


@pytest.fixture
def project(parsed: Checkout) -> Checkout:
    """That copy as it was."""
    shutil.rmtree(parsed.root)
    shutil.copytree(parsed.root.with_name("kept"), parsed.root)
    return parsed


def stopped(project: Checkout, outcome: Outcome, before: bytes) -> str:
    """The sentence of a run that failed, after checking that it is one, and that the published file is untouched."""
    assert outcome.code == 1, outcome.out + outcome.err
    said = [line for line in outcome.err.splitlines() if line.startswith("assay: ")]
    assert len(said) == 1, outcome.err
    assert "Traceback" not in outcome.out + outcome.err
    assert project.published.read_bytes() == before
    assert not list(project.data.glob(".assay.duckdb*"))
    return said[0].removeprefix("assay: ")


def test_malformed_topic_yml_is_named_with_its_line(project: Checkout) -> None:
    before = project.published.read_bytes()
    yml = project.root / "models/topics/us_presidents.yml"
    yml.write_text(yml.read_text().replace("models:", "models: [", 1))
    said = stopped(project, project.run("build"), before)
    assert "us_presidents.yml" in said
    assert "line" in said


def test_unknown_key_in_meta_source_is_named(project: Checkout) -> None:
    before = project.published.read_bytes()
    yml = project.root / "models/topics/us_presidents.yml"
    yml.write_text(yml.read_text().replace("properties:", "property:", 1))
    said = stopped(project, project.run("build"), before)
    assert "us_presidents.yml" in said
    assert "config.meta.source" in said
    assert "properties" in said


def test_topic_missing_from_vars_gets_the_missing_line(project: Checkout) -> None:
    before = project.published.read_bytes()
    settings = project.root / "dbt_project.yml"
    settings.write_text(settings.read_text().replace(", ".join(TOPICS), TOPICS[0]))
    said = stopped(project, project.run("build"), before)
    assert "turing_laureates" in said
    assert "under vars: topics: in dbt_project.yml" in said


def test_registered_topic_without_a_model_is_named(project: Checkout) -> None:
    before = project.published.read_bytes()
    settings = project.root / "dbt_project.yml"
    settings.write_text(settings.read_text().replace(", ".join(TOPICS), ", ".join((*TOPICS, "volcanoes"))))
    said = stopped(project, project.run("build"), before)
    assert "models/topics/volcanoes.sql does not exist" in said
    assert "remove the line under vars: topics:" in said


def test_unreadable_sample_is_named(project: Checkout) -> None:
    before = project.published.read_bytes()
    packed = sorted((project.root / "ingest/sample/facts").glob("*.xz"))[0]
    packed.write_bytes(packed.read_bytes()[:1000])
    said = stopped(project, project.run("build"), before)
    assert packed.name in said
    assert "restore ingest/sample" in said


def test_second_run_while_one_is_writing_ends_at_once(project: Checkout) -> None:
    before = project.published.read_bytes()
    with writer_lock(project.data / "build/writer.lock"):
        said = stopped(project, project.run("build"), before)
    assert f"Another run (process {os.getpid()}) is writing" in said
    assert "wait until it has finished" in said


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_stopping_a_run_is_one_sentence(project: Checkout, stop: signal.Signals) -> None:
    """As Ctrl-C does: the signal reaches every process of the run."""
    before = project.published.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "dagster_defs.run", "build"], cwd=project.root, env=environment_of_a_user(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as run:  # fmt: skip
        assert run.stdout is not None
        while not run.stdout.readline().startswith("  ingest"):
            assert run.poll() is None, run.communicate()
        os.killpg(run.pid, stop)
        _, said = run.communicate()
    assert said == "assay: stopped; the published database is as it was.\n"
    assert run.returncode == 130
    assert project.published.read_bytes() == before


def test_lock_left_by_a_killed_run_locks_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    path.write_text("999999")
    with writer_lock(path):
        assert path.read_text() == str(os.getpid())


def test_analyst_holding_the_build_database_is_named(project: Checkout) -> None:
    before = project.published.read_bytes()
    build = project.data / "build/assay.duckdb"
    hold = f"import duckdb, sys; c = duckdb.connect({str(build)!r}); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as analyst:
        assert analyst.stdout is not None
        assert analyst.stdout.readline() == b"held\n"
        said = stopped(project, project.run("build"), before)
        analyst.communicate()
    assert f"{build} is held open by another program (process {analyst.pid})" in said
    assert "close it there and run again" in said


@contextmanager
def mounted(folder: Path, *how: str) -> Iterator[bool]:
    """Mount something on ``folder``, where this user may: false in a container without that right, root's or not."""
    done = shutil.which("mount") and subprocess.run(["mount", *how, str(folder)], capture_output=True, check=False)
    if not done or done.returncode:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def read_only(project: Checkout) -> Iterator[Checkout]:
    """The project on a data folder that cannot be written, not even by root."""
    data = project.data
    with mounted(data, "--bind", str(data)) as is_mounted:
        if is_mounted:
            subprocess.run(["mount", "-o", "remount,ro,bind", str(data)], check=True)
        elif os.geteuid() == 0:
            pytest.skip("root may write everywhere, and this one may not mount a read-only folder")
        else:
            data.chmod(0o555)
        yield project
        if not is_mounted:
            data.chmod(0o755)


def test_read_only_data_folder_is_named(read_only: Checkout) -> None:
    before = read_only.published.read_bytes()
    said = stopped(read_only, read_only.run("build"), before)
    assert f"Cannot write {read_only.data}" in said
    assert "set ASSAY_DATA_DIR" in said


def test_full_disk_is_named(project: Checkout) -> None:
    """A real disk, with room for what is landed and not for the database."""
    before = project.published.read_bytes()
    with mounted(project.data, "-t", "tmpfs", "-o", "size=12m", "tmpfs") as is_mounted:
        if not is_mounted:
            pytest.skip("this user may not mount a small disk; the limit below stands in for it")
        project.published.write_bytes(before)
        said = stopped(project, project.run("build"), before)
    assert f"Cannot write {project.data}" in said
    assert "no space is left on the disk: free some" in said


def test_limit_on_file_sizes_is_named(project: Checkout) -> None:
    """To run out of room in this way takes no right at all: no file may pass 3 MB, and the run's event log does."""
    before = project.published.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, limits[1]))
    try:
        outcome = project.run("build")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    said = stopped(project, outcome, before)
    assert f"Cannot write {project.data}" in said
    assert "(ulimit -f)" in said
