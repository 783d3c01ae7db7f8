"""Answers as JSON: the schema a model is asked to satisfy, and reading what it wrote."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jsonschema_rs import Draft202012Validator

if TYPE_CHECKING:
    from pydantic import BaseModel

# Of a hostile or broken text, this many starts of a value are tried, and values nested this deeply are read.
_STARTS = 64
_CUT_STARTS = 16
_DEPTH = 64
_FENCED = re.compile(r"```[\w-]*[ \t]*\r?\n(.*?)```", re.DOTALL)
# What reasoning models put before their answer where the server leaves it in the text.
_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
# Lone surrogates, which no file can hold, and the null character, at which SQLite ends a text.
_UNSOUND = re.compile("[\x00\ud800-\udfff]")
_LITERAL = re.compile(r"(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=\s*[,\]}])")
# Schema by the number of its object, and what was made of it.
_HELD: dict[int, tuple[Mapping[str, Any], Prepared]] = {}
_HELD_AT_MOST = 256
_NOISE = ("title", "default", "description")


@dataclass(frozen=True)
class Parsed:
    """What a text held. error: why there is no value, in words fit to send back to the model; None when there is one.

    truncated: the value's unfinished list was ended after its last complete element.
    """

    value: Any = None
    truncated: bool = False
    error: str | None = None


@lru_cache(maxsize=64)
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """JSON schema (draft 2020-12) of ``model`` in the form strict servers ask for.

    Every object names its properties, requires them all and allows no other; a field that may be missing has to allow
    null. Only a field of type dict stays open, which `is_strict` tells. It is made once, as every question asks for it:
    whoever gets it leaves it as it is.
    """
    schema: dict[str, Any] = _closed(deepcopy(model.model_json_schema()))
    return schema


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Whether every object in ``schema`` is closed, as OpenAI's ``strict: true`` demands."""
    return all(node["additionalProperties"] is False for node in _objects(schema))


def parse(text: str, schema: Mapping[str, Any]) -> Parsed:
    """The value in ``text`` that satisfies ``schema``.

    Tried in order, the first that fits wins: the whole text, what stands in code fences (last first), values within
    prose (last first), a list that was cut off. Never raises, whatever the text.
    """
    text = _THOUGHT.sub("", clean(text)).strip()
    if not text:
        return Parsed(error="it is empty")
    asked = prepared(schema)
    error = None
    for value in _candidates(text):
        fault = _fault(asked, value)
        if fault is None:
            return Parsed(value)
        error = error or fault
    for value in _cut_lists(text):
        if _fault(asked, value) is None:
            return Parsed(value, truncated=True)
    return Parsed(error=error or "it holds no complete JSON value")


def clean(text: str) -> str:
    """``text`` with U+FFFD for every null character and lone surrogate, which a database cannot hold."""
    return _UNSOUND.sub("\ufffd", text)


def instruction(schema: Mapping[str, Any]) -> str:
    """What to add to a prompt for a server that takes no schema."""
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Answer with one JSON value that satisfies this JSON schema, and nothing else:\n{text}"


def _closed(node: Any) -> Any:
    """The schema with its objects closed and everything required, in place."""
    if isinstance(node, list):
        for item in node:
            _closed(item)
    if not isinstance(node, dict):
        return node
    properties = node.get("properties")
    if isinstance(properties, dict):
        node["required"] = list(properties)
        node["additionalProperties"] = False
    for name in _NOISE:
        if not isinstance(node.get(name), dict):
            node.pop(name, None)
    for name, value in node.items():
        if name == "properties" and isinstance(value, dict):
            for inner in value.values():
                _closed(inner)
        elif name not in ("enum", "const", "required"):
            _closed(value)
    return node


def _objects(node: Any) -> Iterator[Mapping[str, Any]]:
    """Every object schema within ``node``."""
    if isinstance(node, Mapping):
        if node.get("type") == "object":
            yield {"additionalProperties": node.get("additionalProperties", True)}
        for value in node.values():
            yield from _objects(value)
    elif isinstance(node, list | tuple):
        for item in node:
            yield from _objects(item)


@dataclass(frozen=True)
class Prepared:
    """What is made of a schema once. format: the request's `response_format`."""

    validator: Draft202012Validator
    format: Mapping[str, Any]


def prepared(schema: Mapping[str, Any]) -> Prepared:
    """What is needed to ask for ``schema`` and to read the answers; found again by the object itself, or its text."""
    held = _HELD.get(id(schema))
    if held is not None and held[0] is schema:
        return held[1]
    if len(_HELD) >= _HELD_AT_MOST:
        _HELD.clear()
    made = _prepared(json.dumps(schema))
    # The schema is kept, too: its number could be given to another one after its end.
    _HELD[id(schema)] = (schema, made)
    return made


@lru_cache(maxsize=256)
def _prepared(text: str) -> Prepared:
    schema = json.loads(text)
    named = {"name": "answer", "strict": is_strict(schema), "schema": schema}
    format_ = {"type": "json_schema", "json_schema": named}
    return Prepared(Draft202012Validator(schema), format_)


def _fault(asked: Prepared, value: Any) -> str | None:
    """What keeps ``value`` from satisfying the schema, None when nothing does."""
    if asked.validator.is_valid(value):
        return None
    faults = list(asked.validator.iter_errors(value))
    worst = min(faults, key=lambda fault: (len(fault.instance_path), fault.message))
    where = "".join(f"[{part!r}]" for part in worst.instance_path)
    return f"{'its ' + where + ': ' if where else ''}{worst.message[:200]}"


def _reject(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _finite(digits: str) -> float:
    if math.isinf(value := float(digits)):
        raise ValueError("a number is too large")
    return value


_DECODER = json.JSONDecoder(parse_constant=_reject, parse_float=_finite)


def _decode(text: str, start: int = 0) -> tuple[Any, int] | None:
    """The value at ``start`` and where it ends, None when there is none."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        return _sound(value, _DEPTH), end
    except (ValueError, RecursionError):
        return None


def _sound(value: Any, depth: int) -> Any:
    """The value with every text cleaned; raises ValueError when it is nested deeper than ``depth``."""
    if depth < 0:
        raise ValueError("it is nested too deeply")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_sound(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {clean(name): _sound(item, depth - 1) for name, item in value.items()}
    return value


def _candidates(text: str) -> Iterator[Any]:
    """Complete values in ``text``, in the order in which they are to be believed."""
    whole = _decode(text)
    if whole is not None and not text[whole[1] :].strip():
        yield whole[0]
        return
    for block in list(_FENCED.finditer(text))[: -_STARTS - 1 : -1]:
        inside = _decode(block[1].strip())
        if inside is not None:
            yield inside[0]
    found, position, tries = [], 0, 0
    while tries < _STARTS:
        start = _next_start(text, position)
        if start < 0:
            break
        tries += 1
        decoded = _decode(text, start)
        position = start + 1
        if decoded is not None:
            found.append(decoded[0])
            position = decoded[1]
    yield from reversed(found)


def _next_start(text: str, position: int) -> int:
    """Where the next object or list may begin, -1 for nowhere."""
    starts = [start for start in (text.find("{", position), text.find("[", position)) if start >= 0]
    return min(starts, default=-1)


def _cut_lists(text: str) -> Iterator[Any]:
    """Values whose last list does not end, ended after that list's last complete element."""
    position = 0
    for _ in range(_CUT_STARTS):
        start = _next_start(text, position)
        if start < 0:
            return
        position = start + 1
        mended = _mend(text, start)
        if mended is not None:
            decoded = _decode(mended)
            if decoded is not None:
                yield decoded[0]


def _mend(text: str, start: int) -> str | None:
    """``text`` from ``start``, ended after the last complete element of its outermost unfinished list, and closed.

    Where every list is finished and only an object is not, it ends after the last list. None where nothing is left.
    """
    open_: list[str] = []
    # By the depth of an unfinished list: where its last complete element ends. Then: where a finished list ends.
    safe: dict[int, int] = {}
    ended: tuple[int, int] | None = None
    position = start
    while position < len(text):
        letter = text[position]
        if letter in "{[":
            open_.append("}" if letter == "{" else "]")
            position += 1
            continue
        if letter in "}]":
            safe.pop(len(open_), None)
            if open_.pop() != letter or not open_:
                return None
            position += 1
            if letter == "]" and "]" not in open_:
                ended = position, len(open_)
        elif letter == '"':
            position = _string_end(text, position)
        else:
            literal = _LITERAL.match(text, position)
            position = literal.end() if literal else position + 1
            if not literal:
                continue
        if open_[-1] == "]" and position <= len(text):
            safe[len(open_)] = position
    if "]" in open_:
        outermost = open_.index("]") + 1
        ended = (safe[outermost], outermost) if outermost in safe else None
    return text[start : ended[0]] + "".join(reversed(open_[: ended[1]])) if ended else None


def _string_end(text: str, start: int) -> int:
    """Behind the closing quote of the string that begins at ``start``; past the end of ``text`` when it has none."""
    position = start + 1
    while position < len(text):
        if text[position] == "\\":
            position += 2
        elif text[position] == '"':
            return position + 1
        else:
            position += 1
    return len(text) + 1
