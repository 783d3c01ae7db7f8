"""A quick look whether a value satisfies a JSON schema, for the schemas that answers are asked in.

jsonschema, which says what is wrong and knows every keyword, took a fifth of the processor time of a call. Nearly every
answer is sound, so it is asked only about those that this cannot vouch for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]

_KNOWN = frozenset(
    {"$defs", "$ref", "additionalProperties", "anyOf", "const", "enum", "items", "properties", "required", "type"}
)
_TYPES: Mapping[str, Check] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())
    ),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}
_DEFINED = "#/$defs/"


class _Unknown(Exception):
    """The schema says something that is not looked at here."""


def quick_check(schema: Mapping[str, Any]) -> Check:
    """Whether a value surely satisfies ``schema``; False where it does not, or where nobody knows.

    A schema with a keyword other than pydantic's usual ones is never vouched for.
    """
    try:
        return _Compiler(schema).check(schema)
    except (_Unknown, KeyError, TypeError, AttributeError):
        return lambda value: False


class _Compiler:
    """Turns schemas into functions; definitions may refer to themselves, so each is looked up when it is needed."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._definitions: dict[str, Check] = {}
        for name, inner in root.get("$defs", {}).items():
            self._definitions[name] = self.check(inner)

    def check(self, schema: Mapping[str, Any] | bool) -> Check:
        """The function of one schema; raises _Unknown."""
        if isinstance(schema, bool):
            return lambda value: schema
        if not schema.keys() <= _KNOWN:
            raise _Unknown
        parts: list[Check] = []
        if "$ref" in schema:
            parts.append(self._defined(schema["$ref"]))
        if "type" in schema:
            parts.append(_typed(schema["type"]))
        if "enum" in schema or "const" in schema:
            parts.append(_one_of(schema))
        if "anyOf" in schema:
            parts.append(self._any(schema["anyOf"]))
        if "items" in schema:
            parts.append(self._items(schema["items"]))
        if schema.keys() & {"properties", "required", "additionalProperties"}:
            parts.append(self._object(schema))
        return parts[0] if len(parts) == 1 else lambda value: all(part(value) for part in parts)

    def _defined(self, reference: str) -> Check:
        if not reference.startswith(_DEFINED):
            raise _Unknown
        name, definitions = reference.removeprefix(_DEFINED), self._definitions
        return lambda value: name in definitions and definitions[name](value)

    def _any(self, schemas: list[Mapping[str, Any]]) -> Check:
        checks = [self.check(schema) for schema in schemas]
        return lambda value: any(check(value) for check in checks)

    def _items(self, schema: Mapping[str, Any]) -> Check:
        check = self.check(schema)
        return lambda value: not isinstance(value, list) or all(check(item) for item in value)

    def _object(self, schema: Mapping[str, Any]) -> Check:
        properties = {name: self.check(inner) for name, inner in schema.get("properties", {}).items()}
        required = frozenset(schema.get("required", ()))
        other = self.check(schema.get("additionalProperties", True))

        def check(value: Any) -> bool:
            if not isinstance(value, dict):
                return True
            return required <= value.keys() and all(properties.get(name, other)(inner) for name, inner in value.items())

        return check


def _typed(names: str | list[str]) -> Check:
    checks = [_TYPES[name] for name in ([names] if isinstance(names, str) else names)]
    return checks[0] if len(checks) == 1 else lambda value: any(check(value) for check in checks)


def _one_of(schema: Mapping[str, Any]) -> Check:
    """Texts alone: of numbers and truth values, JSON and Python disagree which are equal."""
    listed = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]
    if not all(isinstance(value, str) for value in listed) or {"enum", "const"} <= schema.keys():
        raise _Unknown
    allowed = frozenset(listed)
    return lambda value: isinstance(value, str) and value in allowed
