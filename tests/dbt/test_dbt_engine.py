"""The engine macros, rendered by dbt and run by DuckDB, against Python's own arithmetic."""

import hashlib
import json
import math
import random
from decimal import Decimal

import duckdb
import pytest

from tests.dbt.project import Project


@pytest.fixture(scope="module")
def macros(built: Project) -> dict[str, str]:
    """Name -> SQL of an expression over the column x (or x and y)."""
    calls = {
        "canonical_number": "canonical_number('x')",
        "hash_fraction": "hash_fraction('x')",
        "stable_id": "stable_id(['x', 'y'])",
        "list_agg_sorted": "list_agg_sorted('x')",
        "json_object_sorted": "json_object_sorted('x', 'y')",
        "round_significant": "round_significant('x')",
        "time_key": "time_key('x')",
        "time_key_end": "time_key_end('x')",
        "time_stated": "time_stated('x')",
        "readable_year": "readable_year('x', 'y')",
        "readable_date": "readable_date('x', 'y', \"'julian'\")",
        "years_earlier": "years_earlier('x', 'y')",
        "json_years_earlier": "json_years_earlier('x', 'y')",
        "with_same_decimals": "with_same_decimals('y', 'x')",
    }
    outcome = built.dbt("compile", "--inline", "\n~\n".join("{{ " + call + " }}" for call in calls.values()))
    assert outcome.success, outcome.messages
    return dict(zip(calls, outcome.result.results[0].node.compiled_code.split("\n~\n"), strict=True))


def evaluate(
    expression: str, rows: list[tuple[object, object]], types: tuple[str, str] = ("varchar", "varchar")
) -> list[object]:
    """The expression's value for each row."""
    connection = duckdb.connect()
    connection.execute(f"create table t (n integer, x {types[0]}, y {types[1]})")
    connection.executemany("insert into t values (?, ?, ?)", [(n, *row) for n, row in enumerate(rows)])
    return [value for (value,) in connection.execute(f"select {expression} from t order by n").fetchall()]


def canonical(value: float) -> str:
    """The canonical text of a number, in Python."""
    text = f"{value:.6g}"
    if "e" in text and abs(value) < 1e15:
        text = format(Decimal(text), "f")
    return "0" if text == "-0" else text


def numbers() -> list[float]:
    """Numbers of every size, and the awkward ones between."""
    dice = random.Random(1)
    awkward = [
        0.0,
        -0.0,
        1.0,
        0.1,
        0.5,
        2.5,
        999999.5,
        999999.4,
        99999.95,
        123456.5,
        1e15,
        999999500000000.0,
        1e14,
        1e-4,
        1e-5,
    ]
    awkward += [
        9.999995,
        0.00001234565,
        1e22,
        1.5e300,
        5e-324,
        643801.0,
        -753.0,
        100000.0,
        1000000.0,
        1e-7,
        299792458.0,
    ]
    return awkward + [-n for n in awkward] + [dice.uniform(1, 10) * 10 ** dice.randint(-12, 20) for _ in range(3000)]


def test_canonical_number_is_six_significant_digits_without_exponent(macros: dict[str, str]) -> None:
    values = numbers()
    texts = evaluate(macros["canonical_number"], [(n, None) for n in values], ("double", "varchar"))
    assert texts == [canonical(n) for n in values]
    assert evaluate(macros["canonical_number"], [(None, None), (math.inf, None)], ("double", "varchar")) == [None, None]


def test_hash_fraction_is_the_first_52_bits_of_the_md5(macros: dict[str, str]) -> None:
    texts = [f"text {n}" for n in range(500)] + ["", "é"]
    fractions = evaluate(macros["hash_fraction"], [(t, None) for t in texts])
    assert fractions == [int(hashlib.md5(t.encode()).hexdigest()[:13], 16) / 2**52 for t in texts]
    assert all(isinstance(f, float) and 0 <= f < 1 for f in fractions)


def test_stable_id_tells_null_from_empty_and_one_split_from_another(macros: dict[str, str]) -> None:
    ids = evaluate(macros["stable_id"], [("ab", ""), ("a", "b"), ("", "ab"), (None, "ab"), ("ab", None), ("ab", "")])
    assert len(set(ids)) == 5
    assert ids[0] == ids[5] == hashlib.md5(b"ab\x1f").hexdigest()[:16]


def test_lists_and_objects_are_sorted(macros: dict[str, str]) -> None:
    connection = duckdb.connect()
    connection.execute(
        """create table t as select * from (values ('b', 2), ('a "x"', 1), ('b', 2), (null, 3)) as t (x, y)"""
    )
    assert connection.execute(f"select {macros['list_agg_sorted']} from t").fetchall() == [(['a "x"', "b"],)]
    assert connection.execute(f"select {macros['list_agg_sorted']} from t where x is null").fetchall() == [(None,)]
    text = connection.execute(
        f"select {macros['json_object_sorted']} from (select distinct * from t where x is not null)"
    ).fetchall()[0][0]
    assert text == json.dumps({'a "x"': 1, "b": 2})


def test_rounding_takes_the_noise_of_a_conversion_away(macros: dict[str, str]) -> None:
    noisy = [0.1 + 0.2, 1e8 * 1e-6, 273.15 - 1e-14, 1 / 3]
    assert evaluate(macros["round_significant"], [(n, None) for n in noisy], ("double", "varchar")) == [
        0.3,
        100.0,
        273.15,
        float(f"{1 / 3:.14e}"),
    ]


@pytest.mark.parametrize(
    ("time", "key", "end", "stated"),
    [
        ("2020-06-30T00:00:00Z", 20200630, 20200630, "2020-06-30"),
        ("2020-06-00T00:00:00Z", 20200600, 20200631, "2020-06"),
        ("2020-00-00T00:00:00Z", 20200000, 20201231, "2020"),
        ("-0044-03-15T00:00:00Z", -439685, -439685, "-0044-03-15"),
        ("-13798000000-00-00T00:00:00Z", -137980000000000, -137979999998769, "-13798000000"),
        ("soon", None, None, None),
        (None, None, None, None),
    ],
)
def test_times_sort_as_they_happened(
    macros: dict[str, str], time: str | None, key: int | None, end: int | None, stated: str | None
) -> None:
    found = [evaluate(macros[name], [(time, None)])[0] for name in ("time_key", "time_key_end", "time_stated")]
    assert found == [key, end, stated]


@pytest.mark.parametrize(
    ("time", "precision", "year"),
    [
        ("1789-00-00T00:00:00Z", 9, 1789),
        ("1789-07-14T00:00:00Z", 11, 1789),
        ("1789-07-14T17:30:00Z", 13, 1789),
        ("-0044-03-15T00:00:00Z", 11, -44),
        ("1789-13-00T00:00:00Z", 10, None),
        ("1789-04-31T00:00:00Z", 11, None),
        ("0000-00-00T00:00:00Z", 9, None),
        ("1900-00-00T00:00:00Z", 7, None),
        ("once", 9, None),
    ],
)
def test_a_year_is_read_from_real_dates_of_year_precision(
    macros: dict[str, str], time: str, precision: int, year: int | None
) -> None:
    assert evaluate(macros["readable_year"], [(time, precision)], ("varchar", "integer")) == [year]


@pytest.mark.parametrize(
    ("julian", "gregorian"),
    [
        ("1066-10-14", "1066-10-20"),
        ("1582-10-04", "1582-10-14"),
        ("1642-12-25", "1643-01-04"),
        ("1900-02-29", "1900-03-13"),
        ("1917-10-25", "1917-11-07"),
        ("0325-05-20", "0325-05-21"),
        ("0001-01-03", "0001-01-01"),
    ],
)
def test_julian_days_get_their_gregorian_date(macros: dict[str, str], julian: str, gregorian: str) -> None:
    found = evaluate(macros["readable_date"], [(f"{julian}T00:00:00Z", 11)], ("varchar", "integer"))
    assert [value.isoformat() for value in found] == [gregorian]  # type: ignore[attr-defined]


def test_times_are_moved_back_by_whole_years_where_every_year_has_their_day(macros: dict[str, str]) -> None:
    moved = {
        "1963-11-22T00:00:00Z": "1955-11-22T00:00:00Z",
        "1004-00-00T00:00:00Z": "0996-00-00T00:00:00Z",
        "2004-02-29T00:00:00Z": "2004-02-29T00:00:00Z",
        "0044-03-15T00:00:00Z": "0044-03-15T00:00:00Z",
        "-0044-03-15T00:00:00Z": "-0044-03-15T00:00:00Z",
        "no time": "no time",
    }
    found = evaluate(macros["years_earlier"], [(time, 8) for time in moved], ("varchar", "integer"))
    assert found == list(moved.values())


def test_times_in_qualifiers_are_moved_once_each_and_nothing_else(macros: dict[str, str]) -> None:
    before = {
        "P580": [{"value": "1960-01-01T00:00:00Z"}],
        "P585": [{"value": "1003-00-00T00:00:00Z"}],
        "P582": [{"value": "1964-00-00T00:00:00Z"}, {"value": "-0044-00-00T00:00:00Z"}],
        "P1545": [{"value": "1960"}],
    }
    (text, nothing) = evaluate(
        macros["json_years_earlier"], [(json.dumps(before), 4), (None, 4)], ("varchar", "integer")
    )
    assert json.loads(str(text)) == {
        "P580": [{"value": "1956-01-01T00:00:00Z"}],
        "P585": [{"value": "0999-00-00T00:00:00Z"}],
        "P582": [{"value": "1960-00-00T00:00:00Z"}, {"value": "-0044-00-00T00:00:00Z"}],
        "P1545": [{"value": "1960"}],
    }
    assert nothing is None


def test_a_number_is_written_with_as_many_decimals_as_another(macros: dict[str, str]) -> None:
    rows = [("891.12", 1000.456), ("2100000", 2310000.4), ("-0.5", -0.65), (None, 1.0)]
    assert evaluate(macros["with_same_decimals"], rows, ("varchar", "double")) == [
        "1000.46", "2310000", "-0.7", None,
    ]  # fmt: skip
