"""How old what was landed of each topic is, and a new snapshot that takes over what is young enough.

A snapshot always holds every topic, and no file of an earlier one is ever changed: what is taken over is copied into
the new one, under the new id and with the time at which it really was fetched. Landing then goes on from there as after
a run that was stopped, and asks for the rest alone.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from ingest.landing import Landing, Snapshot
from ingest.wikidata.land import DATASETS, SOURCE

_MANIFEST: Final = "snapshots"


def fetched(landing_dir: Path, topics: Iterable[str], endpoint: str) -> dict[str, tuple[str, datetime.datetime]]:
    """Topic -> the snapshot in which ``endpoint`` was last asked for it, and when its members were fetched (UTC).

    A topic that was never landed whole, or has no member, is left out. Raises LandingError for an unreadable file.
    """
    landing = Landing(landing_dir, SOURCE)
    home = landing_dir / SOURCE / _MANIFEST
    found: dict[str, tuple[str, datetime.datetime]] = {}
    for topic in topics:
        known = []
        for folder in sorted(home.glob("*")):
            if _is_whole(landing, folder.name, topic, endpoint) and (when := _oldest(landing, folder.name, topic)):
                known.append((folder.name, when))
        if known:
            found[topic] = max(known, key=lambda one: (one[1], one[0]))
    return found


def carry(
    landing_dir: Path, topics: Iterable[str], endpoint: str, snapshot: Snapshot, oldest: datetime.datetime
) -> list[str]:
    """Copy into ``snapshot`` the topics whose members were fetched at ``oldest`` (UTC) or later; returns their names.

    A topic that ``snapshot`` has already is left as it is, and a stopped copy is gone on with. Raises LandingError.
    """
    landing = Landing(landing_dir, SOURCE)
    taken = []
    with landing.lock():
        for topic, (source, when) in fetched(landing_dir, topics, endpoint).items():
            if source == snapshot.snapshot_id or when < oldest:
                continue
            for dataset in DATASETS:
                for name in _names(landing, dataset, source, topic):
                    _copy(landing, dataset, name, source, snapshot.snapshot_id)
            taken.append(topic)
    return taken


def _copy(landing: Landing, dataset: str, name: str, source: str, target: str) -> None:
    table = landing.read(dataset, source, name)
    if table is None or landing.path(dataset, target, name).exists():
        return
    place = table.schema.get_field_index("snapshot_id")
    ids = pa.repeat(pa.scalar(target), table.num_rows)
    landing.write(dataset, target, name, table.set_column(place, "snapshot_id", ids))


def _names(landing: Landing, dataset: str, snapshot_id: str, topic: str) -> Iterator[str]:
    """The files of a topic; another topic's name may begin with this one's."""
    for path in sorted(landing.folder(dataset, snapshot_id).glob(f"{topic}-*.parquet")):
        if path.stem.rsplit("-", 1)[0] == topic:
            yield path.stem


def _is_whole(landing: Landing, snapshot_id: str, topic: str, endpoint: str) -> bool:
    """Whether a topic was landed to its end, by this endpoint: its rows of the manifest are written last."""
    for name in _names(landing, _MANIFEST, snapshot_id, topic):
        table = landing.read(_MANIFEST, snapshot_id, name)
        if table is not None and set(table["endpoint"].to_pylist()) == {endpoint}:
            return set(table["dataset"].to_pylist()) == set(DATASETS)
    return False


def _oldest(landing: Landing, snapshot_id: str, topic: str) -> datetime.datetime | None:
    times = [
        pc.min(table["fetched_at"]).as_py()
        for name in _names(landing, "instances", snapshot_id, topic)
        if (table := landing.read("instances", snapshot_id, name)) is not None and table.num_rows
    ]
    return min(times, default=None)
