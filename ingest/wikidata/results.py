"""SPARQL results JSON, read only whole.

A body counts as an answer only if all of it parses as SPARQL results JSON: Wikidata's query service sends status 200
before it knows whether the query will finish, and appends a Java stack trace to half a document when it does not.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Generic, Literal, TypeVar

import msgspec


class Term(msgspec.Struct, gc=False, rename={"lang": "xml:lang"}):
    """One RDF term of a SPARQL result; ``typed-literal`` is what endpoints older than SPARQL 1.1 write."""

    type: Literal["uri", "literal", "typed-literal", "bnode"]
    value: str
    datatype: str | None = None
    lang: str | None = None


class Member(msgspec.Struct, gc=False):
    """A member of a class."""

    entity: Term


class Counted(msgspec.Struct, gc=False):
    """A count, as a literal."""

    count: Term


class Stated(msgspec.Struct, gc=False):
    """A statement with one of its references; no value where the statement says that there is none."""

    subject: Term
    claim: Term
    statement: Term
    rank: Term
    value: Term | None = None
    node: Term | None = None
    reference: Term | None = None


class NodePart(msgspec.Struct, gc=False):
    """One part of a value node: amount, unit, bound, time, precision or calendar."""

    node: Term
    part: Term
    value: Term


class Qualified(msgspec.Struct, gc=False):
    """One triple of a statement: a qualifier's value or value node, or the class of statements without a value."""

    statement: Term
    key: Term
    value: Term


class Referred(msgspec.Struct, gc=False):
    """An address that a reference gives."""

    reference: Term
    url: Term


class Named(msgspec.Struct, gc=False):
    """A label, alias, description, number of sitelinks or redirect target of an entity."""

    entity: Term
    what: Term
    value: Term


class Article(msgspec.Struct, gc=False):
    """The title of a Wikipedia page about an entity."""

    entity: Term
    title: Term


class Redirected(msgspec.Struct, gc=False):
    """An entity that was merged into another."""

    old: Term
    new: Term


class Identified(msgspec.Struct, gc=False):
    """An entity with an identifier that it has, or with a page about it."""

    entity: Term
    identifier: Term


RowT = TypeVar("RowT", bound=msgspec.Struct)


class _Bindings(msgspec.Struct, Generic[RowT]):
    bindings: list[RowT]


class _Head(msgspec.Struct):
    vars: list[str]


class _Results(msgspec.Struct, Generic[RowT]):
    head: _Head
    results: _Bindings[RowT]


@cache
def _decoder(row: type[msgspec.Struct]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_Results[row])  # type: ignore[valid-type]


class NotResultsError(ValueError):
    """A body that is not SPARQL results JSON from its first to its last byte; the message is the end of a sentence."""


def parse_results(body: bytes, row: type[RowT]) -> list[RowT]:
    """The rows of a SELECT answer, each a ``row`` struct: one field a variable, None where it has no value.

    Raises:
        NotResultsError: anything but one whole SPARQL results document with the variables that ``row`` demands: timed
            out, cut, empty, HTML, an ASK answer.
    """
    try:
        rows: list[RowT] = _decoder(row).decode(body).results.bindings
    except msgspec.ValidationError as error:
        raise NotResultsError(f"the answer was JSON, but not the results that were asked for ({error})") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotResultsError(explain_body(body)) from error
    return rows


def explain_body(body: bytes) -> str:
    """What a body that is no answer seems to be, as the end of a sentence."""
    stripped = body.strip()
    if b"java.util.concurrent.TimeoutException" in body:
        return "the query ran into the endpoint's time limit (java.util.concurrent.TimeoutException)"
    if not stripped:
        return "the answer was empty"
    exception = re.search(rb"^((?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error))\b[^\n]*", body, re.MULTILINE)
    if exception:
        return f"the endpoint failed while answering ({exception.group(1).decode('ascii', 'replace')})"
    if stripped[:1] == b"<":
        title = re.search(rb"<title>\s*(.*?)\s*</title>", body, re.DOTALL | re.IGNORECASE)
        said = f" titled {title.group(1).decode('utf-8', 'replace')[:120]!r}" if title else ""
        return f"the answer was a web page or XML{said}, not SPARQL results JSON"
    if stripped[:1] != b"{":
        return f"the answer was no SPARQL results JSON but {stripped[:80].decode('utf-8', 'replace')!r}"
    if stripped[-1:] != b"}":
        return f"the answer broke off after {len(body)} bytes"
    return "the answer was damaged JSON"
