"""Each template's answer a second time, written from the textbook and not from the template.

Names are those of the template's inputs (with a_ and b_ before them for a comparison) and parameters; units are those
of the topics' attributes. A date is the number of its day.
"""

from __future__ import annotations

import math
from collections.abc import Callable

EARTH = 6_371_000.0  # metres; the questions state it
GAS = 8.31446
GRAVITY = 9.80665
AIR = 28.9644e-3
LAPSE = 6.5e-3
SEA_LEVEL_KELVIN = 15 + 273.15


def pressure(metres: float) -> float:
    """Pascals at a height in the troposphere of the standard atmosphere."""
    exponent = GRAVITY * AIR / GAS / LAPSE
    return 101325.0 * ((SEA_LEVEL_KELVIN - LAPSE * metres) / SEA_LEVEL_KELVIN) ** exponent


def boiling_point(metres: float) -> float:
    """Kelvins at which water boils there, from d(1/T) = -(R/L) d(ln p)."""
    return 1.0 / (1.0 / 373.15 - GAS / 40660.0 * math.log(pressure(metres) / 101325.0))


def horizon(metres: float) -> float:
    """Kilometres of straight line to the horizon: the leg of a right triangle."""
    return math.sqrt((EARTH + metres) ** 2 - EARTH**2) / 1000.0


def central_angle(lat: float, lon: float) -> float:
    """Radians between a place and 0 N 0 E: the angle between its unit vector and the x axis."""
    phi, lam = math.radians(lat), math.radians(lon)
    x, y, z = math.cos(phi) * math.cos(lam), math.cos(phi) * math.sin(lam), math.sin(phi)
    return math.atan2(math.hypot(y, z), x)


FORMULAS: dict[str, Callable[..., float]] = {
    "air_pressure": lambda h: pressure(h) / 1e3,
    "boiling_point_lowered": lambda h: 373.15 - boiling_point(h),
    "cooling_with_height": lambda h: (1 - (SEA_LEVEL_KELVIN - LAPSE * h) / SEA_LEVEL_KELVIN) * 100,
    "pendulum_clock_delay": lambda h: 86400 * (1 - EARTH / (EARTH + h)),
    "horizon_distance": lambda h: horizon(h),
    "prominence_share": lambda h, p: p / (h / 100),
    "key_col_pressure": lambda h, p: (pressure(h - p) - pressure(h)) / 1e3,
    "rotation_speed": lambda lat: math.tau / 86164.1 * EARTH * math.sin(math.radians(90 - lat)),
    "distance_from_origin_of_coordinates": lambda lat, lon: central_angle(lat, lon) * EARTH / 1000,
    "line_of_sight": lambda a_h, b_h: horizon(a_h) + horizon(b_h),
    "pressure_ratio": lambda a_h, b_h: pressure(a_h) / pressure(b_h) * 100,
    "population_density": lambda n, a: n / a,
    "population_after_growth": lambda n, rate, years: n * math.exp(years * math.log1p(rate / 100)),
    "radius_of_equal_area": lambda a: (a / math.pi) ** 0.5,
    "coastline_by_area": lambda c, a: (c * 1e3) / a,
    "water_volume": lambda a, depth: a * (depth * 1e-3),
    "evaporated_water": lambda a, rate: (a * 1e6) * (rate * 1e-3) / (24 * 3600),
    "area_ratio": lambda a_a, b_a: a_a / b_a * 100,
    "drift_time": lambda length, speed: (length * 1e3) / (speed * 24 * 3600),
    "mean_discharge": lambda w, runoff: (w * 1e6) * (runoff * 1e-3) / (365.25 * 24 * 3600),
    "length_ratio": lambda a_length, b_length: a_length / b_length * 100,
    "net_margin": lambda p, s: p / s * 100,
    "return_on_assets": lambda p, a: p / a * 100,
    "asset_turnover": lambda s, a: s / a * 100,
    "revenue_per_employee": lambda s, n: s / n,
    "profit_per_employee": lambda p, n: p / n,
    "revenue_after_growth": lambda s, rate, years: s / 1e9 * (1 + rate * 0.01) ** years,
    "years_of_profit_for_the_assets": lambda p, a: a / p,
    "revenue_ratio": lambda a_s, b_s: a_s / b_s * 100,
    "margin_ratio": lambda a_p, a_s, b_p, b_s: a_p * b_s / (a_s * b_p),
    "exports_over_imports": lambda x, i: x / i * 100,
    "reserves_in_months_of_imports": lambda v, i: v / (i / 12),
    "amount_in_mass": lambda m, mass: mass / m * 1e3,
    "concentration": lambda m, mass, volume: (mass / m) / (volume / 1e3) * 1e3,
    "molar_volume": lambda m, d: (m / 1e3) / d * 1e6,
    "molar_refraction": lambda m, d, n: (m / 1e3) / d * 1e6 * (1 - 3 / (n**2 + 2)),
    "entropy_of_vaporisation": lambda hv, tb: hv * 1e3 / tb,
    "entropy_of_fusion": lambda hf, tm: hf * 1e3 / tm,
    "vapour_pressure": lambda hv, tb: 101.325 / math.exp(hv * 1e3 / GAS * (1 / 298.15 - 1 / tb)),
    "heat_of_vaporising": lambda hv, m, mass: hv * (mass / m),
    "liquid_range": lambda tm, tb: tb - tm,
    # van der Waals: p = R T / (V - b) - a / V^2 has its critical point at V = 3 b, with b = R T / (8 p)
    "critical_molar_volume": lambda tc, pc: 3 * (GAS * tc / (8 * pc * 1e6)) * 1e6,
    "mass_ratio": lambda a_m, b_m: a_m / b_m * 100,
    "protein_amount_in_mass": lambda m, mass: (mass * 1e-3) / m * 1e9,
    "coding_sequence_length": lambda length: (length + 1) * 3,
    "helix_length": lambda length: length * 1.5 / 10,
    "translation_time": lambda length, rate: length / rate,
    "sphere_radius": lambda m: ((m / 6.02214076e23 * 0.73 * 1e21) * 3 / (4 * math.pi)) ** (1 / 3),
    "protein_mass_ratio": lambda a_m, b_m: a_m / b_m * 100,
    "lifespan_in_days": lambda born, died: died - born,
    "weeks_to_the_middle_of_life": lambda born, died: (died - born) // 14,
    "conflict_duration_in_days": lambda began, ended: ended - began,
    "duration_ratio": lambda a_began, a_ended, b_began, b_ended: (
        (a_ended - a_began + 1) / (b_ended - b_began + 1) * 100
    ),
    "days_between_births": lambda a_born, b_born: b_born - a_born,
    "days_between_conflicts": lambda a_began, b_began: b_began - a_began,
    "days_until_listed": lambda published, added: added - published,
    "unpatched_when_listed": lambda published, added, half: 100 * math.exp(-math.log(2) * (added - published) / half),
    "impact_over_exploitability": lambda impact, ease: impact / ease * 100,
    "score_gap_to_maximum": lambda score, impact: (10 - score) / impact * 100,
    "score_ratio": lambda a_score, b_score: a_score / b_score * 100,
    "exploitability_times_impact_ratio": lambda a_impact, a_ease, b_impact, b_ease: (
        a_impact * a_ease / (b_impact * b_ease) * 100
    ),
    "days_between_publications": lambda a_published, b_published: b_published - a_published,
}
