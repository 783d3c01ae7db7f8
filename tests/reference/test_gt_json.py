"""Reference corpora in a file: what is written is read again, odd shapes are named, the web's words are left out."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.errors import RunError
from dagster_defs.steps.reference.gt_json import take, write
from dagster_defs.steps.reference.json_stream import entries
from tests.brave import hit
from tests.reference.conftest import Desk, Rows

NILE = {
    "entity_id": "Q3392",
    "texts": [
        {"source": "wikipedia", "url": "https://w.example/Nile", "text": "# Nile\nLong.\n## Mouth\nSea."},
        {"source": "web", "url": "https://a.example", "text": "Words that are not kept."},
    ],
    "triples": [
        {"Subject": "Nile", "predicate": "length", "OBJECT": 6650, "sentence": "Long.", "source": "wikipedia",
         "url": "https://w.example/Nile"},
        ["Nile", "mouth", "Mediterranean Sea"],
        {"subject": "Nile", "predicate": "kind", "object": "river", "source": "Web", "url": "https://a.example",
         "sentence": "Words that are not kept."},
        {"subject": "Nile", "predicate": "", "object": "x"},
    ],
}  # fmt: skip


def written(folder: Path, content: Any, *, packed: bool = True, mark: bytes = b"") -> Path:
    path = folder / "GT.json.gz"
    text = mark + (content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode())
    path.write_bytes(gzip.compress(text) if packed else text)
    return path


def without_times(rows: Rows) -> Rows:
    return [
        {name: value for name, value in row.items() if name not in ("retrieved_at", "reference_id")} for row in rows
    ]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("packed", [True, False])
def test_an_entry_lands_as_passages_triples_and_references(desk: Desk, packed: bool, mark: bytes) -> None:
    path = written(desk.folder, {"Nile": NILE, "Other": {"triples": [["a", "b", "c"]]}}, packed=packed, mark=mark)
    taken = take(path, "random", {"Other": "Q7"}, desk.landing)
    assert taken.reference_id.startswith("random--")
    assert taken.sentences() == [
        "2 titles (0 of no known entity): 2 passages and 4 reference triples; 1 triples lacked a part and were left"
        " out, and 0 texts and triples that a warehouse records itself."
    ]
    passages = desk.landed("passages")
    assert [(row["entity_id"], row["ordinal"], row["text"]) for row in passages] == [
        ("Q3392", 0, "Nile\nLong."),
        ("Q3392", 1, "Nile > Mouth\nSea."),
    ]
    triples = [
        (row["entity_id"], row["source"], row["ordinal"], row["object"], row["sentence"])
        for row in desk.landed("reference_triples")
    ]
    assert triples == [
        ("Q3392", "wikipedia", 0, "6650", "Long."),
        ("Q3392", "wikipedia", 1, "Mediterranean Sea", None),
        ("Q3392", "web", 0, "river", None),
        ("Q7", "wikipedia", 0, "c", None),
    ]
    references = {(row["entity_id"], row["source_url"]): row for row in desk.landed("references")}
    assert {row["extractor"] for row in references.values()} == {"import"}
    web = references["Q3392", "https://a.example"]
    assert (web["source"], web["n_passages"], web["n_triples"], web["outcome"]) == ("web", 1, 1, "read")
    assert set(references) == {
        ("Q3392", "https://w.example/Nile"), ("Q3392", "https://a.example"),
        ("Q3392", "https://en.wikipedia.org/wiki/Nile"), ("Q7", "https://en.wikipedia.org/wiki/Other"),
    }  # fmt: skip
    for landed in desk.landing.rglob("*.parquet"):
        assert b"Words that are not kept" not in landed.read_bytes()


def test_a_list_of_titles_is_read_too_and_unknown_titles_have_ids_of_their_own(desk: Desk) -> None:
    content = [{"title": "Vorrendale", "texts": ["It is not."]}, {"title": "Nile", "entity_id": "Q3392"}]
    taken = take(written(desk.folder, content), "made", {}, desk.landing)
    own = f"name:{hashlib.md5(b'Vorrendale').hexdigest()}"
    assert taken.entities == {own, "Q3392"}
    assert (taken.titles, taken.unlinked, taken.passages) == (2, 1, 1)
    assert desk.landed("passages")[0]["text"] == "Vorrendale\nIt is not."


def test_many_titles_land_fifty_a_file(desk: Desk) -> None:
    content = {f"T{n}": {"triples": [["a", "b", str(n)]]} for n in range(120)}
    take(written(desk.folder, content), "big", {}, desk.landing)
    assert len(list((desk.landing / "references").glob("big--*+*.parquet"))) == 3
    assert [row["object"] for row in desk.landed("reference_triples")] == [str(n) for n in range(120)]


def publish(desk: Desk) -> None:
    """Publish what has landed, as the models would."""
    with duckdb.connect(str(desk.database)) as connection:
        for dataset, key in (("passages", "passage_id"), ("reference_triples", "triple_id")):
            files = str(desk.landing / dataset / "*--*.parquet")
            order = f"format('{{}}|{{}}|{{:06d}}', entity_id, source, ordinal) as {key}"
            connection.execute(
                f"create or replace table elicitation.{dataset} as select {order}, * from read_parquet('{files}')"
            )


def test_what_is_written_is_read_again_to_the_same_rows(desk: Desk) -> None:
    desk.brave.results["the nile"] = [hit("https://a.example/1", "Nile", "The Nile has the length with value 6650km.")]
    desk.build(web=True, passage_tokens=100)
    publish(desk)
    path = desk.folder / "out" / "GT.json.gz"
    assert write(path, desk.database, "random") == 6
    assert path.read_bytes() == (write(path, desk.database, "random"), path.read_bytes())[1], "the same bytes again"
    content = json.loads(gzip.decompress(path.read_bytes()))
    assert list(content) == ["the nile", "Amazon", "Stub", "Mercury", "Nobody", "Charles de Gaulle"]
    assert content["the nile"]["entity_id"] == "Q3392"
    assert [text["source"] for text in content["the nile"]["texts"]] == ["wikipedia"]
    assert {triple["sentence"] for triple in content["the nile"]["triples"] if triple["source"] == "web"} == {None}
    assert "with value 6650km." not in json.dumps(content)
    other = Desk(desk.folder / "other", desk.server, desk.wiki, desk.brave)
    take(path, "random", {}, other.landing, passage_tokens=100)
    assert without_times(other.landed("passages")) == without_times(desk.landed("passages"))
    kept = ("entity_id", "source", "subject", "predicate", "object", "source_url", "sentence")
    first, second = (
        sorted([str(row[name]) for name in kept] for row in each.landed("reference_triples")) for each in (desk, other)
    )
    assert first == second


def test_two_entities_of_one_name_are_both_written(desk: Desk) -> None:
    desk.publish([("Q1", "Mercury"), ("Q2", "Mercury")])
    with duckdb.connect(str(desk.database)) as connection:
        connection.execute(
            "create table elicitation.passages (entity_id text, source text, source_url text, text text, ordinal int)"
        )
        connection.execute(
            "create table elicitation.reference_triples (triple_id text, entity_id text, subject text, predicate text,"
            " object text, source text, source_url text, sentence text)"
        )
        connection.execute("insert into elicitation.passages values ('Q1', 'warehouse', null, 'a metal', 0)")
    path = desk.folder / "GT.json.gz"
    write(path, desk.database, "random")
    content = json.loads(gzip.decompress(path.read_bytes()))
    assert list(content) == ["Mercury (Q1)", "Mercury (Q2)"]
    assert content["Mercury (Q1)"]["texts"] == [
        {"source": "warehouse", "url": None, "title": "Mercury", "text": "a metal"}
    ]
    taken = take(path, "random", {}, desk.landing)
    assert (taken.entities, taken.recorded, taken.passages) == ({"Q1", "Q2"}, 1, 0)
    assert desk.landed("references") == desk.landed("passages") == [], "what a warehouse records is its own"


BAD: dict[str, tuple[Any, str]] = {
    "no JSON": (b"hello", "at entry 1: [{] or \\[ is missing|at entry 1: .* is missing"),
    "empty": (b"", "at entry 1: it ends too early"),
    "no titles": ({}, "holds no titles: give an object of title -> texts and triples"),
    "cut off": (b'{"Nile": {"texts": [], "triples": [["a", "b"', "at entry 1 .after 'Nile'.: it is damaged or ends"),
    "cut off behind": (b'{"Nile": {}, "Other"', "at entry 2 .after 'Nile'.: it ends too early"),
    "more behind": (b'{"Nile": {}} {}', "something stands behind its end"),
    "a text as entry": ({"Nile": "text"}, "The entry of 'Nile' in .* is no object"),
    "texts as object": ({"Nile": {"texts": {"a": 1}}}, "The 'texts' of 'Nile' in .* are no list"),
    "a text without text": ({"Nile": {"texts": [{"url": "x"}]}}, "Text 1 of 'Nile' in .* is no text"),
    "a triple of two": ({"Nile": {"triples": [["a", "b", "c"], ["a", "b"]]}}, "Triple 2 of 'Nile' in .* is none"),
    "an id that is none": ({"Nile": {"entity_id": 5}}, "The 'entity_id' of 'Nile' in .* is no text"),
    "no title": ([{"title": "Nile"}, {"texts": []}], "Entry 2 of .* has no title"),
    "twice": (b'{"Nile": {}, "Nile": {}}', "'Nile' .* is in the file twice"),
    "not UTF-8": (b'{"Nile": {"texts": ["\xff"]}}', "it is not in UTF-8"),
    "deep": (b'{"Nile": ' + b"[" * 100_000, "nested too deeply|damaged or ends"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_odd_file_is_named_in_one_sentence(name: str, desk: Desk) -> None:
    content, said = BAD[name]
    with pytest.raises(RunError, match=said) as raised:
        take(written(desk.folder, content), "random", {}, desk.landing)
    assert "\n" not in str(raised.value)
    assert str(raised.value).endswith(".")


def test_a_damaged_archive_and_a_missing_file_are_told(desk: Desk) -> None:
    path = written(desk.folder, {"Nile": NILE})
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(RunError, match="it can't be unpacked or read"):
        take(path, "random", {}, desk.landing)
    with pytest.raises(RunError, match=r"Cannot read .*nowhere: No such file"):
        take(desk.folder / "nowhere", "random", {}, desk.landing)
    with pytest.raises(RunError, match="There is no entity set 'domains'"):
        write(path, desk.database, "domains")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Drip(io.BytesIO):
    """A file that gives a few bytes at a time, as a pipe may."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(3)


@given(st.dictionaries(st.text(), VALUES) | st.lists(VALUES), st.sampled_from([None, 1]), st.booleans())
def test_entries_are_those_of_the_json_module(content: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(content, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")
    plain = json.loads(text)
    expected = list(plain.items()) if isinstance(plain, dict) else [("", one) for one in plain]
    assert list(entries(Drip(text), "f")) == expected
