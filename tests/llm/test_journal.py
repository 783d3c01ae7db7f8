"""The journal: durable before it is used, exact, shared by processes, and asked cheaply."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.claims import Claimed
from dagster_defs.llm.journal import Journal, JournalError
from dagster_defs.llm.structured import clean

PROJECT = Path(__file__).resolve().parents[2]


def call(text: str, **more: Any) -> Call:
    return Call("m", "m-1", ({"role": "user", "content": text},), **more)


def answered(asked: Call, **more: Any) -> Reply:
    return Reply(asked.key, Outcome.ANSWERED, **more)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "journal.sqlite"


def test_what_was_recorded_comes_back_marked_as_cached(path: Path) -> None:
    asked = call("q", sample=2, prompt_sha="abc")
    given_ = answered(
        asked, text="t", parsed={"answer": [1, 0.1]}, finish_reason="stop", prompt_tokens=3, completion_tokens=4,
        cost_usd=1e-7 / 3, latency_s=0.1 + 0.2, attempts=2, truncated=True,
    )  # fmt: skip
    with Journal(path) as journal:
        asyncio.run(journal.record(asked, given_))
        assert journal.get_many([asked.key, "0" * 64]) == {asked.key: _cached(given_)}
    with Journal(path) as again:
        assert again.get_many([asked.key]) == {asked.key: _cached(given_)}


def _cached(reply: Reply) -> Reply:
    return Reply(**{**vars(reply), "cached": True})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text().map(clean),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3).map(clean), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(text=st.text().map(clean), parsed=JSON, cost=st.floats(0, 1e6), outcome=st.sampled_from(list(Outcome)))
def test_every_reply_comes_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, text: str, parsed: Any, cost: float, outcome: Outcome
) -> None:
    asked = call(text)
    reply = Reply(asked.key, outcome, text=text, parsed=parsed, cost_usd=cost, error=text[:3])
    with Journal(tmp_path_factory.mktemp("j") / "j") as journal:
        journal.record_many([(asked, reply)])
        kept = journal.get_many([asked.key])
        if outcome is Outcome.FAILED:
            assert kept == {}
            assert journal.failures() == 1
        else:
            assert kept == {asked.key: _cached(reply)}


def test_a_changed_part_is_another_call() -> None:
    changed = [
        call("q"), call("r"), call("q", sample=1), call("q", parameters={"temperature": 0}),
        call("q", parameters={"temperature": 1}), call("q", schema={"type": "string"}),
        Call("n", "m-1", ({"role": "user", "content": "q"},)), Call("m", "m-2", ({"role": "user", "content": "q"},)),
    ]  # fmt: skip
    assert len({asked.key for asked in changed}) == len(changed)
    assert call("q", prompt_sha="x").key == call("q").key
    assert call("q", parameters={"a": 1, "b": 2}).key == call("q", parameters={"b": 2, "a": 1}).key


def test_many_are_read_at_once(path: Path) -> None:
    calls = [call(str(n)) for n in range(2500)]
    with Journal(path) as journal:
        journal.record_many([(asked, answered(asked, text=asked.key[:5])) for asked in calls])
        found = journal.get_many([asked.key for asked in calls])
    assert {key: reply.text for key, reply in found.items()} == {asked.key: asked.key[:5] for asked in calls}


def test_a_record_is_on_the_disk_when_it_returns(path: Path) -> None:
    asked = call("q")
    script = """
        import asyncio, os, signal, sys
        from pathlib import Path
        from dagster_defs.llm.calls import Call, Outcome, Reply
        from dagster_defs.llm.journal import Journal
        journal = Journal(Path(sys.argv[1]))
        asked = Call("m", "m-1", ({"role": "user", "content": "q"},))
        asyncio.run(journal.record(asked, Reply(asked.key, Outcome.ANSWERED, text="kept")))
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script), str(path)], cwd=PROJECT, check=False)
    assert done.returncode == -9
    with Journal(path) as journal:
        assert journal.get_many([asked.key])[asked.key].text == "kept"
        assert journal.read("pragma synchronous", ()) == [(2,)]
        assert journal.read("pragma journal_mode", ()) == [("wal",)]


def test_answers_that_arrive_together_are_committed_together(path: Path) -> None:
    calls = [call(str(n)) for n in range(400)]

    async def record_all(journal: Journal) -> None:
        await asyncio.gather(*(journal.record(asked, answered(asked)) for asked in calls))

    with Journal(path) as journal:
        asyncio.run(record_all(journal))
        frames = Path(f"{path}-wal").stat().st_size / 4120
        assert len(journal.get_many(asked.key for asked in calls)) == 400
    # One commit a row would write at least a page each, and the index's pages beside it.
    assert frames < 400


def claim(journal: Journal, owner: Any, *asked: Call) -> Claimed:
    claimed: Claimed = journal.work(owner.change([one.key for one in asked]))
    return claimed


def test_a_call_is_claimed_once_and_free_again_when_let_go(path: Path) -> None:
    a, b, c = call("a"), call("b"), call("c")
    with Journal(path) as one, Journal(path) as two:
        first, second = one.owner(), two.owner()
        assert claim(one, first, a, b).mine == {a.key, b.key}
        seen = claim(two, second, b, c)
        assert (seen.mine, seen.others) == ({c.key}, {b.key: first.name})
        one.work(first.let_go())
        assert claim(two, second, a, b).mine == {a.key, b.key}


def test_recorded_calls_are_nobodys(path: Path) -> None:
    a, b = call("a"), call("b")
    with Journal(path) as journal:
        owner = journal.owner()
        claim(journal, owner, a, b)
        journal.record_many([(a, answered(a)), (b, Reply(b.key, Outcome.FAILED, error="no"))])
        assert journal.read("select count(*) from claims", ()) == [(0,)]
        again = claim(journal, journal.owner(), a, b)
        assert (again.mine, again.others) == ({b.key}, {})


def test_a_claim_lapses_unless_it_is_renewed(path: Path) -> None:
    a = call("a")
    with Journal(path, lease_s=0.4) as kept, Journal(path) as other:
        holder = kept.owner()
        assert claim(kept, holder, a).mine
        time.sleep(1.0)
        assert claim(other, other.owner(), a).others == {a.key: holder.name}
        elsewhere = "another-machine:1:1:x"
        kept.work(lambda connection: connection.execute("update claims set owner = ?", (elsewhere,)))
        assert claim(other, other.owner(), a).others == {a.key: elsewhere}
        time.sleep(0.6)
        assert claim(other, other.owner(), a).mine == {a.key}


def test_the_claim_of_a_killed_process_is_taken_over_at_once(path: Path) -> None:
    a = call("a")
    script = """
        import sys, time
        from pathlib import Path
        from dagster_defs.llm.journal import Journal
        journal = Journal(Path(sys.argv[1]), lease_s=3600)
        journal.work(journal.owner().change([sys.argv[2]]))
        print("held", flush=True)
        time.sleep(60)
    """
    holder = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(path), a.key], cwd=PROJECT, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with Journal(path) as journal:
        assert claim(journal, journal.owner(), a).others
        holder.kill()
        holder.wait()
        assert claim(journal, journal.owner(), a).mine == {a.key}
    holder.stdout.close()


def test_history_counts_what_was_read_and_written(path: Path) -> None:
    calls = [call("x" * 30) for _ in range(1)] + [call("y" * 60)]
    with Journal(path) as journal:
        journal.record_many([(asked, answered(asked, prompt_tokens=10, completion_tokens=2)) for asked in calls])
        past = journal.history()["m"]
    assert (past.calls, past.prompt_bytes, past.prompt_tokens, past.completion_tokens) == (2, 90, 20, 4)


def test_a_file_that_is_no_journal_is_named(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, but long enough to be taken for one" * 20)
    with pytest.raises(JournalError, match=r"Cannot use the journal .*journal\.sqlite: file is not a database"):
        Journal(path)
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("pragma user_version = 7")
    other.close()
    with pytest.raises(JournalError, match="is of version 7, and this Assay reads version 1"):
        Journal(path)


def test_a_failing_write_is_told_to_whoever_waits_and_the_journal_goes_on(path: Path) -> None:
    asked = call("q")
    broken = "create trigger broken before insert on replies begin select raise(abort, 'no room'); end"
    with Journal(path) as journal:
        journal.work(lambda connection: connection.execute(broken))
        with pytest.raises(JournalError, match=r"Cannot use the journal .*: no room"):
            asyncio.run(journal.record(asked, answered(asked)))
        journal.work(lambda connection: connection.execute("drop trigger broken"))
        asyncio.run(journal.record(asked, answered(asked)))
        assert journal.get_many([asked.key])
    with pytest.raises(JournalError, match="is closed"):
        asyncio.run(journal.record(asked, answered(asked)))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(JournalError, match="Cannot make the folder"):
        Journal(tmp_path / "a" / "j")
