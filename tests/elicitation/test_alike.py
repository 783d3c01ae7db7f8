"""Which pairs need no judge, and what is near to what."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.errors import RunError
from dagster_defs.steps.judge.alike import counterpart
from dagster_defs.steps.judge.nearest import Near, nearest
from dagster_defs.steps.judge.plan import Judging
from dagster_defs.steps.judge.texts import Elicited, Triple
from tests.llm.conftest import spec_of
from tests.solve.bench import FakeEmbedder


def triple(predicate: str, object_: str, key: str = "t") -> Triple:
    return Triple(key, "Q1", "Peru", predicate, object_, predicate.lower(), object_.lower())


SAME = [Near(0, 0.995)]


@pytest.mark.parametrize(
    ("one", "other", "counts"),
    [
        (triple("capital", "Lima"), triple("capital city", "Lima"), True),
        (triple("capital", "Lima"), triple("capital", "Lima, Peru"), True),
        (triple("capital", "Lima"), triple("capital city", "Lima, Peru"), False),
        (triple("born in 1879", "Ulm"), triple("born in 1978", "Ulm"), False),
        (triple("start", "1704-08-13"), triple("end", "1704-08-13"), True),
    ],
)
def test_likeness_alone_is_not_enough(one: Triple, other: Triple, counts: bool) -> None:
    assert (counterpart(one, SAME, [other], 0.99) is other) == counts


def test_below_the_threshold_nothing_stands_for_another() -> None:
    assert counterpart(triple("capital", "Lima"), [Near(0, 0.98)], [triple("capital", "Lima!")], 0.99) is None
    assert counterpart(triple("capital", "Lima"), SAME, [triple("capital", "Lima!")], 1.5) is None


@given(st.lists(st.text("abc ", min_size=1, max_size=8), min_size=1, max_size=30, unique=True), st.integers(1, 5))
def test_the_nearest_are_those_of_a_plain_search(texts: list[str], n: int) -> None:
    pools = {"one": texts, "two": texts[::-1], "none": []}
    found = nearest(dict.fromkeys(pools, texts[:3]), pools, n, FakeEmbedder())
    vectors = FakeEmbedder().embed(texts)
    for place, near in enumerate(found["one"]):
        similarities = np.round((vectors @ vectors[place]).astype(float), 6)
        assert [one.similarity for one in near] == sorted(similarities, reverse=True)[:n]
    assert found["none"] == [[] for _ in texts[:3]]


@given(st.sets(st.text("abcdef", min_size=1, max_size=6), max_size=40), st.integers(0, 99), st.integers(1, 20))
def test_a_larger_sample_holds_every_smaller_one_whatever_the_order(ids: set[str], seed: int, n: int) -> None:
    small, large = (Judging(spec_of("http://127.0.0.1:1"), "e", sample_size=size, seed=seed) for size in (n, 2 * n))
    drawn = small.drawn(sorted(ids))
    assert drawn == large.drawn(sorted(ids, reverse=True))[: len(drawn)]
    assert len(drawn) == min(n, len(ids))


@pytest.mark.parametrize("wrong", [{"sample_size": -1}, {"n_passages": 0}, {"threshold": 0.0}, {"n_triples": 0}])
def test_a_judgement_that_there_cannot_be_is_refused_in_a_sentence(wrong: dict[str, float]) -> None:
    with pytest.raises(RunError, match=r"^A judgement takes .*\.$"):
        Judging(spec_of("http://127.0.0.1:1"), "e", **wrong)  # type: ignore[arg-type]


def test_who_nothing_is_known_of_is_not_judged(tmp_path: Path) -> None:
    database = tmp_path / "assay.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("create schema elicitation; create table elicitation.matches (triple_id varchar)")
        connection.execute("create table elicitation.passages as select 'Q1' as entity_id")
        connection.execute(
            "create table elicitation.triples as select * from (values ('t1', 'x', 'Q1', false),"
            " ('t2', 'x', 'Q1', true), ('t3', 'x', 'title:1', false))"
            " as rows (triple_id, experiment_id, entity_id, is_duplicate)"
        )
    with Elicited(database) as source:
        assert source.triple_ids("x") == ["t1"]
