"""Topic macros, and the catalog that is made of the topics' tables and yml."""

import datetime as dt

from tests.dbt.project import Project


def column(built: Project, name: str, table: str = "countries") -> dict[str, object]:
    return dict(built.rows(f"select label, {name} from topics.{table} where label != 'Israel'"))


def test_members_have_the_class_and_a_name(built: Project) -> None:
    assert built.rows("select label from topics.countries order by 1") == [
        ("France",),
        ("Germany",),
        ("Israel",),
        ("Italy",),
        ("United Kingdom",),
    ]


def test_numbers_stand_in_the_canonical_unit_or_the_one_asked_for(built: Project) -> None:
    assert column(built, "area_km2") == {"France": 643801, "Germany": 357022, "Italy": 301340, "United Kingdom": None}
    assert column(built, "round(area_sq_mi, 3)")["Germany"] == 137846.965


def test_a_number_is_kept_apart_by_currency(built: Project) -> None:
    assert column(built, "gdp_usd") == {"France": 3000, "Germany": None, "Italy": None, "United Kingdom": None}


def test_a_volatile_number_has_its_date(built: Project) -> None:
    assert column(built, "population")["France"] == 67000000
    assert column(built, "population_as_of") == {
        "France": "2020-06-01",
        "Germany": "2010",
        "Italy": None,
        "United Kingdom": None,
    }


def test_a_category_with_two_values_is_none(built: Project) -> None:
    assert column(built, "continent") == {
        "France": "Europe",
        "Germany": "Europe",
        "Italy": None,
        "United Kingdom": None,
    }


def test_a_list_is_sorted_and_is_none_rather_than_incomplete(built: Project) -> None:
    assert column(built, "official_languages") == {
        "France": ["French"],
        "Germany": ["German"],
        "Italy": None,
        "United Kingdom": ["English", "French"],
    }


def test_years_and_dates(built: Project) -> None:
    assert column(built, "inception_year") == {"France": 843, "Germany": 1871, "Italy": -753, "United Kingdom": None}
    assert column(built, "founded_on") == {
        "France": dt.date(843, 8, 14),
        "Germany": None,
        "Italy": None,
        "United Kingdom": None,
    }


def test_counts_texts_booleans_and_coordinates(built: Project) -> None:
    assert column(built, "neighbours") == {"France": 2, "Germany": None, "Italy": None, "United Kingdom": None}
    assert column(built, "short_name")["France"] == "FR"
    assert column(built, "is_european") == {"France": True, "Germany": True, "Italy": None, "United Kingdom": True}
    assert (column(built, "latitude")["France"], column(built, "longitude")["France"]) == (46.0, 2.0)


def test_a_path_of_two_properties_reaches_the_related_entity(built: Project) -> None:
    rows = built.rows("select label, country, country_continent, country_area_km2 from topics.cities order by 1")
    assert rows == [("Berlin", "Germany", "Europe", 357022.0), ("Paris", "France", "Europe", 643801.0)]


def test_entity_attributes_hold_one_tuple_a_value(built: Project) -> None:
    rows = built.rows(
        "select attribute, kind, value_num, value_text, value_date, unit, hops, as_of from topics.entity_attributes "
        "where label in ('United Kingdom', 'Paris') order by topic desc, attribute, value_text"
    )
    assert rows == [
        ("is_european", "boolean", None, "true", None, None, 1, None),
        ("official_languages", "category", None, "English", None, None, 1, None),
        ("official_languages", "category", None, "French", None, None, 1, None),
        ("country", "category", None, "France", None, None, 1, None),
        ("country_area_km2", "number", 643801.0, None, None, "square kilometres", 2, None),
        ("country_continent", "category", None, "Europe", None, None, 2, None),
    ]
    dated = built.rows("select as_of from topics.entity_attributes where label = 'France' and attribute = 'population'")
    assert dated == [("2020-06-01",)]


def test_the_catalog_counts_what_there_is(built: Project) -> None:
    rows = built.rows(
        "select attribute, kind, phrase, unit, hops, coverage, distinct_values, is_multivalued, volatile "
        "from topics.catalog "
        "where attribute in ('population', 'official_languages', 'country_area_km2', 'inception_year') order by 1"
    )
    assert rows == [
        ("country_area_km2", "number", "area of its country", "square kilometres", 2, 1.0, 2, False, False),
        ("inception_year", "number", "year of foundation", "year", 1, 0.6, 3, False, False),
        ("official_languages", "category", "official language", None, 1, 0.6, 3, True, False),
        ("population", "number", "population", "people", 1, 0.4, 2, False, True),
    ]


def test_attribute_meta_fills_in_the_defaults(built: Project) -> None:
    rows = built.rows(
        "select attribute, phrase_plural, article, more, least, is_integer, is_year, via, tolerance, as_of_column "
        "from topics.attribute_meta "
        "where attribute in ('area_km2', 'inception_year', 'population', 'gdp_usd', 'country_continent') order by 1"
    )
    assert rows == [
        ("area_km2", "areas", "the", "larger", "smallest", False, False, None, None, None),
        ("country_continent", "continents", "the", "higher", "lowest", False, False, "country", None, None),
        ("gdp_usd", "nominal GDPs", "the", "higher", "lowest", False, False, None, 0.05, None),
        ("inception_year", "years of foundation", "the", "later", "earliest", True, True, None, None, None),
        ("population", "populations", "the", "higher", "lowest", True, False, None, None, "population_as_of"),
    ]
    assert built.rows("select * from topics.topic_meta order by 1") == [
        ("cities", "city", "cities", None),
        ("countries", "country", "countries", None),
    ]


def test_what_having_asks_is_true_or_false_and_never_null(built: Project) -> None:
    def who(name: str) -> set[str]:
        told = column(built, name)
        assert set(told.values()) == {True, False}
        return {label for label, holds in told.items() if holds}

    assert who("has_population") == {"France", "Germany"}
    assert who("has_area_in_km2") == {"France", "Italy"}, "Germany's stands in square metres"
    assert who("speaks_germanic") == {"Germany", "United Kingdom"}
    assert who("has_counted_population") == {"France"}, "Germany has more than the most"
