"""A folder is replaced as a whole: readers and killed writers see the old one or the new one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dagster_defs.errors import RunError
from dagster_defs.steps.exports import folder as folders
from dagster_defs.steps.exports.folder import replaced_folder
from tests.exports import world

FILES = 4
KILLS = 6
# Writes one version after the other, each of files that all say its number, as far as it gets.
WRITER = f"""
import sys
from pathlib import Path
from dagster_defs.steps.exports import folder
if sys.argv[2] == "plain":
    folder._exchange = lambda one, other: False
for number in range(int(sys.argv[3]), int(sys.argv[4])):
    with folder.replaced_folder(Path(sys.argv[1])) as made:
        (made / "sub").mkdir()
        for i in range({FILES}):
            (made / "sub" / str(i)).write_text(str(number))
    print(number, flush=True)
"""


def versions(folder: Path) -> set[str]:
    """What the files of a folder say; the folder is opened once, so that its name may change meanwhile."""
    descriptor = os.open(folder / "sub", os.O_RDONLY)
    try:
        found = []
        for name in os.listdir(descriptor):  # noqa: PTH208  (of an open folder, not of a name)
            file = os.open(name, os.O_RDONLY, dir_fd=descriptor)
            found.append(os.read(file, 99).decode())
            os.close(file)
        assert len(found) == FILES
        return set(found)
    finally:
        os.close(descriptor)


def write(target: Path, text: str) -> None:
    with replaced_folder(target) as made:
        (made / "file").write_text(text)


@pytest.mark.parametrize("way", ["exchange", "plain"])
def test_a_writer_killed_at_any_moment_leaves_one_whole_version(tmp_path: Path, way: str) -> None:
    target, number, dice = tmp_path / "set", 0, random.Random(5)
    for _ in range(KILLS):
        command = [sys.executable, "-c", WRITER, str(target), way, str(number), "1000000"]
        with subprocess.Popen(command, cwd=world.ROOT, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            number = int(writer.stdout.readline())
            time.sleep(dice.uniform(0, 0.2))
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().split()
        number = int(rest[-1]) if rest else number
        if way == "plain":
            # Between its two renames the old version has another name, until the next run.
            with pytest.raises(ValueError, match="stop"), replaced_folder(target):
                raise ValueError("stop")
        (seen,) = versions(target)
        assert int(seen) in (number, number + 1)
        number = int(seen)
    write(target, "mended")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "set"]
    assert [path.name for path in target.iterdir()] == ["file"]


def test_a_reader_never_misses_the_folder_where_names_can_be_exchanged(tmp_path: Path) -> None:
    target = tmp_path / "set"
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    if not folders._exchange(one, other):
        pytest.skip("this file system can't exchange names")
    write(target, "first")
    command = [sys.executable, "-c", WRITER, str(target), "exchange", "0", "5"]
    with subprocess.Popen(command, cwd=world.ROOT, stdout=subprocess.DEVNULL) as writer:
        while writer.poll() is None:
            assert target.is_dir()
    assert writer.returncode == 0
    assert versions(target) == {"4"}


def test_where_names_can_be_exchanged_no_folder_is_ever_renamed_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "set"
    write(target, "old")
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    if not folders._exchange(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this file system can't exchange names")

    def rename(path: Path, _: Path) -> None:
        raise AssertionError(f"{path} was renamed")

    monkeypatch.setattr(Path, "rename", rename)
    write(target, "new")
    assert (target / "file").read_text() == "new"


def test_a_run_killed_between_two_renames_is_mended_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "set"
    write(target, "old")
    target.rename(tmp_path / ".set.old")
    with pytest.raises(ValueError, match="stop"), replaced_folder(target):
        raise ValueError("stop")
    assert (target / "file").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "set"]


def test_a_block_that_fails_changes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "set"
    write(target, "old")

    def fails() -> None:
        with replaced_folder(target) as made:
            (made / "file").write_text("half")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fails()
    assert (target / "file").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "set"]


@pytest.mark.parametrize("exchanges", [True, False])
def test_the_new_folder_holds_nothing_of_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanges: bool
) -> None:
    if not exchanges:
        monkeypatch.setattr(folders, "_exchange", lambda one, other: False)
    target = tmp_path / "set"
    write(target, "old")
    (target / "extra").touch()
    write(target, "new")
    assert [path.name for path in target.iterdir()] == ["file"]
    assert (target / "file").read_text() == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "set"]


def test_two_writers_do_not_mix(tmp_path: Path) -> None:
    with (
        replaced_folder(tmp_path / "set") as made,
        pytest.raises(RunError, match="Another run"),
        replaced_folder(tmp_path / "set"),
    ):
        raise AssertionError("the second writer was let in")
    assert not made.exists()
    assert (tmp_path / "set").is_dir()


def test_a_full_disk_is_one_sentence_and_keeps_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "set"
    write(target, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"could not be written \(No space left on device\); what was there") as said:
        write(target, "new")
    assert "\n" not in str(said.value)
    assert (target / "file").read_text() == "old"
