"""The tools themselves: search and read over documents, live pages, and Python in its sandbox."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from dagster_defs.steps import sandbox
from dagster_defs.steps.agent.actions import Action, Python, Read, Search
from dagster_defs.steps.agent.documents import Index, one_line, windows
from dagster_defs.steps.agent.pages import PageError, PageReader
from dagster_defs.steps.sandbox import Limits

HITS = 5
WINDOW = 3000
_SNIPPET = 240


@dataclass(frozen=True)
class Observed:
    """What came of an action, as text from outside. failed: the tool could not do what was asked."""

    text: str
    failed: bool = False


class Toolbox:
    """Runs actions; safe to use from several threads.

    index: the landed documents. reader: of live pages, None where there are none. limits: of Python. Raises
    SandboxMissing where Python cannot be confined: an agent without it would be another one.
    """

    def __init__(self, index: Index, reader: PageReader | None = None, limits: Limits | None = None) -> None:
        self._index = index
        self._reader = reader
        self._limits = limits or Limits()
        self._pages: dict[str, tuple[str, str]] = {}
        self._lock = threading.Lock()
        sandbox.run("", self._limits)

    def run(self, action: Action) -> Observed:
        """What comes of ``action``; never raises for anything that a model or a page can cause."""
        if isinstance(action, Search):
            return self._search(action)
        if isinstance(action, Read):
            return self._read(action)
        if isinstance(action, Python):
            return self._python(action)
        raise ValueError("an answer is no tool")

    def _search(self, action: Search) -> Observed:
        hits = self._index.search(action.query, HITS)
        if not hits:
            return Observed("Nothing was found: try other words.")
        lines = []
        for hit in hits:
            where = f" <{hit.document.url}>" if hit.document.url else ""
            lines.append(
                f"[{hit.document.document_id}] {hit.document.title}{where}\n  {one_line(hit.passage, _SNIPPET)}"
            )
        return Observed("\n".join(lines))

    def _read(self, action: Read) -> Observed:
        document = self._index.find(action.document)
        if document is not None:
            title, text = document.title, document.text
        else:
            try:
                title, text = self._live(action.document.strip())
            except PageError as error:
                return Observed(f"error: {error}", failed=True)
        pieces = windows(text, WINDOW) or [""]
        if not 1 <= action.window <= len(pieces):
            return Observed(f"error: there is no window {action.window}: they are 1 to {len(pieces)}.", failed=True)
        return Observed(f"{title} (window {action.window} of {len(pieces)})\n\n{pieces[action.window - 1]}")

    def _live(self, name: str) -> tuple[str, str]:
        """(title, text) of a live page, read once. Raises PageError."""
        if self._reader is None or not name.lower().startswith(("http://", "https://")):
            raise PageError(f"There is no document '{one_line(name, 80)}': take an id from a search.")
        with self._lock:
            held = self._pages.get(name)
        if held is None:
            page = self._reader.read(name)
            held = page.title or page.url, page.text
            with self._lock:
                self._pages[name] = held
        return held

    def _python(self, action: Python) -> Observed:
        ran = sandbox.run(action.code, self._limits)
        parts = [ran.output, f"error: {ran.error}" if ran.error else ""]
        text = "\n".join(part for part in parts if part)
        return Observed(text or "It printed nothing.", failed=ran.error is not None)
