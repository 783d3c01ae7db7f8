"""Reads the measured constants packed in `chemicals` (no estimates), and picks one source a property.

Tables are read as text so that a value keeps the digits its table gives it.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.sample.build.packages import package_file

SOURCE = "chemicals"

# property -> tables that measure it, the most trusted first: (file, column)
_ORGANIC, _INORGANIC = (f"Misc/Physical Constants of {kind} Compounds.csv" for kind in ("Organic", "Inorganic"))
_IUPAC, _CRITICAL = "Critical Properties/IUPACOrganicCriticalProps.tsv", "Critical Properties/CRCCriticalOrganics.tsv"
_INORGANIC_CRITICAL = "Critical Properties/Mathews1972InorganicCriticalProps.tsv"
_VAPORISATION = "Phase Change/CRC Handbook Heat of Vaporization.tsv"
_IEC, _NFPA = "Safety/IS IEC 60079-20-1 2010.tsv", "Safety/NFPA 497 2008.tsv"
TABLES: dict[str, tuple[tuple[str, str], ...]] = {
    "melting_point": ((_ORGANIC, "Tm"), (_INORGANIC, "Tm")),
    "boiling_point": ((_ORGANIC, "Tb"), (_INORGANIC, "Tb"), (_VAPORISATION, "Tb")),
    "density": ((_ORGANIC, "rho"), (_INORGANIC, "rho")),
    "critical_temperature": ((_IUPAC, "Tc"), (_CRITICAL, "Tc"), (_INORGANIC_CRITICAL, "Tc")),
    "critical_pressure": ((_IUPAC, "Pc"), (_CRITICAL, "Pc"), (_INORGANIC_CRITICAL, "Pc")),
    "fusion": (("Phase Change/CRC Handbook Heat of Fusion.tsv", "Hfus"),),
    "vaporisation": ((_VAPORISATION, "HvapTb"),),
    "vaporisation_298": ((_VAPORISATION, "Hvap298"),),
    "refractive_index": (("Misc/CRC Handbook Organic RI.csv", "RI"),),
    "refractive_index_at": (("Misc/CRC Handbook Organic RI.csv", "RIT"),),
    "dipole_moment": (
        ("Misc/cccbdb.nist.gov Dipoles.csv", "dipole_moment"),
        ("Misc/Poling Dipole.csv", "dipole_moment"),
    ),
    "flash_point": ((_IEC, "T_flash"), (_NFPA, "T_flash"), ("Safety/DIPPR T_flash Serat.csv", "T_flash")),
    "autoignition": ((_IEC, "T_autoignition"), (_NFPA, "T_autoignition")),
    "lower_flammable_limit": ((_IEC, "LFL"), (_NFPA, "LFL")),
    "upper_flammable_limit": ((_IEC, "UFL"), (_NFPA, "UFL")),
    "formation": (("Reactions/ATcT 1.112 (g).tsv", "Hfg"),),
    "formation_uncertainty": (("Reactions/ATcT 1.112 (g).tsv", "uncertainty"),),
    "entropy": (("Reactions/JANAF_1998.tsv", "S0g"),),
}
# How far two tables may be apart, as a share of the value (of the absolute temperature, for temperatures).
TOLERANCES = {
    "melting_point": 0.01,
    "boiling_point": 0.01,
    "critical_temperature": 0.015,
    "critical_pressure": 0.05,
    "flash_point": 0.035,
    "autoignition": 0.05,
}
NOT_COUNTED = {"vaporisation_298", "refractive_index_at", "formation_uncertainty"}


@dataclass(frozen=True)
class Substance:
    """A substance of the identifier tables; `cid` is its number in PubChem."""

    cid: str
    cas: str
    formula: str
    smiles: str
    iupac_name: str
    name: str
    synonyms: tuple[str, ...]


@functools.cache
def substances() -> tuple[Substance, ...]:
    """Every substance with a PubChem number, by that number."""
    found: dict[str, Substance] = {}
    for file in (
        "chemical identifiers pubchem small.tsv",
        "Inorganic db.tsv",
        "chemical identifiers example user db.tsv",
    ):
        for line in _text(f"Identifiers/{file}").splitlines():
            cid, cas, formula, _, smiles, _, _, iupac_name, name, *synonyms = line.split("\t")
            if int(cid) > 0:
                found.setdefault(cas, Substance(cid, cas, formula, smiles, iupac_name, name, tuple(synonyms)))
    return tuple(sorted(found.values(), key=lambda substance: int(substance.cid)))


@functools.cache
def measured(prop: str) -> dict[str, str]:
    """CAS number -> value of a property of TABLES as its first table writes it, unless the tables contradict."""
    found: dict[str, str] = {}
    contradicted = set()
    for file, column in TABLES[prop]:
        for row in _rows(file):
            # Long decimals give away a value that was calculated, not measured.
            if row[column] and len(row[column].partition(".")[2]) <= 4:
                first = found.setdefault(row["CAS"], row[column])
                if prop in TOLERANCES and abs(float(row[column]) / float(first) - 1) > TOLERANCES[prop]:
                    contradicted.add(row["CAS"])
    return {cas: value for cas, value in found.items() if cas not in contradicted}


@functools.cache
def second_opinions() -> dict[str, dict[str, tuple[float | None, float | None]]]:
    """CAS number -> 'Tm' and 'Tb' in kelvins of (NIST WebBook, Wikidata)."""
    found: dict[str, dict[str, tuple[float | None, float | None]]] = {}
    names = ("webbook_constants", "wikidata_properties")
    tables = [{row["CAS"].zfill(5): row for row in _rows(f"Misc/{name}.tsv")} for name in names]
    for cas in {cas for table in tables for cas in table}:
        rows = [table.get(cas, {}) for table in tables]
        dashed = f"{cas[:-3]}-{cas[-3:-1]}-{cas[-1]}"
        found[dashed] = {key: (_number(rows[0].get(key)), _number(rows[1].get(key))) for key in ("Tm", "Tb")}
    return found


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def _text(relative: str) -> str:
    return package_file("chemicals", relative).read_text(encoding="utf-8")


def _rows(relative: str) -> Iterator[dict[str, str]]:
    return iter(csv.DictReader(_text(relative).splitlines(), delimiter="\t"))
