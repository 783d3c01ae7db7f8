"""Triples as CSV: nothing is lost on the way out and in, and nothing is guessed of a file that others wrote."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dagster_defs.errors import RunError
from dagster_defs.steps.elicit.csv_text import COLUMNS, EncodingError, encoding_of, read_triples, write_rows
from dagster_defs.steps.elicit.entities import Entity, EntitySet
from dagster_defs.steps.elicit.imports import Imported, import_triples, plain_title
from dagster_defs.steps.elicitation_rows import SCHEMAS

# No NUL, which no text of ours has, and no lone surrogate, which no file has.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40) | st.text(
    "'=+-@ ,;\t\r\n\"a", max_size=8
)
WORDS = TEXTS.filter(lambda text: text.strip() != "")
ASKED = EntitySet(
    "mine",
    (
        Entity("Q937", "Albert Einstein"),
        Entity("Q7186", "Marie Curie"),
        Entity("Q9036", "Nikola Tesla"),
        Entity("Q308", "Mercury"),
        Entity("Q925", "Mercury"),
    ),
    "sample-1",
)
METHOD = (
    "subject,predicate,object\n"
    "Albert_Einstein,instanceOf,physicist\n"
    "Albert_Einstein,birthPlace,Ulm\n"
    "Albert_Einstein,fieldOfWork,theoretical physics\n"
)
HEAD = "subject,predicate,object\n"


def normal(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def saved(folder: Path, content: str | bytes) -> Path:
    path = folder / "triples.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path) -> list[tuple[str, str, str]]:
    return [(row.subject, row.predicate, row.object) for row in read_triples(path)]


def complaint(path: Path) -> str | None:
    try:
        read(path)
    except RunError as error:
        return str(error)
    return None


def taken(folder: Path, content: str | bytes, **more: Any) -> Imported:
    wanted = {"model": "gpt-5", "setting": "random", "prompt": "GPTKB", **more}
    return import_triples(saved(folder, content), ASKED, folder / "landing", **wanted)


def landed(folder: Path, dataset: str, found: Imported) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(
        folder / "landing" / dataset / f"{found.experiment_id}.parquet"
    ).to_pylist()
    return rows


# No deadline: each example waits for the disk.
@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, TEXTS, TEXTS, TEXTS), max_size=6))
@example([("a", 'say "hi"', "two\nlines, one comma", "\r")])
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "triples.csv"
    assert write_rows(path, (*COLUMNS, "note"), rows) == len(rows)
    found = list(read_triples(path))
    assert [(row.subject, row.predicate, row.object) for row in found] == [
        tuple(normal(cell) for cell in row[:3]) for row in rows
    ]
    assert [normal(row.more.get("note", "")) for row in found] == [
        normal(row[3]) if row[3].strip() else "" for row in rows
    ]
    shown = list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))
    assert len(shown) == len(rows) + 1, "another reader finds as many rows"


SAVED = [
    (",", "utf-8", "\n", csv.QUOTE_MINIMAL),
    (",", "utf-8-sig", "\r\n", csv.QUOTE_MINIMAL),
    (";", "utf-8-sig", "\r\n", csv.QUOTE_ALL),
    ("\t", "utf-16", "\r\n", csv.QUOTE_MINIMAL),
    (",", "utf-8", "\r", csv.QUOTE_ALL),
]


@settings(deadline=None)
@given(st.sampled_from(SAVED), st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=4), st.permutations(range(4)))
def test_whatever_a_program_saves_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    how: tuple[str, str, str, int],
    rows: list[tuple[str, str, str]],
    order: list[int],
) -> None:
    separator, encoding, line_end, quoting = how
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator=line_end, quoting=quoting)  # type: ignore[arg-type]
    head = ["Subject", " PREDICATE ", "object", "Entity ID"]
    writer.writerow([head[place] for place in order])
    lines = [[normal(cell) for cell in (*row, "Q1")] for row in rows]
    writer.writerows([[line[place] for place in order] for line in lines])
    path = tmp_path_factory.mktemp("csv") / "triples.csv"
    path.write_bytes(text.getvalue().encode(encoding))
    found = list(read_triples(path))
    assert [[row.subject, row.predicate, row.object, row.more["entity_id"]] for row in found] == lines


@settings(deadline=None)
@given(st.binary(max_size=200) | TEXTS.map(lambda text: (HEAD + text).encode()))
@example(b"subject,predicate,object\na,b,c\xff")
@example(b"\xff\xfes")
def test_no_file_raises_anything_but_one_sentence(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = saved(tmp_path_factory.mktemp("csv"), content)
    said = complaint(path)
    assert said is None or (said.startswith(str(path)) and said.endswith("."))


def test_files_of_the_method_are_read(tmp_path: Path) -> None:
    assert read(saved(tmp_path, METHOD)) == [
        ("Albert_Einstein", "instanceOf", "physicist"),
        ("Albert_Einstein", "birthPlace", "Ulm"),
        ("Albert_Einstein", "fieldOfWork", "theoretical physics"),
    ]
    assert write_rows(tmp_path / "again.csv", COLUMNS, read(tmp_path / "triples.csv")) == 3
    assert (tmp_path / "again.csv").read_text() == METHOD


def test_rows_know_their_lines_and_their_other_columns(tmp_path: Path) -> None:
    text = 'sep=;\nModel;subject;Predicate;OBJECT;Page Views\nm;a;b;"two\nlines";7\n\n;;;;\nm;d;e;f;\n'
    rows = list(read_triples(saved(tmp_path, text)))
    assert [(row.number, row.object) for row in rows] == [(3, "two\nlines"), (7, "f")]
    assert [row.more for row in rows] == [{"model": "m", "page_views": "7"}, {"model": "m"}]


def test_latin_1_is_read_and_said(tmp_path: Path) -> None:
    path = saved(tmp_path, (HEAD + "a,b,c\nCafé,called,“Procope” – Paris\n").encode("cp1252"))
    assert read(path)[1] == ("Café", "called", "“Procope” – Paris")
    assert encoding_of(path).note == "line 3 is not UTF-8, so the file was read as Latin-1"
    assert encoding_of(saved(tmp_path, HEAD + "Café,b,c\n")).note is None


def test_letter_across_two_blocks_is_no_stray_byte(tmp_path: Path) -> None:
    for pad in range(4):
        path = saved(tmp_path, HEAD + "a,b," + "x" * ((1 << 20) - 30 + pad) + "é€𝄞\n")
        assert encoding_of(path).note is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "line 1: the head lacks the column subject"),
        (b"subject,predicate\na,b\n", "line 1: the head lacks the column object; it takes the columns subject, pred"),
        (b"subject,predicate,object,Object\n", "line 1: the column object is there twice; keep one."),
        (b"subject,predicate,object\na,b,c\nd,e\n", "line 3: it has 2 cells, and the head has 3; give it all of them."),
        (b"subject,predicate,object\na,b,Paris, France\n", "line 2: it has 4 cells, and the head has 3; put quotes"),
        (b'subject,predicate,object\na,b,c\na,b,"open\n', "line 3: it cannot be read as CSV"),
        (b'subject,predicate,object\na,"b"b,c\n', "line 2: it cannot be read as CSV"),
        (b"subject,predicate,object\na,b,c\na,b\0,c\n", "line 3: it holds a null character"),
        (b"subject,predicate,object\na,b," + b"c" * 200_000 + b"\n", "line 2: it cannot be read as CSV (field larger"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_with_its_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = saved(tmp_path, content)
    with pytest.raises(RunError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}, line ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ((HEAD + "é,b,c\n").encode() + b"caf\xe9,b,c\n", "line 3: it is not UTF-8 there, though it is elsewhere"),
        (HEAD.encode() + b"caf\xe9,b,c\n\x81,b,c\n", "line 3: it is neither UTF-8 nor Latin-1"),
        (b"\xff\xfe" + HEAD.encode("utf-16-le") + b"a", "begins like UTF-16 and is none"),
    ],
)
def test_bytes_that_are_no_text_are_an_error_of_their_own(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(EncodingError) as caught:
        read(saved(tmp_path, content))
    assert said in str(caught.value)


def test_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"none\.csv cannot be read: No such file or directory\."):
        read(tmp_path / "none.csv")


def test_import_lands_an_experiment_of_its_own(tmp_path: Path) -> None:
    found = taken(tmp_path, METHOD + "marie curie,field of work,physics\nmarie curie,field of work,physics\n")
    assert found.experiment_id.startswith("gpt-5--random--GPTKB--")
    for dataset in ("triples", "elicitations", "experiments"):
        path = tmp_path / "landing" / dataset / f"{found.experiment_id}.parquet"
        assert pq.read_schema(path).equals(SCHEMAS[dataset])
    triples = [
        (row["entity_id"], row["ordinal"], row["subject"], row["object"]) for row in landed(tmp_path, "triples", found)
    ]
    assert triples == [
        ("Q937", 0, "Albert_Einstein", "physicist"),
        ("Q937", 1, "Albert_Einstein", "Ulm"),
        ("Q937", 2, "Albert_Einstein", "theoretical physics"),
        ("Q7186", 0, "marie curie", "physics"),
        ("Q7186", 1, "marie curie", "physics"),
    ]
    rows = {row["entity_id"]: row for row in landed(tmp_path, "elicitations", found)}
    assert {key: (row["outcome"], row["n_triples"], row["title"]) for key, row in rows.items()} == {
        "Q937": ("answered", 3, "Albert Einstein"),
        "Q7186": ("answered", 2, "Marie Curie"),
    }
    assert {row["cost_usd"] for row in rows.values()} == {None}
    (closing,) = landed(tmp_path, "experiments", found)
    kept = ("origin", "model", "setting", "prompt", "set_name", "n_entities", "entities_sha", "snapshot_id")
    assert [closing[name] for name in kept] == ["import", "gpt-5", "random", "GPTKB", "mine", 2, ASKED.sha, "sample-1"]
    assert json.loads(closing["parameters"])["file"] == "triples.csv"
    assert found.sentence() == (
        f"{tmp_path / 'triples.csv'}: 5 triples of 2 of 5 entities are in as {found.experiment_id}."
    )


def test_subjects_that_match_nothing_or_several_are_counted_and_never_guessed(tmp_path: Path) -> None:
    more = "Einstein,a,b\nAlbert Einstein Jr,a,b\nMercury,a,b\nMercury,c,d\nAlbert_Einstein,,x\nMarie Curie,x,\n"
    found = taken(tmp_path, METHOD + more)
    assert (found.triples, found.entities, found.unreadable) == (3, 1, 2)
    assert found.unmatched == {"Mercury": 2, "Einstein": 1, "Albert Einstein Jr": 1}
    assert "; 2 rows lack a predicate or an object; 4 rows of 3 subjects are of no entity of the set (“Mercury”" in (
        found.sentence()
    )
    rows = {row["entity_id"]: row for row in landed(tmp_path, "elicitations", found)}
    assert (rows["Q937"]["outcome"], rows["Q937"]["error"]) == (
        "answered", "1 of 4 triples lack a predicate or an object",
    )  # fmt: skip
    assert (rows["Q7186"]["outcome"], rows["Q7186"]["n_triples"]) == ("unparsed", 0)


def test_id_in_the_file_goes_before_the_name_that_the_model_wrote(tmp_path: Path) -> None:
    text = (
        "subject,predicate,object,entity_id,title\n"
        "Quicksilver,boils at,357 °C,Q925,Mercury\n"
        "Albert Einstein,a,b,Q7186,\n"
        "Albert Einstein,a,b,Q1,Albert Einstein\n"
        "The physicist,a,b,,nikola_tesla\n"
    )
    found = taken(tmp_path, text)
    assert [row["entity_id"] for row in landed(tmp_path, "triples", found)] == ["Q925", "Q7186", "Q9036"]
    assert sum(found.unmatched.values()) == 1


def test_whole_set_has_empty_answers_where_the_file_has_nothing(tmp_path: Path) -> None:
    part, whole = taken(tmp_path, METHOD), taken(tmp_path, METHOD, whole=True)
    assert part.experiment_id != whole.experiment_id
    outcomes = [row["outcome"] for row in landed(tmp_path, "elicitations", whole)]
    assert outcomes == ["answered", "empty", "empty", "empty", "empty"]
    assert landed(tmp_path, "experiments", whole)[0]["n_entities"] == 5


def test_same_file_again_is_the_same_experiment(tmp_path: Path) -> None:
    first = taken(tmp_path, METHOD)
    assert taken(tmp_path, METHOD).experiment_id == first.experiment_id
    others = [
        taken(tmp_path, METHOD + "Marie Curie,a,b\n"),
        taken(tmp_path, METHOD, model="gpt-6"),
        taken(tmp_path, METHOD, prompt="other"),
        taken(tmp_path, METHOD, setting="domains"),
    ]
    assert len({first.experiment_id, *(other.experiment_id for other in others)}) == 5


def test_file_of_latin_1_is_taken_in_and_said(tmp_path: Path) -> None:
    found = taken(tmp_path, (METHOD + "Marie Curie,née,Skłodowska\n").encode("cp1252", "replace"))
    assert found.sentence().endswith("; line 5 is not UTF-8, so the file was read as Latin-1.")


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        (HEAD + "Somebody,a,b\n", {}, "is about no entity of the set 'mine': its subjects have to be titles"),
        (HEAD, {}, "is about no entity of the set 'mine'"),
        (METHOD, {"setting": "all"}, "There is no setting 'all': take one of random"),
        (METHOD, {"model": "a/b"}, "The name of a model has up to 60 letters, digits and . _ + - in it, not 'a/b'."),
        (METHOD, {"prompt": ""}, "The name of a prompt has up to 60"),
        (
            "subject,predicate,object,Model\nMarie Curie,a,b,m1\nMarie Curie,a,c,m2\n",
            {},
            "line 3, column model: “m2” is not “m1” as above; import the triples of each experiment from a file",
        ),
        (METHOD + "Marie Curie,a\n", {}, "line 5: it has 2 cells"),
    ],
)
def test_what_cannot_be_taken_in_is_one_sentence_and_lands_nothing(
    tmp_path: Path, content: str, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(RunError) as caught:
        taken(tmp_path, content, **more)
    assert said in str(caught.value)
    assert not list(tmp_path.rglob("*.parquet"))


@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_title_is_its_own_whatever_its_case_and_spaces(text: str) -> None:
    assert plain_title(plain_title(text)) == plain_title(text)
    assert plain_title(f" {text.replace(' ', '_')}  ") == plain_title(text)
