"""How far a run is: a bar in a terminal, lines in a log."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

from dagster_defs.llm.calls import Outcome, Reply

_BAR = 24
_REDRAW_S = 0.1


class Progress:
    """Counts replies as they come.

    log: gets a line at most every ``every_s`` seconds, and the last one. stream: gets a bar if it is a terminal.
    """

    def __init__(
        self,
        total: int,
        label: str = "calls",
        *,
        log: Callable[[str], None] | None = None,
        stream: TextIO | None = None,
        every_s: float = 15.0,
    ) -> None:
        self.total = total
        self.label = label
        self.done = 0
        self.failed = 0
        self.cached = 0
        self.tokens = 0
        self.dollars = 0.0
        self._log = log
        self._stream = stream if stream is not None and stream.isatty() else None
        self._every_s = every_s
        self._began = time.monotonic()
        self._logged = self._began
        self._drawn = float("-inf")

    def add(self, reply: Reply) -> None:
        """Count one reply; what came from the journal costs nothing now."""
        self.done += 1
        self.failed += reply.outcome is Outcome.FAILED
        if reply.cached:
            self.cached += 1
        else:
            self.tokens += reply.prompt_tokens + reply.completion_tokens
            self.dollars += reply.cost_usd or 0.0
        now = time.monotonic()
        if self._stream is not None and now - self._drawn >= _REDRAW_S:
            self._drawn = now
            self._draw(self._stream)
        if self._log is not None and now - self._logged >= self._every_s:
            self._logged = now
            self._log(self.sentence())

    def finish(self) -> None:
        """Show the last state."""
        if self._stream is not None:
            self._draw(self._stream)
            self._stream.write("\n")
            self._stream.flush()
        if self._log is not None:
            self._log(self.sentence())

    @property
    def left_s(self) -> float | None:
        """Seconds still to go at the pace so far, leaving out what came from the journal; None when nobody can say."""
        asked = self.done - self.cached
        if self.done >= self.total:
            return 0.0
        return None if asked == 0 else (time.monotonic() - self._began) / asked * (self.total - self.done)

    def sentence(self) -> str:
        """The state in one line."""
        left = self.left_s
        to_go = "" if not left else f", {_clock(left)} left"
        return (
            f"{self.label}: {self.done:,} of {self.total:,} done, {self.failed:,} failed, {self.cached:,} from the"
            f" journal, {self.tokens:,} tokens, ${self.dollars:,.4f}{to_go}"
        )

    def _draw(self, stream: TextIO) -> None:
        filled = _BAR if self.total == 0 else _BAR * min(self.done, self.total) // self.total
        stream.write(f"\r\x1b[2K[{'#' * filled}{'.' * (_BAR - filled)}] {self.sentence()}")
        stream.flush()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
