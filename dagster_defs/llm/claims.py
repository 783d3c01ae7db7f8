"""Who is asking what: claims on calls, so that two processes do not pay for one call twice.

A claim names its owner and lapses unless renewed; that of a process which is gone is taken over at once.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

# The owner of calls that a batch asks begins so.
BATCH = "batch:"

_CLAIM = """
insert into claims (key, owner, expires)
select value, :owner, :expires from json_each(:keys)
where not exists (select 1 from replies where replies.key = value)
on conflict (key) do update set owner = excluded.owner, expires = excluded.expires
where claims.expires < :now or claims.owner in (select value from json_each(:gone))
"""


@dataclass(frozen=True)
class Claimed:
    """What came of a claim: keys that are now the owner's, and others' keys with their owners."""

    mine: frozenset[str]
    others: dict[str, str]


class Claims:
    """Claims in the journal's file; what changes them is run by the journal's writer, each in a transaction."""

    def __init__(self, lease_s: float) -> None:
        self.lease_s = lease_s
        self.renew_every_s = lease_s / 4
        self._live: set[str] = set()

    def owner(self) -> Owner:
        """A new claimant."""
        name = f"{_machine()}:{os.getpid()}:{_born(os.getpid())}:{uuid.uuid4().hex[:8]}"
        self._live.add(name)
        return Owner(self, name)

    def renew(self, connection: sqlite3.Connection) -> None:
        """Put off the end of every claim of this process."""
        if self._live:
            connection.execute(
                "update claims set expires = ? where owner in (select value from json_each(?))",
                (time.time() + self.lease_s, json.dumps(sorted(self._live))),
            )

    def claim(
        self, connection: sqlite3.Connection, name: str, keys: list[str], lease_s: float | None = None
    ) -> Claimed:
        """Claim what nobody holds and nobody has recorded, for ``lease_s`` or as long as every claim."""
        listed, now = json.dumps(keys), time.time()
        holders = connection.execute(
            "select distinct owner from claims where key in (select value from json_each(?))", (listed,)
        ).fetchall()
        gone = [owner for (owner,) in holders if owner != name and self._is_gone(owner)]
        connection.execute(
            _CLAIM,
            {
                "owner": name,
                "expires": now + (lease_s or self.lease_s),
                "keys": listed,
                "now": now,
                "gone": json.dumps(gone),
            },
        )
        held = dict(
            connection.execute(
                "select key, owner from claims where key in (select value from json_each(?))", (listed,)
            ).fetchall()
        )
        mine = frozenset(key for key, owner in held.items() if owner == name)
        return Claimed(mine, {key: owner for key, owner in held.items() if owner != name})

    def let_go(self, name: str) -> Callable[[sqlite3.Connection], None]:
        """The change that lets go of whatever ``name`` still holds; nothing of it is renewed from now on."""
        self._live.discard(name)

        def change(connection: sqlite3.Connection) -> None:
            connection.execute("delete from claims where owner = ?", (name,))

        return change

    def _is_gone(self, owner: str) -> bool:
        """Whether the owner can be told to have ended: its process on this machine is no more, or let go of it."""
        parts = owner.split(":")
        if len(parts) != 4 or parts[0] != _machine():
            return False
        if parts[1] == str(os.getpid()) and parts[2] == _born(os.getpid()):
            return False
        return _born(int(parts[1])) != parts[2]


@dataclass(frozen=True)
class Owner:
    """A claimant; its claims are renewed until it is released."""

    claims: Claims
    name: str

    def change(self, keys: Iterable[str]) -> Callable[[sqlite3.Connection], Claimed]:
        """The change that claims ``keys``, for the journal's `work`."""
        listed = list(keys)
        return lambda connection: self.claims.claim(connection, self.name, listed)

    def let_go(self) -> Callable[[sqlite3.Connection], None]:
        """The change that lets go of whatever is still held."""
        return self.claims.let_go(self.name)


def _machine() -> str:
    """This machine since it was started, and the space its process numbers are of (a container has its own)."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{Path('/proc/self/ns/pid').readlink().name}".replace(":", "-")
    except OSError:
        return f"{uuid.getnode():x}"


def _born(process: int) -> str:
    """When a process began, in the kernel's ticks; '' when it has ended. Numbers of processes are given again."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    # A zombie has ended; its parent has just not asked yet.
    return "" if fields[0] in "ZX" else fields[19]
