"""Laureates: the shares of a year make one prize, lives and awards follow each other, two awards make one person."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest

from ingest.sample.build.laureates import AWARDS
from ingest.sample.build.typed_table import cells, country_id, read_table
from tests.sample.stated import statements, values

# Years of world wars and of no worthy candidate.
NOT_AWARDED = {
    "chemistry_laureates": {1916, 1917, 1919, 1924, 1933, 1940, 1941, 1942},
    "physics_laureates": {1916, 1931, 1934, 1940, 1941, 1942},
    "turing_laureates": set[int](),
}
YEARS = {"chemistry_laureates": (1901, 2025), "physics_laureates": (1901, 2025), "turing_laureates": (1966, 2024)}
COUNTS = {"chemistry_laureates": (200, 198), "physics_laureates": (230, 229), "turing_laureates": (79, 79)}


@pytest.mark.parametrize("table", AWARDS)
def test_the_shares_of_each_year_make_one_prize(table: str) -> None:
    shares: dict[int, list[Fraction]] = defaultdict(list)
    for row in read_table(table):
        shares[int(row["year"])].append(Fraction(row["share"]))
    first, last = YEARS[table]
    assert set(shares) == set(range(first, last + 1)) - NOT_AWARDED[table]
    assert {year for year, parts in shares.items() if sum(parts) != 1 or len(parts) > 3} == set()


@pytest.mark.parametrize("table", AWARDS)
def test_nobody_is_left_out(table: str) -> None:
    rows = read_table(table)
    assert (len(rows), len({row["laureate"] for row in rows})) == COUNTS[table]


@pytest.mark.parametrize("table", AWARDS)
def test_lives_and_awards_follow_each_other(table: str) -> None:
    for row in read_table(table):
        year, born, died = int(row["year"]), row["born"][:4], row["died"][:4]
        if born:
            assert 22 <= year - int(born) <= 98, row
        if died not in ("", "unkn"):
            assert year <= int(died) <= 2025, row
            assert int(died) - int(born) <= 103, row
        for code in [row["birth_country"], *cells(row["work_country"])]:
            assert not code or country_id(code), row


@pytest.mark.parametrize("table", AWARDS)
def test_only_a_second_award_leaves_the_life_out(table: str) -> None:
    seen: set[str] = set()
    for row in read_table(table):
        assert (row["gender"] == "") == (row["laureate"] in seen), row
        assert row["gender"] in ("m", "f", "")
        seen.add(row["laureate"])


def test_who_was_honoured_twice_is_one_person() -> None:
    awards = statements("laureates", "typed:person/marie-curie", "P166")
    assert sorted(award.value for award in awards) == ["Q38104", "Q44585"]
    assert all(award.qualifiers == {"P585", "P1107"} for award in awards)
    assert values("laureates", "typed:person/frederick-sanger", "P166") == ["Q44585", "Q44585"]
    assert values("laureates", "typed:person/geoffrey-hinton", "P166") == ["Q185667", "Q38104"]
    assert values("laureates", "typed:person/marie-curie", "P569") == ["1867-11-07T00:00:00Z"]


def test_a_year_of_birth_is_not_the_first_of_january() -> None:
    (born,) = statements("laureates", "typed:person/venkatraman-ramakrishnan", "P569")
    assert born.value.startswith("1952")


def test_a_death_nobody_saw_has_no_date() -> None:
    (died,) = values("laureates", "typed:person/jim-gray", "P570")
    assert "/.well-known/genid/" in died
