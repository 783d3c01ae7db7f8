"""Sets of questions side by side: what a file gives, what a sample is, and measures against one pair at a time."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
import pytest

from dagster_defs.errors import RunError
from dagster_defs.steps.distinct import QuestionFile, measure, own_sets, read_file, sample
from dagster_defs.steps.distinct.sets import question_set
from dagster_defs.steps.diversity.distinct import self_bleu

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


class Letters:
    """Embeds a text by how often it has each letter."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        counts = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], float)
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)


def written(folder: Path, lines: Sequence[object]) -> Path:
    path = folder / "theirs v1.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    return path


def questions(name: str, n: int) -> QuestionFile:
    dice = np.random.default_rng(n)
    words = ["lake", "river", "how", "deep", "which", "many", "high", "named", "after", "zebra"]
    return question_set(name, [f"{' '.join(dice.choice(words, 8))} {i}?" for i in range(n)])


def test_a_file_gives_its_different_texts_whatever_the_field_is_called(tmp_path: Path) -> None:
    found = read_file(written(tmp_path, [{"id": 1, "Problem": " b? "}, "", {"Problem": "a?"}, {"Problem": "b?"}]))
    assert found == QuestionFile("theirs_v1", ("a?", "b?"))
    named = read_file(written(tmp_path, [{"question": "x", "q": "c?"}, {"q": "d?", "question": "y"}]), "q")
    assert named.texts == ("c?", "d?")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([{"question": "a"}, "{oops"], "line 2 of"),
        ([{"question": "a"}, ["b"]], "no JSON object"),
        ([{"answer": "a"}], "--field"),
        ([{"question": "a"}, {"question": 7}], "line 2 of"),
        ([{"question": "a"}, {"question": "a"}], "has 1 different questions"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(lines: list[object], said: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=said):
        read_file(written(tmp_path, lines))
    with pytest.raises(RunError, match="can't be read"):
        read_file(tmp_path / "nowhere.jsonl")


def test_a_sample_is_a_matter_of_the_seed_and_of_no_order() -> None:
    whole = questions("ours", 300)
    drawn = sample(whole, 198, 0)
    assert drawn == sample(question_set("ours", whole.texts[::-1]), 198, 0)
    assert len(set(drawn)) == 198
    assert set(drawn) != set(sample(whole, 198, 1))
    # most of a sample stays when a question is added
    assert len(set(drawn) & set(sample(question_set("ours", [*whole.texts, "new?"]), 198, 0))) >= 197


def test_every_set_is_measured_on_samples_of_the_smallest_ones_size() -> None:
    ours, theirs = questions("ours", 60), questions("theirs", 25)
    said: list[str] = []
    found = list(
        measure([ours], [theirs], {"letters": Letters()}, n=198, seeds=(0, 1), filters="letters", say=said.append)
    )
    assert said == ["Samples are of 25 questions, not 198: theirs has no more."]
    assert {row.n for row in found} == {25}
    assert len(found) == 2 * 2 * 2
    for row in found:
        texts = sample(row.questions, 25, row.seed)
        if row.measure == "self_bleu":
            assert (row.embedder, row.of_filter) == ("none", False)
            assert row.value == self_bleu(texts)
        else:
            vectors = Letters().embed(texts).astype(float)
            assert row.value == pytest.approx(np.mean([1 - a @ b for a, b in combinations(vectors, 2)]), rel=1e-6)
            assert (row.embedder, row.of_filter) == ("letters", True)
        assert row.is_own == (row.questions is ours)


def test_a_measurement_lands_once_however_often_it_is_made(tmp_path: Path) -> None:
    for _ in range(2):
        for row in measure([questions("ours", 9)], [], {"letters": Letters()}, n=5, seeds=(0,), filters="m"):
            row.land(tmp_path, NOW)
    files = sorted((tmp_path / "distinctiveness").glob("*.parquet"))
    assert [pq.read_table(file).num_rows for file in files] == [1, 1]


def test_the_published_questions_are_a_set_for_each_family(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="run `make build` first"):
        own_sets(tmp_path / "assay.duckdb")
    with duckdb.connect(str(tmp_path / "assay.duckdb")) as connection:
        connection.execute("create schema questions")
        connection.execute(
            "create table questions.questions as select case when i < 3 then 'one' else 'two' end as family,"
            " 'question ' || i as question from range(9) r (i)"
        )
    assert [(found.name, len(found.texts)) for found in own_sets(tmp_path / "assay.duckdb")] == [
        ("assay-one", 3),
        ("assay-two", 6),
    ]
