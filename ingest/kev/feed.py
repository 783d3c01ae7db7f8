"""CISA's feed as rows; pure functions from bytes."""

from __future__ import annotations

import datetime
from typing import NamedTuple

import msgspec

from ingest.http.body import BodyError, decode
from ingest.rows import Row


class KnownExploited(Row, frozen=True):
    """One vulnerability of the catalogue.

    ``ransomware_use`` is Known or Unknown, as CISA writes it; ``due_on`` is the day by which US agencies had to act.
    """

    cve_id: str
    vendor: str
    product: str
    name: str
    added_on: datetime.date
    due_on: datetime.date | None
    description: str | None
    required_action: str | None
    ransomware_use: str | None
    notes: str | None
    weaknesses: tuple[str, ...]
    catalog_version: str
    released_at: datetime.datetime | None


class Feed(NamedTuple):
    """Rows of the feed, and how many it says it has."""

    stated: int
    rows: list[KnownExploited]


class _Entry(msgspec.Struct):
    cveID: str
    vendorProject: str
    product: str
    vulnerabilityName: str
    dateAdded: datetime.date
    dueDate: datetime.date | None = None
    shortDescription: str | None = None
    requiredAction: str | None = None
    knownRansomwareCampaignUse: str | None = None
    notes: str | None = None
    cwes: list[str] = []


class _Feed(msgspec.Struct):
    catalogVersion: str
    count: int
    vulnerabilities: list[_Entry]
    dateReleased: datetime.datetime | None = None


def parse_feed(body: bytes) -> Feed:
    """Rows of the feed, in its order. Raises BodyError."""
    feed = decode(body, _Feed)
    released = feed.dateReleased
    if released is not None and released.tzinfo is not None:
        released = released.astimezone(datetime.UTC).replace(tzinfo=None)
    rows = [
        KnownExploited(
            cve_id=entry.cveID,
            vendor=entry.vendorProject,
            product=entry.product,
            name=entry.vulnerabilityName,
            added_on=entry.dateAdded,
            due_on=entry.dueDate,
            description=entry.shortDescription,
            required_action=entry.requiredAction,
            ransomware_use=entry.knownRansomwareCampaignUse,
            notes=entry.notes or None,
            weaknesses=tuple(entry.cwes),
            catalog_version=feed.catalogVersion,
            released_at=released,
        )
        for entry in feed.vulnerabilities
    ]
    return Feed(feed.count, rows)


def parse_whole_feed(body: bytes) -> list[KnownExploited]:
    """Rows of the feed. Raises BodyError, too, where it has not as many as it says."""
    feed = parse_feed(body)
    if feed.stated != len(feed.rows):
        raise BodyError(f"the answer held {len(feed.rows)} of {feed.stated} vulnerabilities", again=True)
    return feed.rows
