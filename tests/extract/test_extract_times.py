"""Dates and years in words, in the form that Wikidata's times are landed in."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.steps.extract.normalise import Attribute, Known, Normal, Stated, normalise
from dagster_defs.steps.extract.times import Time, read_time, times


@pytest.mark.parametrize(
    ("text", "value", "precision", "calendar"),
    [
        ("1 July 1867", "1867-07-01", 11, "gregorian"),
        ("July 1, 1867", "1867-07-01", 11, "gregorian"),
        ("1st of July, 1867", "1867-07-01", 11, "gregorian"),
        ("on Monday, 1 July 1867", "1867-07-01", 11, "gregorian"),
        ("1867-07-01", "1867-07-01", 11, "gregorian"),
        ("1 July 1867 (aged 72)", "1867-07-01", 11, "gregorian"),
        ("3 Sept. 301", "0301-09-03", 11, "julian"),
        ("4 October 1582", "1582-10-04", 11, "julian"),
        ("15 October 1582", "1582-10-15", 11, "gregorian"),
        ("29 February 1500", "1500-02-29", 11, "julian"),
        ("15 March 44 BC", "-0044-03-15", 11, "julian"),
        ("24 August AD 79", "0079-08-24", 11, "julian"),
        ("July 1867", "1867-07-00", 10, "gregorian"),
        ("1867-07", "1867-07-00", 10, "gregorian"),
        ("in 1867", "1867-00-00", 9, "gregorian"),
        ("c. 1867", "1867-00-00", 9, "gregorian"),
        ("the year 1867", "1867-00-00", 9, "gregorian"),
        ("1215", "1215-00-00", 9, "julian"),
        ("44 BC", "-0044-00-00", 9, "julian"),
        ("221 B.C.E.", "-0221-00-00", 9, "julian"),
        ("AD 79", "0079-00-00", 9, "julian"),
        ("79 CE", "0079-00-00", 9, "julian"),
    ],
)
def test_a_time_is_read_as_it_is_stated(text: str, value: str, precision: int, calendar: str) -> None:
    read = read_time(text)
    assert isinstance(read, Time)
    assert (read.text, read.precision, read.calendar) == (f"{value}T00:00:00Z", precision, calendar)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1867–1870", "inexact"),
        ("1867 to 1870", "inexact"),
        ("1–3 July 1867", "inexact"),
        ("before 1867", "inexact"),
        ("after July 1867", "inexact"),
        ("1860s", "inexact"),
        ("19th century", "inexact"),
        ("early 1867", "inexact"),
        ("79", "unparsable"),
        ("1/7/1867", "unparsable"),
        ("31 February 1900", "unparsable"),
        ("29 February 1900", "unparsable"),
        ("12345", "unparsable"),
        ("1 July", "unparsable"),
        ("0000", "unparsable"),
        ("0000-01-01", "unparsable"),
        ("long ago", "unparsable"),
        ("", "unparsable"),
    ],
)
def test_what_is_no_one_time_says_why(text: str, said: str) -> None:
    assert read_time(text) == said


@pytest.mark.parametrize(
    ("value", "sentence", "outcome"),
    [
        ("1867", "It was founded on 1 July 1867.", "kept"),
        ("1867-07-01", "It was founded on July 1, 1867.", "kept"),
        ("1 July 1867", "Founded: 1867-07-01", "kept"),
        ("1867", "The war of 1867–1870 ended it.", "kept"),
        ("1870", "The war of 1867–1870 ended it.", "kept"),
        ("509 BC", "The Republic (509–27 BC) came then.", "kept"),
        ("509", "The Republic (509–27 BC) came then.", "ungrounded"),
        ("1867", "It was founded after 1867.", "inexact"),
        ("1867", "It was founded before 1867, in fact in 1867.", "kept"),
        ("1 July 1867", "It was founded in July 1867.", "ungrounded"),
        ("1868", "It was founded in 1867.", "ungrounded"),
        ("867", "It was founded in 1867.", "ungrounded"),
        ("867", "It has 1,867 people.", "ungrounded"),
        ("19th century", "It was founded in the 19th century.", "inexact"),
        ("19th century", "It was founded in 1867.", "ungrounded"),
        ("44", "It has 44 moons.", "unparsable"),
    ],
)
def test_a_time_stands_in_its_sentence(value: str, sentence: str, outcome: str, known: Known) -> None:
    attribute = Attribute("a", "a", "year", None, False, "P571", "time")
    found = normalise(Stated(value, None, None, sentence), attribute, known)
    assert found.outcome == outcome
    assert (found.value_time is not None) == (outcome == "kept")
    if outcome != "kept":
        assert found == Normal(outcome)


def test_a_text_states_all_its_times() -> None:
    text = "From 1867-1870; born 1 July 1867, of 1,867 people; 509–27 BC; after 1900; May 5, 2001."
    assert set(times(text)) == {
        Time(1867, 7, 1), Time(2001, 5, 5), Time(1867), Time(1870), Time(-509), Time(-27), Time(1900, is_bound=True),
    }  # fmt: skip


DAYS = st.dates(datetime.date(1600, 1, 1), datetime.date(2099, 12, 31))


@given(
    DAYS, st.sampled_from(["{d} {m} {y}", "{m} {d}, {y}", "{y}-{n:02d}-{d:02d}", "{d}th of {m} {y}", "on {d} {b}. {y}"])
)
def test_every_day_is_read_in_every_form(day: datetime.date, form: str) -> None:
    text = form.format(d=day.day, m=day.strftime("%B"), b=day.strftime("%b"), n=day.month, y=day.year)
    read = read_time(text)
    assert isinstance(read, Time)
    assert read.text == f"{day.isoformat()}T00:00:00Z"
    assert read.calendar == "gregorian"
    assert any(read.holds(one) for one in times(f"It began, they say, {text}, in the rain."))


@given(DAYS)
def test_what_was_read_reads_the_same_again(day: datetime.date) -> None:
    read = read_time(day.isoformat())
    assert isinstance(read, Time)
    assert read_time((read.text or "")[:10]) == read


@given(st.text(max_size=120))
def test_no_text_breaks_the_reading(text: str) -> None:
    read = read_time(text)
    assert read in ("inexact", "unparsable") or (isinstance(read, Time) and read.text)
    assert all(one.text for one in times(text))
