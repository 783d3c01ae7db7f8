"""Answers that are cut off or can't be read: pieces are halved, tried again, and counted where they stay unread."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.llm.budget import estimated_tokens
from dagster_defs.steps.chunks import Document
from dagster_defs.steps.passages import SMALLEST_TOKENS, Piece, cut, plain
from dagster_defs.steps.reference.texts import as_markdown
from tests.llm.server import Fault, Request, Response, as_json, completion, says
from tests.reference.conftest import Desk, answer, fenced, read
from tests.reference.test_reference import SENTENCES, triples_of

WORDS = st.lists(st.text("abcdefgäß漢.!? \n", min_size=1, max_size=12), min_size=1, max_size=60).map(" ".join)


def short_of_breath(most: int, rest: str, finish: str = "length") -> Fault:
    """An extractor whose answers break off after so many triples, or before the first where nothing of it is left."""

    def say(request: Request) -> Response:
        triples = read(request)
        if len(triples) <= most:
            return answer(triples)
        return as_json(completion(rest.replace("...", json.dumps(triples[0])), finish))

    return say


def test_an_answer_that_is_cut_off_is_asked_for_in_halves(desk: Desk) -> None:
    desk.server.always = short_of_breath(4, '{"triples": [{"subject": "Nile", "predicate": "x')
    report = desk.build(n=1, passage_tokens=256)
    rows = desk.landed("reference_triples")
    assert {(row["subject"], row["predicate"], row["object"]) for row in rows} == triples_of("Nile")
    numbers = [int(re.findall(r"\d+", row["predicate"])[0]) for row in rows]
    assert numbers == sorted(numbers), "the order of the text"
    assert report.unread == 0
    assert len(desk.server.chats) > report.passages


@pytest.mark.parametrize("finish", ["length", "stop"])
def test_a_list_that_was_mended_counts_as_cut_off(desk: Desk, finish: str) -> None:
    """Complete elements before the break are no whole answer, whatever the server calls its end."""
    desk.server.always = short_of_breath(4, '{"triples": [..., {"subject": "Ni', finish)
    report = desk.build(n=1)
    assert (report.triples, report.unread, report.repeated) == (SENTENCES, 0, 0)


def test_what_stays_cut_off_is_counted_and_not_kept_in_part(desk: Desk) -> None:
    desk.server.always = says('{"triples": [{"subject": "Nile", "predicate": "a", "object": "b", "sent', "length")
    report = desk.build(n=1)
    (row,) = desk.landed("references")
    assert (row["outcome"], row["n_triples"], row["n_unread"]) == ("read", 0, row["n_passages"])
    assert report.unread == row["n_passages"] > 0
    sizes = [estimated_tokens(fenced(request)[1]) for request in desk.server.chats]
    assert min(sizes) <= SMALLEST_TOKENS
    chats = len(desk.server.chats)
    desk.build(n=1)
    assert len(desk.server.chats) == chats, "what could not be read is not asked for ever"


def test_one_passage_that_stays_unread_leaves_the_others(desk: Desk) -> None:
    def say(request: Request) -> Response:
        if "v3x1" in fenced(request)[1]:
            return as_json(completion('{"triples": [', "length"))
        return answer(read(request))

    desk.server.always = say
    report = desk.build(n=1)
    lost = {(row["predicate"]) for row in desk.landed("reference_triples")}
    missing = {predicate for _, predicate, _ in triples_of("Nile")} - lost
    assert "property number 3 of kind 1" in missing
    assert 1 <= len(missing) <= 4
    assert all(" 3 " in predicate for predicate in missing)
    assert report.unread == 1


def test_an_answer_that_is_no_json_is_asked_for_once_more(desk: Desk) -> None:
    seen: dict[str, int] = {}

    def say(request: Request) -> Response:
        text = fenced(request)[1]
        seen[text] = seen.get(text, 0) + 1
        return answer(read(request)) if request.body.get("seed") == 1 else as_json(completion("Here you are."))

    desk.server.always = say
    report = desk.build(n=1)
    assert (report.triples, report.unread) == (SENTENCES, 0)
    assert {request.body["temperature"] for request in desk.server.chats} == {0.0, 0.5}
    desk.server.always = says("Never.")
    other = desk.build(n=1, passage_tokens=100)
    assert other.unread == other.passages


@given(WORDS)
def test_halves_hold_every_word_and_end(body: str) -> None:
    waiting, words = [Piece(0, 0, "Heading", body)], []
    for _ in range(4 * len(body) + 4):
        if not waiting:
            break
        piece = waiting.pop(0)
        halves = piece.halves()
        assert len(halves) in (0, 2)
        assert all(len(half.body) < len(piece.body) for half in halves)
        if halves:
            waiting = halves + waiting
        else:
            words += piece.body.split()
            assert estimated_tokens(piece.body) <= SMALLEST_TOKENS or len(piece.body.split()) < 2
    assert not waiting
    assert words == body.split()


@given(st.text(max_size=200), st.text("ab #\n=", max_size=300), st.integers(64, 200))
def test_every_word_of_a_text_is_in_a_passage(title: str, text: str, size: int) -> None:
    found = cut(Document(title, text), size)
    said = " ".join(chunk.shown for chunk in found)
    words = [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
    for word in set(words):
        assert said.count(word) >= words.count(word)


@given(st.text("ab=# \n", max_size=200))
def test_only_headings_become_headings(text: str) -> None:
    lines = as_markdown("T", text).split("\n")
    plain_lines = [line for line in text.splitlines() if not re.fullmatch(r"\s*(={2,6})\s*(.+?)\s*\1\s*", line)]
    assert [line.strip() for line in lines[1:] if not line.startswith("#")] == [line.strip() for line in plain_lines]


@pytest.mark.parametrize(
    ("one", "other"),
    [("a  b\n c", "a b c"), ("“x” ‘y’", "\"x\" 'y'"), ("a\u00a0b", "a b"), ("Cafe\u0301", "Café")],
)
def test_sentences_are_compared_plainly(one: str, other: str) -> None:
    assert plain(one) == plain(other)
    assert plain("6,650 km") != plain("6650 km")
