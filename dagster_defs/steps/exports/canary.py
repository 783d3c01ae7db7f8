"""The canary of an export: a string that should stand nowhere else, so that text which holds it gives the export away.

A model that can complete it, or a corpus that has it, has seen the export. Every row of the questions carries it, and
so does the card; conversations to fine-tune on are meant to be trained on and do not.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from typing import Final

# Of all exports of Assay: what to look for where it does not matter which of them it was.
PROJECT: Final = uuid.UUID("5d0c5f6e-3b0e-4a53-9f0d-6a2f5a1c77e4")


def canary(snapshot_id: str, question_ids: Iterable[str]) -> str:
    """The string of an export: a warning, the project's id, and an id of exactly these questions of this snapshot."""
    digest = hashlib.sha256("\n".join([snapshot_id, *sorted(question_ids)]).encode()).hexdigest()
    own = uuid.uuid5(PROJECT, digest)
    return f"Assay benchmark data, which should never be in a training corpus. Canary {PROJECT} {own}"
