"""The builder's own parts: amounts, what it reads off the Factbook's texts, and the checks across datasets."""

from __future__ import annotations

import lzma
from pathlib import Path

import pyoxigraph as ox
import pytest

from ingest.sample.build.__main__ import DATASETS, check_across
from ingest.sample.build.amounts import bounds, plain, scaled
from ingest.sample.build.factbook import Figure, clean, figure, iso_date, series
from ingest.sample.build.manifest import describe, write_manifest
from ingest.sample.build.packages import package_file
from ingest.sample.build.rdf import Fact, Item, Quantity, Ref, to_turtle, write


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (115.99999999999999, "116"),
        (8.9e-11, "0.000000000089"),
        ("4540000", "4540000"),
        (1e21, "1000000000000000000000"),
        (-0.0, "0"),
        ("2.50", "2.5"),
        (100, "100"),
    ],
)
def test_a_number_becomes_a_plain_decimal(number: float | str, text: str) -> None:
    assert plain(number) == text


def test_infinity_is_no_amount() -> None:
    with pytest.raises(ValueError, match="is no finite number"):
        plain(float("inf"))


def test_scaling_makes_up_no_digits() -> None:
    assert scaled(0.449, 1000) == "449"
    assert scaled("0.07", 100) == "7"


def test_bounds_stand_on_both_sides() -> None:
    assert bounds("55.845", 0.002) == ("55.843", "55.847")
    assert bounds("55.845", None) == (None, None)


@pytest.mark.parametrize(
    ("text", "amount", "year"),
    [
        ("$3.162 trillion (2024 est.)", "3162000000000", "2024"),
        ("-$33.069 billion (2022 est.)", "-33069000000", "2022"),
        ("643,801 sq km ; 551,500 sq km (metropolitan France)", "643801", None),
        ("1.284 million sq km", "1284000", None),
        ("0.2% (2025 est.)", "0.2", "2025"),
        ("-2 m", "-2", None),
        ("1,739 (2021)", "1739", "2021"),
    ],
)
def test_a_figure_is_read_with_its_scale_and_year(text: str, amount: str, year: str | None) -> None:
    assert figure(text) == Figure(amount, year)


@pytest.mark.parametrize("text", ["", None, "NA", "no permanent inhabitants", "less than 3 sq km"])
def test_a_text_without_a_number_in_front_gives_no_figure(text: str | None) -> None:
    assert figure(text) is None


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("1 October 1960 (from the UK)", ("1960-10-01", 11)),
        ("3 September 301 (traditional founding date)", ("0301-09-03", 11)),
        ("1278 (formed)", ("1278", 9)),
        ("321 B.C. (Kingdom of Armenia established)", ("-0321", 9)),
        ("11 February 660 B.C. (mythological)", ("-0660-02-11", 11)),
        ("May 1811", ("1811-05", 10)),
    ],
)
def test_a_date_is_read_at_its_precision(text: str, date: tuple[str, int]) -> None:
    assert iso_date(text) == date


@pytest.mark.parametrize("text", ["14-15 May 1811 (from Spain)", "none (territory of the US)", "ca. 965 (unified)"])
def test_a_text_that_begins_with_no_date_gives_none(text: str) -> None:
    assert iso_date(text) is None


def test_markup_is_taken_out() -> None:
    assert clean("<strong>Bogot&aacute;</strong><br>  D.C.") == "Bogotá D.C."


def test_a_series_of_years_comes_latest_first() -> None:
    profile = {
        "Economy": {
            "Exports": {
                "Exports 2022": {"text": "$1 million (2022 est.)"},
                "Exports 2024": {"text": "$3 million (2024 est.)"},
                "Exports 2023": {"text": "NA"},
                "note": "in current dollars",
            }
        }
    }
    assert series(profile, "Economy", "Exports") == [Figure("3000000", "2024"), Figure("1000000", "2022")]


def test_two_labels_of_one_entity_are_refused() -> None:
    built = {"a": ([Item("Q142", "France")], []), "b": ([Item("Q142", "French Republic")], [])}
    with pytest.raises(ValueError, match="Q142 is 'France' in a and 'French Republic' in b"):
        check_across(built)


def test_a_property_stated_in_two_files_is_refused_unless_they_agree() -> None:
    one, other = Fact("Q142", "P30", Ref("Q46")), Fact("Q142", "P30", Ref("Q48"))
    check_across({"a": ([], [one]), "b": ([], [one])})
    with pytest.raises(ValueError, match="Both a and b state P30 of Q142"):
        check_across({"a": ([], [one]), "b": ([], [other])})


def test_the_manifest_counts_what_a_file_holds(tmp_path: Path) -> None:
    path = tmp_path / "a.ttl.xz"
    facts = [Fact("Q142", "P1082", Quantity("7"), source="natural_earth")]
    write(path, [Item("Q142", "France", classes=("Q6256",))], facts)
    found = describe(path)
    assert (found["entities"], found["statements"], found["sources"]) == (1, 2, ["natural_earth", "typed"])
    assert found["triples"] == len(set(to_lines(path)))
    write_manifest(tmp_path, tmp_path / "manifest.json")
    first = (tmp_path / "manifest.json").read_bytes()
    write_manifest(tmp_path, tmp_path / "manifest.json")
    assert (tmp_path / "manifest.json").read_bytes() == first


def to_lines(path: Path) -> list[str]:
    """The triples of a file, one a line."""
    return [str(triple) for triple in ox.parse(lzma.decompress(path.read_bytes()), ox.RdfFormat.TURTLE)]


def test_every_dataset_has_a_module_and_a_file() -> None:
    package = Path(package_file("ingest", "sample/build/__main__.py")).parent
    facts = package.parent / "facts"
    assert list(DATASETS) == sorted(DATASETS)
    assert all((package / f"{module}.py").is_file() for module in DATASETS.values())
    assert {path.name for path in facts.glob("*.ttl.xz")} == {f"{name}.ttl.xz" for name in DATASETS}


def test_a_missing_package_says_what_to_install() -> None:
    with pytest.raises(FileNotFoundError, match="pip install"):
        package_file("no_such_package_at_all", "x")


def test_turtle_is_readable() -> None:
    turtle = to_turtle([Item("Q142", "France")], [Fact("Q142", "P30", Ref("Q46"))])
    assert 'wd:Q142 a wikibase:Item ;\n  rdfs:label "France"@en ;' in turtle
    assert "wds:Q142-P30-1 a wikibase:Statement , wikibase:BestRank" in turtle
