"""What satisfies a schema, with jsonschema as the second opinion."""

from __future__ import annotations

import random
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from dagster_defs.llm.structured import parse, prepared, schema_of
from dagster_defs.steps.solve import forms


class Tree(BaseModel):
    """A form that refers to itself."""

    name: Literal["leaf", "branch"]
    kind: Literal["tree"]
    size: int | None
    children: list[Tree]


FORMS = (forms.Answer, forms.Method, forms.Table, forms.Judgement, Tree)
NAMES = ("answer", "unit", "columns", "method", "tuples", "same", "name", "kind", "size", "children", "entity", "value")
PLAIN: tuple[Any, ...] = (None, True, False, 0, 1, 2.5, -3.0, "", "a", "yes", "no", "leaf", "branch", "tree")


def made_up(chance: random.Random, schema: Any, root: Any) -> Any:
    """A value that satisfies ``schema``, or one that misses it somewhere."""
    if chance.random() < 0.08 or not schema:
        return chance.choice([*PLAIN, [], {}, [chance.choice(PLAIN)], {chance.choice(NAMES): chance.choice(PLAIN)}])
    if "$ref" in schema:
        return made_up(chance, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        return made_up(chance, chance.choice(schema["anyOf"]), root)
    if "enum" in schema or "const" in schema:
        return chance.choice(schema.get("enum") or [schema["const"]])
    if schema.get("type") == "array":
        return [made_up(chance, schema["items"], root) for _ in range(chance.choice([0, 0, 1, 2]))]
    if schema.get("type") == "object":
        found = {name: made_up(chance, inner, root) for name, inner in schema.get("properties", {}).items()}
        if isinstance(schema.get("additionalProperties"), dict):
            found["x"] = made_up(chance, schema["additionalProperties"], root)
        if found and chance.random() < 0.05:
            del found[chance.choice(sorted(found))]
        if chance.random() < 0.05:
            found["more"] = 1
        return found
    return chance.choice(PLAIN)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_it_agrees_with_jsonschema(form: type[BaseModel]) -> None:
    chance = random.Random(7)
    schema = schema_of(form)
    sound, validator = prepared(schema).validator.is_valid, Draft202012Validator(schema)
    told = set()
    for _ in range(3000):
        value = made_up(chance, schema, schema)
        assert sound(value) == validator.is_valid(value), value
        told.add(sound(value))
    assert told == {True, False}


def test_bounds_count_and_a_whole_number_with_a_point_is_an_integer() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "number", "minimum": 5}}, "required": ["x"]}
    assert parse('{"x": 6}', schema).value == {"x": 6}
    assert "less than the minimum" in (parse('{"x": 4}', schema).error or "")
    # A whole number with a point is an integer to JSON Schema.
    assert parse('{"x": 4.0}', {**schema, "properties": {"x": {"type": "integer"}}}).value == {"x": 4.0}


def test_a_schema_that_changes_its_text_under_one_name_is_another_schema() -> None:
    for kind, error in (("string", None), ("number", 'its [\'x\']: "a" is not of type "number"')):
        schema = {"type": "object", "properties": {"x": {"type": kind}}}
        assert parse('{"x": "a"}', schema).error == error
