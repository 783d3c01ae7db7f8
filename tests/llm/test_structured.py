"""Schemas that strict servers take, and reading whatever a model writes."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from dagster_defs.llm.structured import clean, instruction, is_strict, parse, schema_of


class Row(BaseModel):
    """A tuple of a working table."""

    entity: str
    value: float | None = None


class Table(BaseModel):
    """What a model is asked for."""

    rows: list[Row] = Field(default_factory=list, description="all of them")
    verdict: Literal["yes", "no"] = "yes"
    title: str = "a property that is called like a keyword"


class Counts(BaseModel):
    """A distribution."""

    answer: str | dict[str, float]


class Rows(BaseModel):
    """A list alone."""

    rows: list[Row]


TABLE = schema_of(Table)
ROWS = schema_of(Rows)
GOOD = {"rows": [{"entity": "a", "value": 1.5}, {"entity": "b", "value": None}]}


def test_a_schema_closes_every_object_and_requires_every_property() -> None:
    Draft202012Validator.check_schema(TABLE)
    assert TABLE["additionalProperties"] is False
    assert TABLE["required"] == ["rows", "verdict", "title"]
    row = TABLE["$defs"]["Row"]
    assert (row["additionalProperties"], row["required"]) == (False, ["entity", "value"])
    assert TABLE["properties"]["title"] == {"type": "string"}
    assert is_strict(TABLE)


def test_an_open_object_is_told() -> None:
    assert not is_strict(schema_of(Counts))
    assert parse('{"answer": {"x": 1}}', schema_of(Counts)).value == {"answer": {"x": 1}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        "\n  " + json.dumps(GOOD, indent=2) + "\n",
        "```json\n" + json.dumps(GOOD) + "\n```",
        "Here you are:\n```\n" + json.dumps(GOOD) + "\n```\nAnything else?",
        "Sure! " + json.dumps(GOOD) + " That is all.",
        "First I thought [1, 2], or {x}. Then: " + json.dumps(GOOD),
        '<think>{"rows": []} is too short</think>' + json.dumps(GOOD),
        '{"rows": []}\nNo, on reflection:\n' + json.dumps(GOOD),
        '```json\n{"rows": []}\n```\nbetter:\n```json\n' + json.dumps(GOOD) + "\n```",
    ],
)
def test_the_value_is_found_wherever_it_stands(text: str) -> None:
    parsed = parse(text, ROWS)
    assert (parsed.value, parsed.truncated, parsed.error) == (GOOD, False, None)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"rows": [{"entity": "a", "value": 1}, {"entity": "b", "val', [{"entity": "a", "value": 1}]),
        ('{"rows": [{"entity": "a", "value": 1}, {"entity": "b", "value": 2}', 2),
        ('{"rows": [{"entity": "a", "value": 1}, ', [{"entity": "a", "value": 1}]),
        ('Sure:\n```json\n{"rows": [{"entity": "a]}", "value": 1},\n {"ent', [{"entity": "a]}", "value": 1}]),
        ('{"rows": [{"entity": "a\\"", "value": null}, {"entity": "unfinished \\', [{"entity": 'a"', "value": None}]),
    ],
)
def test_complete_elements_of_a_cut_list_are_kept(text: str, kept: Any) -> None:
    parsed = parse(text, ROWS)
    assert parsed.truncated
    rows = parsed.value["rows"]
    assert len(rows) == kept if isinstance(kept, int) else rows == kept


def test_a_cut_inner_list_is_no_complete_element() -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "array"}}}
    assert parse('{"a": [["x", "y"], ["z", ', schema).value == {"a": [["x", "y"]]}
    assert parse('{"a": [{"b": [1, 2, ', schema).value is None
    assert parse('{"a": [1, 2, 3', schema).value == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("   \n", "it is empty"),
        ("I cannot say.", "holds no complete JSON value"),
        ('{"rows": [', "holds no complete JSON value"),
        ('{"rows": [{"entity": "a", "value": NaN}]}', "holds no complete JSON value"),
        ('{"rows": [{"entity": "a", "value": 1e999}]}', "holds no complete JSON value"),
        ('{"rows": 3}', "its ['rows']: 3 is not of type \"array\""),
        ('{"rows": [], "more": 1}', "Additional properties are not allowed"),
        ("{}", '"rows" is a required property'),
        ("[" * 5000, "holds no complete JSON value"),
        ('{"rows":' * 5000, "holds no complete JSON value"),
        ("[" * 500 + "]" * 500, "holds no complete JSON value"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    parsed = parse(text, ROWS)
    assert parsed.value is None
    assert said in (parsed.error or "")


BROKEN = st.lists(
    st.one_of(
        st.text(max_size=5),
        st.sampled_from(
            ['{"rows"', ":", "[", "]", "{", "}", '"', "\\", ",", "null", "1e9", "```json\n", "```", "<think>", "\ud800"]
        ),
    ),
    max_size=60,
).map("".join)


@given(st.one_of(st.text(), BROKEN), st.sampled_from([ROWS, TABLE, {}, {"type": "array"}, {"type": "string"}]))
def test_no_text_raises_and_every_value_satisfies_its_schema(text: str, schema: dict[str, Any]) -> None:
    parsed = parse(text, schema)
    if parsed.error is None:
        Draft202012Validator(schema).validate(parsed.value)
        json.dumps(parsed.value, allow_nan=False).encode()
    else:
        assert parsed.value is None


ROW = st.fixed_dictionaries(
    {"entity": st.text(), "value": st.none() | st.floats(allow_nan=False, allow_infinity=False)}
)


@given(st.lists(ROW, min_size=1, max_size=6), st.data())
def test_cutting_anywhere_keeps_a_beginning_of_the_list(rows: list[dict[str, Any]], data: st.DataObject) -> None:
    rows = [{**row, "entity": clean(row["entity"])} for row in rows]
    text = json.dumps({"rows": rows}, ensure_ascii=data.draw(st.booleans()))
    cut = data.draw(st.integers(0, len(text) - 1))
    parsed = parse(text[:cut], ROWS)
    complete = 0
    for count in range(1, len(rows) + 1):
        if len(json.dumps({"rows": rows[:count]}, ensure_ascii=text.isascii())) - 2 <= cut:
            complete = count
    if complete:
        assert parsed.value == {"rows": rows[:complete]}
        assert parsed.truncated
    else:
        assert parsed.value is None


def test_texts_that_no_database_can_hold_are_mended() -> None:
    assert parse('{"rows": [{"entity": "a\\ud800\\u0000b", "value": 1}]}', ROWS).value["rows"][0]["entity"] == "a��b"
    assert clean("x\udfffy\x00") == "x�y�"


def test_the_instruction_holds_the_schema() -> None:
    assert json.loads(instruction(ROWS).split("\n", 1)[1]) == ROWS
