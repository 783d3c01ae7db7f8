"""Presidents of the United States: the table is plausible as a whole, and states what everybody can check."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

from ingest.sample.build.typed_table import cells, read_table
from tests.sample.stated import statements, values

PERSONS = {row["president"]: row for row in read_table("us_presidents")}
PRESIDENCIES = read_table("us_presidencies")


def test_there_are_47_presidencies_of_45_persons() -> None:
    assert [int(row["number"]) for row in PRESIDENCIES] == list(range(1, 48))
    assert {row["president"] for row in PRESIDENCIES} == set(PERSONS)
    assert len(PERSONS) == 45


def test_each_presidency_begins_on_the_day_the_one_before_ends() -> None:
    for before, after in pairwise(PRESIDENCIES):
        assert before["end"] == after["start"], after
    assert PRESIDENCIES[0]["start"] == "1789-04-30"
    assert PRESIDENCIES[-1]["end"] == ""


def test_lives_and_terms_follow_each_other() -> None:
    for row in PRESIDENCIES:
        person = PERSONS[row["president"]]
        start, born = date.fromisoformat(row["start"]), date.fromisoformat(person["born"])
        assert 42 <= (start - born).days / 365.25 <= 79, row
        assert row["start"] < (row["end"] or "9999"), row
        assert not person["died"] or row["end"] <= person["died"], row


def test_eight_presidents_died_in_office() -> None:
    last = {row["president"]: row["end"] for row in PRESIDENCIES}
    dead = {name for name, row in PERSONS.items() if row["died"] and row["died"] == last[name]}
    assert dead == {
        "William Henry Harrison",
        "Zachary Taylor",
        "Abraham Lincoln",
        "James A. Garfield",
        "William McKinley",
        "Warren G. Harding",
        "Franklin D. Roosevelt",
        "John F. Kennedy",
    }


def test_a_former_vice_president_served_under_another_president() -> None:
    served = {vice for row in PERSONS.values() for vice in cells(row["vice_presidents"])}
    former = {name for name, row in PERSONS.items() if "Vice President of the United States" in row["offices"]}
    assert former == served & set(PERSONS)
    assert len(former) == 15


def test_terms_are_qualifiers_and_a_running_one_has_no_end() -> None:
    terms = [
        one for one in statements("us_presidents", "typed:person/grover-cleveland", "P39") if one.value == "Q11696"
    ]
    assert len(terms) == 2
    assert all({"P580", "P582", "P1545"} <= term.qualifiers for term in terms)
    running = [
        one for one in statements("us_presidents", "typed:person/donald-trump", "P39") if "P580" in one.qualifiers
    ]
    assert sorted("P582" in term.qualifiers for term in running) == [False, True]


def test_a_party_left_later_does_not_outrank_the_first() -> None:
    parties = {one.value: one.rank for one in statements("us_presidents", "typed:person/abraham-lincoln", "P102")}
    assert parties == {
        "typed:party/republican-party": "PreferredRank",
        "typed:party/national-union-party": "NormalRank",
    }


def test_what_nobody_knows_and_what_there_is_not() -> None:
    assert values("us_presidents", "typed:person/george-washington", "P102") == ["novalue"]
    assert values("us_presidents", "typed:person/john-tyler", "P3342") == ["novalue"]
    (birth_place,) = values("us_presidents", "typed:person/andrew-jackson", "P19")
    assert "/.well-known/genid/" in birth_place


def test_vice_presidents_are_several() -> None:
    assert values("us_presidents", "typed:person/franklin-d-roosevelt", "P3342") == [
        "typed:person/harry-s-truman",
        "typed:person/henry-a-wallace",
        "typed:person/john-nance-garner",
    ]
