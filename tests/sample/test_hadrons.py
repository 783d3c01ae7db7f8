"""The hadrons of the sample against what the Particle Data Group says of some."""

from __future__ import annotations

import pytest

from tests.sample.stated import by_label, names, statements, values

MEV_PER_DALTON = 931.49410372


@pytest.mark.parametrize(
    ("label", "mev"), [("proton", 938.27209), ("neutron", 939.56542), ("pi0", 134.9768), ("J/psi(1S)", 3096.9)]
)
def test_masses_convert_back_to_the_source_s_number(label: str, mev: float) -> None:
    (hadron,) = by_label("hadrons", label)
    (mass,) = statements("hadrons", hadron, "P2067")
    assert mass.unit == "Q483261"
    assert float(mass.value) * MEV_PER_DALTON == pytest.approx(mev, rel=1e-8)


def test_a_proton_is_a_baryon_of_up_and_down_quarks_with_charge_and_spin() -> None:
    assert values("hadrons", "pdg:2212", "P279") == ["pdg:kind/baryon"]
    assert [names("hadrons")[quark] for quark in values("hadrons", "pdg:2212", "P527")] == [
        ["down quark"],
        ["up quark"],
    ]
    assert values("hadrons", "pdg:2212", "P2200") == ["1"]
    assert values("hadrons", "pdg:2212", "P1122") == ["0.5"]


def test_a_width_of_a_sigma_is_36_mev_with_bounds() -> None:
    (width,) = statements("hadrons", "pdg:3224", "P2223")
    assert (width.value, width.unit, width.lower, width.upper) == ("36200000", "Q83327", "35500000", "36900000")
