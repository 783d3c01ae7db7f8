"""The normalisation that both routes share, in particular what RDF does to times."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wikidata import values

# (JSON time, precision, calendar, landed time, what Wikidata's RDF export writes)
TIMES = [
    ("+1952-03-11T00:00:00Z", 11, "gregorian", "1952-03-11T00:00:00Z", "1952-03-11T00:00:00Z"),
    ("+1789-00-00T00:00:00Z", 9, "gregorian", "1789-00-00T00:00:00Z", "1789-01-01T00:00:00Z"),
    ("+2013-01-01T00:00:00Z", 9, "gregorian", "2013-00-00T00:00:00Z", "2013-01-01T00:00:00Z"),
    ("+1066-10-00T00:00:00Z", 10, "julian", "1066-10-00T00:00:00Z", "1066-10-01T00:00:00Z"),
    ("-0044-03-15T00:00:00Z", 11, "julian", "-0044-03-15T00:00:00Z", "-0043-03-13T00:00:00Z"),
    ("+1642-12-25T00:00:00Z", 11, "julian", "1642-12-25T00:00:00Z", "1643-01-04T00:00:00Z"),
    ("+1700-02-29T00:00:00Z", 11, "julian", "1700-02-29T00:00:00Z", "1700-03-11T00:00:00Z"),
    ("-0001-00-00T00:00:00Z", 9, "gregorian", "-0001-00-00T00:00:00Z", "0000-01-01T00:00:00Z"),
    ("-0480-00-00T00:00:00Z", 9, "julian", "-0480-00-00T00:00:00Z", "-0479-01-01T00:00:00Z"),
    ("-0300-00-00T00:00:00Z", 7, "gregorian", "-0300-00-00T00:00:00Z", "-0300-01-01T00:00:00Z"),
    ("-13798000000-00-00T00:00:00Z", 3, "gregorian", "-13798000000-00-00T00:00:00Z", "-13798000000-01-01T00:00:00Z"),
    ("+12345-06-07T00:00:00Z", 11, "gregorian", "12345-06-07T00:00:00Z", "12345-06-07T00:00:00Z"),
    ("+2001-12-31T12:34:56Z", 14, "gregorian", "2001-12-31T12:34:56Z", "2001-12-31T12:34:56Z"),
    ("+2001-12-31T12:34:00Z", 12, "gregorian", "2001-12-31T12:00:00Z", "2001-12-31T12:00:00Z"),
]


@pytest.mark.parametrize(("text", "precision", "calendar", "landed", "rdf"), TIMES)
def test_json_and_rdf_write_one_time_differently_and_land_it_the_same(
    text: str, precision: int, calendar: str, landed: str, rdf: str
) -> None:
    assert values.time_from_json(text, precision, calendar) == (landed, precision)
    assert values.time_from_rdf(rdf, precision, calendar) == (landed, precision)
    assert values.time_to_rdf(landed, precision, calendar) == rdf


@pytest.mark.parametrize(
    ("text", "precision", "expected"),
    [
        ("+00000002013-01-01T00:00:00Z", 11, ("2013-01-01T00:00:00Z", 11)),
        ("+0000000000002013-01-01T00:00:00Z", 9, ("2013-00-00T00:00:00Z", 9)),
        ("-00000000200-00-00T00:00:00Z", 9, ("-0200-00-00T00:00:00Z", 9)),
        ("1952-03-11T00:00:00Z", 11, ("1952-03-11T00:00:00Z", 11)),
        ("+1998-00-00T00:00:00Z", 11, ("1998-00-00T00:00:00Z", 9)),
        ("+1998-05-00T00:00:00Z", 11, ("1998-05-00T00:00:00Z", 10)),
        ("+1998-02-30T00:00:00Z", 11, (None, 11)),
        ("+1998-13-01T00:00:00Z", 11, (None, 11)),
        ("+1900-02-29T00:00:00Z", 11, (None, 11)),
        ("+0000-01-01T00:00:00Z", 9, (None, 9)),
        ("sometime in May", 11, (None, 11)),
    ],
)
def test_old_long_years_are_shortened_and_impossible_days_name_no_date(
    text: str, precision: int, expected: tuple[str | None, int]
) -> None:
    assert values.time_from_json(text, precision, "gregorian") == expected


@pytest.mark.parametrize("text", ["+0000-00-00T00:00:00Z", "http://www.wikidata.org/.well-known/genid/1", "1998-02-30"])
def test_what_the_rdf_export_could_not_convert_is_no_time(text: str) -> None:
    assert values.time_from_rdf(text, 11, "gregorian")[0] is None


def test_a_time_for_the_sample_may_leave_off_its_end() -> None:
    assert values.time_to_rdf("1789", 9, "gregorian") == "1789-01-01T00:00:00Z"
    assert values.time_to_rdf("-0480", 9, "gregorian") == "-0479-01-01T00:00:00Z"
    assert values.time_to_rdf("1789-04-30", 11, "gregorian") == "1789-04-30T00:00:00Z"
    with pytest.raises(ValueError, match="'April 1789' is not a time"):
        values.time_to_rdf("April 1789", 10, "gregorian")


@given(
    year=st.integers(-6000, 12000).filter(bool),
    month=st.integers(1, 12),
    day=st.integers(1, 28),
    precision=st.integers(0, 11),
    calendar=st.sampled_from(["gregorian", "julian"]),
)
def test_any_time_survives_the_way_through_rdf(year: int, month: int, day: int, precision: int, calendar: str) -> None:
    sign = "-" if year < 0 else "+"
    landed, kept = values.time_from_json(f"{sign}{abs(year):04d}-{month:02d}-{day:02d}T00:00:00Z", precision, calendar)
    assert landed is not None
    assert kept == precision
    assert values.time_from_rdf(values.time_to_rdf(landed, precision, calendar), precision, calendar)[0] == landed


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("+1500", "1500"), ("-12.0", "-12"), ("+2.50", "2.5"), ("-0", "0"), ("-0.00", "0"), ("+0", "0"),
        ("+0012.30", "12.3"), ("0.000000000000000000000000123", "0.000000000000000000000000123"),
        ("+1234567890123456789012345", "1234567890123456789012345"), ("+100", "100"), ("1e5", "1e5"), ("", ""),
    ],
)  # fmt: skip
def test_an_amount_has_one_spelling(text: str, plain: str) -> None:
    assert values.plain_amount(text) == plain


def test_a_unit_is_a_q_id_or_nothing() -> None:
    assert values.unit_id("http://www.wikidata.org/entity/Q11573") == "Q11573"
    assert values.unit_id("1") is None
    assert values.unit_id("http://www.wikidata.org/entity/Q199") is None


def test_a_commons_file_is_landed_by_its_name() -> None:
    base = "http://commons.wikimedia.org/"
    assert values.text_from_iri(f"{base}wiki/Special:FilePath/Douglas%20Adams%27%20gravestone.jpg") == (
        "Douglas Adams' gravestone.jpg"
    )
    assert values.text_from_iri(f"{base}data/main/Data:Rky/1277+Verla%2B.map") == "Data:Rky/1277 Verla+.map"
    assert values.text_from_iri("https://example.org/a%20b") == "https://example.org/a%20b"


def test_a_formula_is_landed_as_its_tex() -> None:
    mathml = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mn>2</mn>'
        '<annotation encoding="application/x-tex">{\\displaystyle a&lt;2^{607}-1}</annotation></semantics></math>'
    )
    assert values.text_from_math(mathml) == "a<2^{607}-1"
    assert values.text_from_math("<math><merror>no</merror></math>") == "<math><merror>no</merror></math>"


def test_qualifiers_have_one_order_whatever_the_source_says() -> None:
    low, high = values.quantity_value("2", None), values.quantity_value("3", "Q11573")
    text = values.qualifiers_text({"P9": [high, low, high], "P10": [values.text_value('a "quoted" é', "fr")]})
    assert text == values.qualifiers_text({"P10": [values.text_value('a "quoted" é', "fr")], "P9": [low, high]})
    assert text is not None
    assert json.loads(text) == {
        "P10": [{"kind": "text", "value": 'a "quoted" é', "lang": "fr"}],
        "P9": [
            {"kind": "quantity", "amount": "2", "unit": None},
            {"kind": "quantity", "amount": "3", "unit": "Q11573"},
        ],
    }
    assert values.qualifiers_text({}) is None
