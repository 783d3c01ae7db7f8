"""The bright stars of the sample against what is known of some."""

from __future__ import annotations

import pytest

from tests.sample.stated import by_label, members, names, statements, values

SIRIUS = "hip:32349"


def test_sirius_is_the_brightest_and_in_canis_major() -> None:
    magnitudes = {star: float(values("bright_stars", star, "P1215")[0]) for star in members("bright_stars", "Q523")}
    assert min(magnitudes, key=lambda star: magnitudes[star]) == SIRIUS
    assert [names("bright_stars")[entity] for entity in values("bright_stars", SIRIUS, "P59")] == [["Canis Major"]]


def test_the_parallax_of_sirius_puts_it_at_8_6_light_years() -> None:
    (parallax,) = statements("bright_stars", SIRIUS, "P2214")
    assert parallax.unit == "Q21500224"
    assert 3261.56 / float(parallax.value) == pytest.approx(8.6, abs=0.05)


def test_polaris_is_near_the_pole() -> None:
    (polaris,) = by_label("bright_stars", "Polaris")
    (declination,) = statements("bright_stars", polaris, "P6258")
    assert (float(declination.value), declination.unit) == (pytest.approx(89.26, abs=0.01), "Q28390")


def test_a_star_without_a_proper_name_has_its_bayer_designation() -> None:
    assert by_label("bright_stars", "Tau Ceti")


def test_no_parallax_is_less_certain_than_a_tenth() -> None:
    for star in members("bright_stars", "Q523"):
        for parallax in statements("bright_stars", star, "P2214"):
            assert parallax.upper is not None
            assert float(parallax.upper) <= 1.1001 * float(parallax.value)
