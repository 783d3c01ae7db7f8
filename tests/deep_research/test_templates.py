"""The reasoning templates: dimensions by pint, answers by a second implementation, values from published tables."""

from __future__ import annotations

import math
import re
from typing import Any

import duckdb
import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deep_research.formulas import FORMULAS
from tests.deep_research.templates import Template, input_names, sides, templates

TEMPLATES = {template["id"]: template for template in templates()}
FAMILIES = {"quantitative_modelling", "scientific_inference", "temporal_reasoning", "comparative_ranking"}
UNITS = pint.UnitRegistry()
DUCKDB = duckdb.connect()

# (template, inputs and parameters, answer in its unit, relative tolerance of the table): what others have published.
PUBLISHED = [
    # U.S. Standard Atmosphere, 1976, table I: 5,000 m of geopotential height, 540.19 mb.
    ("air_pressure", {"h": 5000}, 54.019, 1e-4),
    # The same table, 3,000 m: 268.659 K, of 288.150 K at sea level.
    ("cooling_with_height", {"h": 3000}, 100 * (288.15 - 268.659) / 288.15, 1e-3),
    # CRC Handbook of Chemistry and Physics, 97th ed., 3: benzene (78.11 g/mol, 876.5 kg/m3, n = 1.5011); molar
    # refraction 26.2 cm3/mol in Lange's Handbook, 15th ed., table 5.19 by increments.
    ("molar_refraction", {"m": 78.11, "d": 876.5, "n": 1.5011}, 26.2, 5e-3),
    # Atkins, Physical Chemistry, 9th ed., table 3.2: benzene, 30.8 kJ/mol at 353.2 K, 87.2 J/(mol K).
    ("entropy_of_vaporisation", {"hv": 30.8, "tb": 353.2}, 87.2, 1e-3),
    # Atkins, table 3.2: water melts with 6.008 kJ/mol at 273.15 K, 22.00 J/(mol K).
    ("entropy_of_fusion", {"hf": 6.008, "tm": 273.15}, 22.0, 1e-3),
    # Erickson, Biological Procedures Online 11 (2009), table 1: 50 kDa has a minimal radius of 2.4 nm.
    ("sphere_radius", {"m": 50_000}, 2.4, 2e-2),
    # UniProt P01308: 110 residues; the coding sequence of human insulin, CCDS7729, has 333 nucleotides.
    ("coding_sequence_length", {"length": 110}, 333, 0),
]


def evaluated(template: Template, values: dict[str, Any], functions: dict[str, Any]) -> Any:
    """The template's formula over ``values``, with SQL's functions as ``functions`` has them."""
    return eval(template["formula"], {"__builtins__": {}}, {**functions, **values})


def in_duckdb(template: Template, values: dict[str, float]) -> float:
    """The template's answer, by the SQL of its formula."""
    known = {name: constant["value"] for name, constant in template.get("constants", {}).items()} | values
    columns = ", ".join(f"cast({value!r} as double) as {name}" for name, value in known.items())
    query = f"select ({template['formula']}) / {template.get('scale', 1)} from (select {columns})"
    return float(DUCKDB.execute(query).fetchall()[0][0])


def test_there_are_forty_templates_and_five_in_each_domain() -> None:
    domains = [template["domain"] for template in TEMPLATES.values()]
    assert len(TEMPLATES) == len(domains) >= 40
    assert {domain: domains.count(domain) >= 5 for domain in set(domains)} == dict.fromkeys(
        ("geophysical", "biochemistry", "financial", "history", "security"), True
    )


def test_every_formula_has_a_second_implementation() -> None:
    assert set(FORMULAS) == set(TEMPLATES)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_says_what_it_needs(name: str) -> None:
    template = TEMPLATES[name]
    assert template["family"] in FAMILIES
    words = set(re.findall(r"[a-z_][a-z0-9_]*", template["formula"]))
    functions = {"power", "sqrt", "pi", "ln", "exp", "sin", "cos", "asin", "radians", "floor"}
    given_names = set(template.get("parameters", {})) | set(template.get("constants", {}))
    # Nothing declared goes unused, and nothing is used that is not declared.
    assert words - functions == set(input_names(template)) | given_names
    assert template["unit"]["words"] in template["ask"]
    assert set(re.findall(r"{(\w+)}", template["ask"])) <= set(template.get("parameters", {})) | {"as_of"}
    assert all(constant["source"] for constant in template.get("constants", {}).values())
    # The macros have room for three inputs a side and two parameters.
    assert len(template["inputs"]) <= 3
    assert len(template.get("parameters", {})) <= 2


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_formula_gives_its_unit(name: str) -> None:
    template = TEMPLATES[name]
    quantities = {
        side + key: 3.0 * UNITS(given["pint"]) for side in sides(template) for key, given in template["inputs"].items()
    }
    units = template.get("parameter_units", {})
    quantities |= {key: 2.0 * UNITS(units.get(key, "dimensionless")) for key in template.get("parameters", {})}
    quantities |= {key: 5.0 * UNITS(constant["pint"]) for key, constant in template.get("constants", {}).items()}
    functions = {
        "sqrt": lambda x: x**0.5, "power": lambda x, y: x ** float(y), "pi": lambda: math.pi, "floor": lambda x: x,
        "exp": lambda x: math.exp(x.to("dimensionless").magnitude), "radians": lambda x: x.to("radian"),
        "ln": lambda x: math.log(abs(UNITS.Quantity(x).to("dimensionless").magnitude)),
        "sin": lambda x: math.sin(x.magnitude), "cos": lambda x: math.cos(x.magnitude), "asin": math.atan,
    }  # fmt: skip
    answer = UNITS.Quantity(evaluated(template, quantities, functions))
    assert answer.check(UNITS(template["unit"]["pint"]).dimensionality)


@pytest.mark.parametrize("name", TEMPLATES)
@given(data=st.data())
def test_two_implementations_agree(name: str, data: st.DataObject) -> None:
    template = TEMPLATES[name]
    values: dict[str, float] = {}
    for side in sides(template):
        for key, wanted in template["inputs"].items():
            if wanted["pint"] == "day":
                # Later inputs are later days.
                values[side + key] = data.draw(st.integers(0, 40_000)) + 40_000 * len(values)
            else:
                least = wanted.get("min", 1)
                values[side + key] = data.draw(st.floats(least, wanted.get("max", 1000 * abs(least) + 1000)))
    for key, choices in template.get("parameters", {}).items():
        values[key] = data.draw(st.sampled_from(choices))
    if name == "key_col_pressure":
        values["p"] = min(values["p"], values["h"])
    assert in_duckdb(template, values) == pytest.approx(FORMULAS[name](**values), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("name", "values", "answer", "tolerance"), PUBLISHED, ids=[row[0] for row in PUBLISHED])
def test_a_published_value_comes_out(name: str, values: dict[str, float], answer: float, tolerance: float) -> None:
    assert in_duckdb(TEMPLATES[name], values) == pytest.approx(answer, rel=tolerance)
