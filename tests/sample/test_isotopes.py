"""The isotopes of the sample against what is known of some."""

from __future__ import annotations

import pytest

from tests.sample.stated import by_label, members, statements, values


def test_carbon_14_decays_by_beta_minus_with_5700_years() -> None:
    (half_life,) = statements("isotopes", "mendeleev:C-14", "P2114")
    assert (half_life.value, half_life.unit, half_life.lower, half_life.upper) == ("5700", "Q577", "5670", "5730")
    assert values("isotopes", "mendeleev:C-14", "P817") == ["mendeleev:decay-mode/beta-minus"]


def test_half_lives_come_in_hours_days_and_years() -> None:
    units = {
        half_life.unit
        for isotope in members("isotopes", "Q25276")
        for half_life in statements("isotopes", isotope, "P2114")
        if half_life.unit
    }
    assert units == {"Q25235", "Q573", "Q577"}


def test_a_stable_isotope_has_no_half_life_and_says_so() -> None:
    assert values("isotopes", "mendeleev:Fe-56", "P2114") == ["novalue"]


def test_natural_uranium_is_mostly_uranium_238() -> None:
    (share,) = statements("isotopes", "mendeleev:U-238", "P2374")
    assert (float(share.value), share.unit) == (pytest.approx(99.27, abs=0.01), "Q11229")
    assert values("isotopes", "mendeleev:U-238", "P1148") == ["146"]
    assert values("isotopes", "mendeleev:U-238", "P279") == ["mendeleev:U"]


def test_shares_of_an_element_add_up_to_the_whole() -> None:
    shares = [
        float(values("isotopes", f"mendeleev:Sn-{number}", "P2374")[0])
        for number in (112, 114, 115, *range(116, 121), 122, 124)
    ]
    assert sum(shares) == pytest.approx(100, abs=0.1)


def test_tantalum_180_is_left_out_for_its_isomer() -> None:
    assert by_label("isotopes", "tantalum-180") == []
