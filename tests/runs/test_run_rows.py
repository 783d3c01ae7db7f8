"""Landing a run's rows: whole files, of the stated columns, one run each."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dagster_defs.errors import RunError
from dagster_defs.steps.run_rows import OF_A_RUN, SCHEMAS, id_column, land_rows, prepare
from ingest.errors import LandingError

RUN = "tiny-model--rag--0123456789ab"
_VALUES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.string(): st.text(st.characters(codec="utf-8"), max_size=20),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.timestamp("us", tz="UTC"): st.datetimes(
        dt.datetime(1970, 1, 2), dt.datetime(2100, 1, 1), timezones=st.just(dt.UTC)
    ),
}


def rows(dataset: str, n: int = 2, **changed: Any) -> pa.Table:
    """`n` rows of a dataset for `RUN`, told apart by their sample, with some columns changed."""
    given_rows = [dict.fromkeys(SCHEMAS[dataset].names) | {"run_id": RUN} for _ in range(n)]
    for number, row in enumerate(given_rows):
        row |= {key: value for key, value in KEYS.items() if key in row} | changed
        row |= {"sample": number} if "sample" in row and "sample" not in changed else {}
    return pa.Table.from_pylist(given_rows, schema=SCHEMAS[dataset])


KEYS: dict[str, Any] = {"question_id": "q1", "ordinal": 0, "number": 1}


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, pa.Table]:
    dataset = draw(st.sampled_from(sorted(SCHEMAS)))
    schema = SCHEMAS[dataset]
    n = draw(st.integers(0, 1 if dataset == "runs" else 5))
    columns = {f.name: draw(st.lists(st.none() | _VALUES[f.type], min_size=n, max_size=n)) for f in schema}
    columns[id_column(dataset)] = [RUN] * n
    for key in ("question_id", "comparison", "sample", "ordinal", "number"):
        if key in columns:
            columns[key] = [f"{key}{i}" if key in ("question_id", "comparison") else i for i in range(n)]
    return dataset, pa.table(columns, schema=schema)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(tables())
def test_whatever_fits_the_schema_reads_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, landed: tuple[str, pa.Table]
) -> None:
    dataset, table = landed
    folder = tmp_path_factory.mktemp("llm")
    shuffled = table.select(sorted(table.column_names))
    path = land_rows(folder, dataset, RUN, shuffled)
    assert path == folder / dataset / f"{RUN}.parquet"
    assert pq.read_table(path).equals(table)
    assert [file.name for file in (folder / dataset).iterdir()] == [path.name]


def test_only_what_steps_of_their_own_land_is_no_part_of_a_run() -> None:
    others = {"refinements", "diversity", "distinctiveness"}
    assert {dataset for dataset in SCHEMAS if "run_id" not in SCHEMAS[dataset].names} == others
    assert {dataset for dataset in SCHEMAS if dataset not in OF_A_RUN} == others
    assert all(id_column(dataset) in SCHEMAS[dataset].names for dataset in SCHEMAS)


def test_prepared_folders_read_as_tables_without_rows(tmp_path: Path) -> None:
    prepare(tmp_path)
    for dataset, schema in SCHEMAS.items():
        found = duckdb.sql(f"from read_parquet('{tmp_path}/{dataset}/*.parquet', union_by_name=true)")
        assert found.columns == schema.names
        assert found.fetchall() == []


def test_preparing_again_leaves_runs_and_fitting_files_alone(tmp_path: Path) -> None:
    prepare(tmp_path)
    landed = land_rows(tmp_path, "answers", RUN, rows("answers"))
    empty = tmp_path / "answers/_schema.parquet"
    before = (empty.stat().st_mtime_ns, landed.read_bytes())
    prepare(tmp_path)
    assert (empty.stat().st_mtime_ns, landed.read_bytes()) == before


def test_preparing_mends_a_file_of_an_older_schema(tmp_path: Path) -> None:
    stale = tmp_path / "answers/_schema.parquet"
    stale.parent.mkdir()
    pq.write_table(pa.table({"run_id": pa.array([], pa.string())}), stale)
    prepare(tmp_path)
    assert pq.read_schema(stale).equals(SCHEMAS["answers"])


def test_a_run_that_was_landed_before_there_was_a_column_is_still_read(tmp_path: Path) -> None:
    prepare(tmp_path)
    old = rows("verdicts", correct=True).drop_columns(["entity_correct"])
    pq.write_table(old, tmp_path / f"verdicts/{RUN}.parquet")
    found = duckdb.sql(
        f"select correct, entity_correct from read_parquet('{tmp_path}/verdicts/*.parquet', union_by_name=true)"
    )
    assert found.fetchall() == [(True, None)] * 2
    assert duckdb.sql(f"from read_parquet('{tmp_path}/steps/*.parquet', union_by_name=true)").fetchall() == []


def test_landing_again_replaces_the_run_and_no_other(tmp_path: Path) -> None:
    land_rows(tmp_path, "answers", RUN, rows("answers", 3))
    other = rows("answers").set_column(0, "run_id", pa.array(["other"] * 2))
    land_rows(tmp_path, "answers", "other", other)
    path = land_rows(tmp_path, "answers", RUN, rows("answers", 1))
    assert pq.read_table(path).num_rows == 1
    assert pq.read_table(tmp_path / "answers/other.parquet").num_rows == 2


@pytest.mark.parametrize("run_id", ["", "_schema", "../escape", "a/b", "a b", ".hidden", "x" * 201, "run\n"])
def test_an_id_that_cannot_name_a_file_is_refused(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(RunError, match="Cannot land a run called"):
        land_rows(tmp_path, "runs", run_id, SCHEMAS["runs"].empty_table())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (rows("answers").drop_columns(["outcome", "error"]), "missing or unknown columns error, outcome"),
        (rows("answers").append_column("note", pa.array(["", ""])), "missing or unknown columns note"),
        (rows("answers").set_column(0, "run_id", pa.array([RUN, "other"])), "some rows are of another run"),
        (rows("answers", question_id=None), "a row has no question_id or no sample"),
        (rows("answers", sample=0), "two rows have the same question_id and sample"),
        (rows("answers").set_column(2, "sample", pa.array(["0", "second"])), "'second'"),
    ],
    ids=["columns missing", "column unknown", "another run", "no key", "same key", "no number"],
)
def test_rows_that_are_not_the_runs_are_refused(tmp_path: Path, table: pa.Table, said: str) -> None:
    with pytest.raises(RunError, match=f"^Cannot land answers of {RUN}: .*{said}"):
        land_rows(tmp_path, "answers", RUN, table)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file where the folder should be")
    with pytest.raises(LandingError, match="answers"):
        land_rows(tmp_path, "answers", RUN, rows("answers"))
