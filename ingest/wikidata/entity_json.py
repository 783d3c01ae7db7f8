"""Wikidata's entity JSON, decoded into typed structs: dump lines, Special:EntityData and wbgetentities answers.

Only what is landed gets decoded; labels in other languages, references' contents and hashes are skipped over, which
is what makes the dump reader fast. PHP writes an empty map as ``[]``, so every map may also be a list here.
Nothing in this module knows the landing schema; ``entity_rows`` flattens the structs into rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Raw, Struct

from ingest.errors import IngestError

SnakType = Literal["value", "somevalue", "novalue"]
Rank = Literal["preferred", "normal", "deprecated"]

_ID_PREFIX: Final[Mapping[str | None, str]] = {"item": "Q", "property": "P", "lexeme": "L", "entity-schema": "E"}


class EntityJsonError(ValueError):
    """Bytes that are no entity document: cut or malformed JSON, or JSON of something else.

    The message is the end of a sentence; who reads a file adds its name and the place.
    """


class ApiError(IngestError):
    """The Wikidata API answered with an error in place of entities; names its code and text."""


class Value(Struct, gc=False, rename={"numeric_id": "numeric-id", "entity_type": "entity-type"}):
    """A data value that is an object: entity, quantity, time, monolingual text or coordinate, by the fields it has."""

    id: str | None = None
    numeric_id: int | None = None  # alone, without ``id``, in dumps before 2016
    entity_type: str | None = None
    amount: str | None = None
    unit: str = "1"
    lowerBound: str | None = None
    upperBound: str | None = None
    time: str | None = None
    precision: int | float | None = None
    calendarmodel: str = ""
    text: str | None = None
    language: str | None = None
    latitude: float | None = None
    longitude: float | None = None

    def entity_id(self) -> str | None:
        """The id of the entity that the value points to; None when it says neither id nor type and number."""
        if self.id is not None:
            return self.id
        prefix = _ID_PREFIX.get(self.entity_type)
        return f"{prefix}{self.numeric_id}" if prefix and self.numeric_id is not None else None


class DataValue(Struct, gc=False):
    """``value`` is text, one of the objects above, or something a later data type brought along."""

    value: str | Value | int | float | bool | list[Any] | None = None
    type: str = ""


class Snak(Struct, gc=False):
    """A qualifier or a reference's value."""

    snaktype: SnakType = "value"
    datavalue: DataValue | None = None


class MainSnak(Struct, gc=False):
    """The value of a statement."""

    snaktype: SnakType = "value"
    datatype: str | None = None
    datavalue: DataValue | None = None


class ReferenceSnaks(Struct, gc=False):
    """Of a reference, the URL (P854) is all that is landed."""

    P854: list[Snak] | None = None


class Reference(Struct, gc=False):
    """One reference of a statement."""

    snaks: ReferenceSnaks | list[Any] | None = None


class Statement(Struct, gc=False):
    """One claim; ``id`` and ``rank`` may be missing in old claim formats."""

    mainsnak: MainSnak
    id: str | None = None
    rank: Rank = "normal"
    qualifiers: dict[str, list[Snak]] | list[Any] | None = None
    references: list[Reference] | None = None


class Text(Struct, gc=False):
    """A label, description or alias."""

    value: str


class Site(Struct, gc=False):
    """A page about the entity on one of the Wikimedia sites."""

    title: str | None = None


class Redirect(Struct, gc=False, rename={"from_id": "from", "to_id": "to"}):
    """Set where the entity was asked for by an id that is now a redirect."""

    from_id: str
    to_id: str


class Entity(Struct):
    """One entity with what is landed of it.

    ``aliases`` are distinct and sorted, ``sitelinks`` is None where the document does not list them, ``claims`` maps
    property id to statements, and ``problems`` lists statements that could not be read: (property, why).
    """

    id: str | None
    type: str | None
    label: str | None
    label_lang: str | None
    description: str | None
    aliases: tuple[str, ...]
    wikipedia_title: str | None
    sitelinks: int | None
    claims: Mapping[str, list[Statement]]
    redirect: Redirect | None
    is_missing: bool
    problems: list[tuple[str, str]]


class _Document(Struct):
    """The envelope of an entity; ``labels`` and the like are replaced by fields for the asked language alone."""

    id: str | None = None
    type: str | None = None
    sitelinks: dict[str, Site] | list[Any] | None = None
    redirects: Redirect | None = None
    missing: str | bool | None = None


class _ListedSnak(Struct):
    property: str | None = None


class _Listed(Struct):
    mainsnak: _ListedSnak


class _ErrorBody(Struct):
    code: str = "unknown"
    info: str = "no explanation was given"


class _Answer(Struct):
    """An API answer, or an entity document (which has ``id`` or ``type``)."""

    error: _ErrorBody | None = None
    entities: dict[str, Raw] | list[Raw] | None = None
    entity: Raw = Raw()
    redirect: str | None = None
    id: str | None = None
    type: str | None = None


class EntityDecoder:
    """Decodes entity JSON for one label language and, if wanted, a few properties only.

    Args:
        language: code of the labels, descriptions, aliases and Wikipedia to read; labels fall back to ``mul``.
        properties: property ids whose statements are read; others are skipped unread. None reads all.
    """

    def __init__(self, language: str = "en", properties: Collection[str] | None = None) -> None:
        self.language = language
        self._site = language.replace("-", "_") + "wiki"
        self._wanted = None if properties is None else sorted(properties)
        document, tolerant = _document_types(language, self._wanted)
        self._decode = msgspec.json.Decoder(document).decode
        self._decode_tolerant = msgspec.json.Decoder(tolerant).decode
        self._decode_statement = msgspec.json.Decoder(Statement).decode
        self._decode_answer = msgspec.json.Decoder(_Answer).decode

    def entity(self, text: bytes | Raw) -> Entity:
        """Decode one entity document: a dump line, or the value of ``entities.Q42``.

        Raises EntityJsonError where the text is no JSON or no entity. A single statement that cannot be read does
        not fail the entity; it is named in ``problems``.
        """
        problems: list[tuple[str, str]] = []
        try:
            found = self._decode(text)
            claims = self._claims(found.claims)
        except msgspec.ValidationError:
            found = self._tolerant(text)
            claims = self._readable(found.claims, problems)
        except msgspec.DecodeError as error:
            raise EntityJsonError(_cause(error)) from error
        if found.type == "statement" or (found.type is None and found.id is None and found.missing is None):
            raise EntityJsonError("it is JSON, but no entity: it has no id and no type of entity")
        label, label_lang = self._label(found.labels)
        sites = found.sitelinks
        return Entity(
            id=found.id,
            type=found.type,
            label=label,
            label_lang=label_lang,
            description=found.descriptions.own.value if _has_own(found.descriptions) else None,
            aliases=_aliases(found.aliases),
            wikipedia_title=sites[self._site].title if isinstance(sites, dict) and self._site in sites else None,
            sitelinks=len(sites) if sites is not None else None,
            claims=claims,
            redirect=found.redirects,
            is_missing=found.missing is not None and found.missing is not False,
            problems=problems,
        )

    def statement(self, text: bytes | Raw) -> Statement:
        """Decode one claim by itself. Raises EntityJsonError where it cannot be read."""
        try:
            return self._decode_statement(text)
        except msgspec.DecodeError as error:
            raise EntityJsonError(_cause(error)) from error

    def documents(self, body: bytes) -> list[Entity]:
        """All entities of a document: wbgetentities and Special:EntityData answers, one entity, or a list of them.

        Raises ApiError for an API's error answer and EntityJsonError for anything else that holds no entity.
        """
        try:
            if body.lstrip()[:1] == b"[":
                return [self.entity(raw) for raw in msgspec.json.decode(body, type=list[Raw])]
            answer = self._decode_answer(body)
        except msgspec.DecodeError as error:
            raise EntityJsonError(_cause(error)) from error
        if answer.error is not None:
            raise ApiError(f"The Wikidata API answered with error {answer.error.code}: {answer.error.info}")
        if answer.entities is not None:
            values = answer.entities.values() if isinstance(answer.entities, dict) else answer.entities
            return [self.entity(raw) for raw in values]
        if answer.id is not None or not bytes(answer.entity):
            return [self.entity(body)]
        if answer.redirect is None:
            return [self.entity(answer.entity)]
        return [_redirect_entity(msgspec.json.decode(answer.entity, type=str), answer.redirect)]

    def _claims(self, claims: Any) -> Mapping[str, list[Statement]]:
        """Claims by property. Raises ValidationError for claims in a list, which only the tolerant way reads."""
        if isinstance(claims, dict):
            return claims
        if claims is None or self._wanted is None or isinstance(claims, list):
            if claims:
                raise msgspec.ValidationError("claims are a list")
            return {}
        found = ((prop, getattr(claims, prop)) for prop in self._wanted)
        return {prop: statements for prop, statements in found if statements}

    def _tolerant(self, text: bytes | Raw) -> Any:
        try:
            return self._decode_tolerant(text)
        except msgspec.DecodeError as error:
            raise EntityJsonError(_cause(error)) from error

    def _readable(self, claims: Any, problems: list[tuple[str, str]]) -> dict[str, list[Statement]]:
        """The statements that can be read one by one; the others go to ``problems``."""
        kept: dict[str, list[Statement]] = {}
        if isinstance(claims, dict):
            pairs = [(prop, raw) for prop, raws in claims.items() for raw in raws]
        else:
            pairs = [(_property_of(raw), raw) for raw in claims or ()]
        for prop, raw in pairs:
            if self._wanted is not None and prop not in self._wanted:
                continue
            try:
                statement = self._decode_statement(raw)
            except msgspec.ValidationError as error:
                problems.append((prop or "no property", _cause(error)))
                continue
            if prop is None:
                problems.append(("no property", "the statement does not say its property"))
            else:
                kept.setdefault(prop, []).append(statement)
        return kept

    def _label(self, found: Any) -> tuple[str | None, str | None]:
        """The label and the language it is in: the asked one, else the fallback."""
        if _has_own(found):
            return found.own.value, self.language
        if found is None or isinstance(found, list) or found.other is None:
            return None, None
        return found.other.value, _fallback(self.language)


def _document_types(language: str, properties: Sequence[str] | None) -> tuple[Any, Any]:
    """The struct types of an entity document for these languages and properties: (strict, tolerant).

    They are made on the spot because msgspec skips the keys a struct lacks without building anything from them.
    """
    texts: Any = msgspec.defstruct(
        "Texts",
        [("own", Text | None, None), ("other", Text | None, None)],
        rename={"own": language, "other": _fallback(language)},
        gc=False,
    )
    aliases: Any = msgspec.defstruct("Aliases", [("own", list[Text], [])], rename={"own": language}, gc=False)
    if properties is None:
        claims: Any = dict[str, list[Statement]]
    else:
        claims = msgspec.defstruct("Claims", [(prop, list[Statement], []) for prop in properties], gc=False)
    fields: list[Any] = [
        ("labels", texts | list[Any] | None, None),
        ("descriptions", texts | list[Any] | None, None),
        ("aliases", aliases | list[Any] | None, None),
    ]
    strict = [*fields, ("claims", claims | list[Any] | None, None)]
    tolerant = [*fields, ("claims", dict[str, list[Raw]] | list[Raw] | None, None)]
    return (
        msgspec.defstruct("Document", strict, bases=(_Document,), kw_only=True),
        msgspec.defstruct("TolerantDocument", tolerant, bases=(_Document,), kw_only=True),
    )


def _fallback(language: str) -> str:
    """``mul`` holds the labels that are the same in most languages, and are then left off in each."""
    return "en" if language == "mul" else "mul"


def _has_own(found: Any) -> bool:
    return found is not None and not isinstance(found, list) and found.own is not None


def _aliases(found: Any) -> tuple[str, ...]:
    return tuple(sorted({text.value for text in found.own})) if _has_own(found) else ()


def _property_of(statement: Raw) -> str | None:
    """The property a listed statement names in its main snak."""
    try:
        return msgspec.json.decode(statement, type=_Listed).mainsnak.property
    except msgspec.ValidationError:
        return None


def _redirect_entity(entity_id: str, target: str) -> Entity:
    return Entity(
        id=target, type=None, label=None, label_lang=None, description=None, aliases=(), wikipedia_title=None,
        sitelinks=None, claims={}, redirect=Redirect(from_id=entity_id, to_id=target), is_missing=False, problems=[],
    )  # fmt: skip


def _cause(error: Exception) -> str:
    """msgspec's message as the end of a sentence."""
    text = str(error).rstrip(".")
    return text if text.startswith("JSON") else text[:1].lower() + text[1:]
