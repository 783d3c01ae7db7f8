"""Progress: what is counted, and where it is shown."""

from __future__ import annotations

import io

from dagster_defs.llm.calls import Outcome, Reply
from dagster_defs.llm.progress import Progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


PAID = Reply("k", Outcome.ANSWERED, prompt_tokens=1000, completion_tokens=200, cost_usd=0.5)
OLD = Reply("k", Outcome.ANSWERED, prompt_tokens=1000, completion_tokens=200, cost_usd=0.5, cached=True)
LOST = Reply("k", Outcome.FAILED)


def test_everything_is_counted_and_the_journals_share_costs_nothing() -> None:
    progress = Progress(5, "solve")
    for reply in (OLD, PAID, LOST):
        progress.add(reply)
    sentence = progress.sentence()
    assert sentence.startswith("solve: 3 of 5 done, 1 failed, 1 from the journal, 1,200 tokens, $0.5000, ")
    assert sentence.endswith(" left")


def test_time_left_follows_the_pace_of_what_was_asked() -> None:
    progress = Progress(100)
    assert progress.left_s is None
    progress.add(OLD)
    assert progress.left_s is None
    progress._began -= 10
    progress.add(PAID)
    assert progress.left_s is not None
    assert 980 <= progress.left_s < 1000
    assert progress.sentence().endswith("16:20 left")


def test_a_terminal_gets_a_bar_that_ends_full() -> None:
    terminal = Terminal()
    progress = Progress(4, stream=terminal)
    for _ in range(4):
        progress.add(PAID)
    progress.finish()
    shown = terminal.getvalue().split("\r\x1b[2K")
    assert shown[1].startswith("[######..................] calls: 1 of 4")
    assert shown[-1].startswith("[########################] calls: 4 of 4")
    assert shown[-1].endswith("\n")


def test_anything_else_gets_no_bar() -> None:
    file = io.StringIO()
    progress = Progress(1, stream=file)
    progress.add(PAID)
    progress.finish()
    assert file.getvalue() == ""


def test_the_log_gets_a_line_now_and_then_and_the_last() -> None:
    lines: list[str] = []
    progress = Progress(1000, log=lines.append, every_s=3600)
    for _ in range(999):
        progress.add(PAID)
    assert lines == []
    progress._logged -= 3600
    progress.add(PAID)
    progress.finish()
    assert len(lines) == 2
    assert "1,000 of 1,000 done" in lines[-1]


def test_nothing_to_do_is_done() -> None:
    terminal = Terminal()
    Progress(0, stream=terminal).finish()
    assert "0 of 0 done" in terminal.getvalue()
