"""Question sets as texts: of a JSONL file of anyone's, and samples of them that no order of the file has a part in."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dagster_defs.errors import RunError

# Under which names published benchmarks keep the text of a question.
FIELDS = ("question", "problem", "query", "prompt", "input", "text")


@dataclass(frozen=True)
class QuestionFile:
    """A set of questions: its name, and its different texts in the order of the alphabet."""

    name: str
    texts: tuple[str, ...]

    @property
    def content_hash(self) -> str:
        """12 hexadecimal digits of SHA-256 over the texts."""
        return hashlib.sha256(json.dumps(self.texts).encode()).hexdigest()[:12]


def question_set(name: str, texts: Sequence[str]) -> QuestionFile:
    """A set of the different ones of ``texts``; raises RunError for an unusable name, or fewer than two texts."""
    plain = re.sub(r"[^A-Za-z0-9._+-]+", "_", name).strip("._+-")
    if not plain:
        raise RunError(f"Nothing was measured: a set of questions can't be called {name!r}; rename its file.")
    kept = tuple(sorted({text.strip() for text in texts if text.strip()}))
    if len(kept) < 2:
        raise RunError(f"Nothing was measured: {plain} has {len(kept)} different questions, and a pair is needed.")
    return QuestionFile(plain, kept)


def read_file(path: Path, field: str | None = None) -> QuestionFile:
    """The questions of a JSONL file, called by its name without the ending.

    field: which of each object's fields is the text; without it the first of `FIELDS` that the first object has, in any
    case of letters. Raises RunError, naming file and line, when the file can't be read or a line has no such text.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise RunError(f"Nothing was measured: {path} can't be read ({reason}).") from error
    texts = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise RunError(
                f"Nothing was measured: line {number} of {path} is no JSON; give one object a line."
            ) from error
        if not isinstance(row, dict):
            raise RunError(f"Nothing was measured: line {number} of {path} is no JSON object; give one a line.")
        field = field or _field(row)
        text = row.get(field) if field else None
        if not isinstance(text, str):
            wanted = f"text in {field!r}" if field else f"field called {', '.join(FIELDS)}"
            raise RunError(
                f"Nothing was measured: line {number} of {path} has no {wanted}; name the field with --field."
            )
        texts.append(text)
    return question_set(path.stem, texts)


def sample(questions: QuestionFile, n: int, seed: int) -> list[str]:
    """``n`` of the set's texts: those whose SHA-256 with ``seed`` before them is smallest, in that order."""
    drawn = sorted(questions.texts, key=lambda text: hashlib.sha256(f"{seed}/{text}".encode()).digest())
    return drawn[:n]


def _field(row: dict[str, object]) -> str | None:
    by_name = {name.lower(): name for name in row}
    return next((by_name[name] for name in FIELDS if name in by_name), None)
