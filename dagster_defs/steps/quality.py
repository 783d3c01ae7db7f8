"""What the gates said, kept beside the database: a JSON file a room, a page for people, the published volumes."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
from jinja2 import Environment, StrictUndefined

from dagster_defs.steps.workers import worker_pool

if TYPE_CHECKING:
    import pandas as pd

    from expectations.gate import Verdict

TEMPLATE = Path(__file__).with_name("quality.html.jinja")
_PUBLISHED = "published.json"


def judged(database: Path, room: str, published: Mapping[str, int] | None) -> Verdict:
    """What the suite of ``room`` says of ``database``, found in a process that has Great Expectations loaded.

    ``published`` are the volumes of the last published snapshot. Raises duckdb.Error when a table cannot be read.
    """
    with worker_pool(1) as pool:
        return pool.submit(judge_room, database, room, published).result()


def judge_room(database: Path, room: str, published: Mapping[str, int] | None) -> Verdict:
    """The same in this process."""
    suite = import_module(f"expectations.{room}")
    verdict: Verdict = suite.check(read_frames(database, suite.TABLES), published)
    return verdict


def read_frames(database: Path, tables: Mapping[str, tuple[str, Sequence[str]]]) -> dict[str, pd.DataFrame]:
    """For each name in ``tables`` (name -> table, columns) the table's columns as a data frame."""
    with duckdb.connect(str(database), read_only=True) as connection:
        return {
            name: connection.execute(f"select {', '.join(columns)} from {table}").df()
            for name, (table, columns) in tables.items()
        }


def published_volumes(folder: Path, room: str, endpoint: str) -> dict[str, int] | None:
    """How many rows of each part of ``room`` were published last; None when nothing was, or from another endpoint."""
    file = folder / _PUBLISHED
    if not file.exists():
        return None
    published = json.loads(file.read_text())
    volumes: dict[str, int] | None = published["rooms"].get(room) if published["endpoint"] == endpoint else None
    return volumes


def record(folder: Path, room: str, verdict: Mapping[str, Any]) -> Path:
    """Keep ``verdict`` as the latest of its room, and write the page anew; returns the page."""
    folder.mkdir(parents=True, exist_ok=True)
    when = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    _write(folder / f"{room}.json", json.dumps({**verdict, "judged_at": when}, indent=1))
    rooms = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json")) if file.name != _PUBLISHED]
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(TEMPLATE.read_text())
    page = folder / "index.html"
    _write(page, template.render(rooms=sorted(rooms, key=lambda r: r["judged_at"]), written_at=when))
    return page


def forget(folder: Path, rooms: Sequence[str]) -> None:
    """Remove the verdicts on ``rooms``, which are being built anew."""
    for room in rooms:
        (folder / f"{room}.json").unlink(missing_ok=True)


def unpassed(folder: Path, rooms: Sequence[str]) -> list[str]:
    """Those of ``rooms`` whose gate has not passed since they were built."""
    files = {room: folder / f"{room}.json" for room in rooms}
    return [room for room, file in files.items() if not file.exists() or not json.loads(file.read_text())["passed"]]


def mark_published(folder: Path, endpoint: str, rooms: Sequence[str]) -> None:
    """Keep the volumes of the latest verdicts on ``rooms`` as those of the published snapshot."""
    kept = {}
    for room in rooms:
        file = folder / f"{room}.json"
        if file.exists():
            kept[room] = json.loads(file.read_text())["volumes"]
    _write(folder / _PUBLISHED, json.dumps({"endpoint": endpoint, "rooms": kept}, indent=1))


def _write(path: Path, text: str) -> None:
    """Write ``path`` whole or not at all."""
    draft = path.with_name(f".{path.name}.tmp")
    draft.write_text(text)
    draft.replace(path)
