"""Each gate stops a run over a sample corrupted in one way, and the old database stays published, byte for byte."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Checkout, Outcome

pytestmark = pytest.mark.e2e


@pytest.fixture
def project(demo: tuple[Checkout, Outcome], tmp_path: Path) -> Checkout:
    """A copy of the demo after its build: something is published, and the gates know its volumes."""
    copied = Checkout(tmp_path / "assay")
    shutil.copytree(demo[0].root, copied.root, ignore=shutil.ignore_patterns("dagster", "landing"))
    return copied


def corrupt(project: Checkout, change: Callable[[str], str], *topics: str) -> None:
    """Rewrite facts files of the sample and their hashes, as a bad source would have them."""
    sample = project.root / "ingest/sample"
    manifest = json.loads((sample / "manifest.json").read_text())
    for name, entry in manifest["files"].items():
        if name.removesuffix(".ttl.xz") not in topics:
            continue
        packed = sample / "facts" / name
        changed = change(lzma.decompress(packed.read_bytes()).decode())
        packed.write_bytes(lzma.compress(changed.encode(), preset=1))
        entry["sha256"] = hashlib.sha256(packed.read_bytes()).hexdigest()
    (sample / "manifest.json").write_text(json.dumps(manifest))


def stopped_at(project: Checkout, gate: str) -> str:
    """The gate's sentence on the corrupted project, after checking that it stopped the run and published nothing."""
    before = project.published.read_bytes()
    outcome = project.run("build")
    assert outcome.code == 1, outcome.out
    assert f"assay: The {gate} gate stopped the run and nothing was published" in outcome.err, outcome.err
    assert re.search(rf"^  {gate} gate .* stopped$", outcome.out, re.MULTILINE), outcome.out
    assert outcome.out.rstrip().endswith("stopped"), "a later room ran"
    assert project.published.read_bytes() == before
    page = (project.data / "quality/index.html").read_text()
    assert re.search(rf'<h2 id="{gate}">{gate}:\s*<span class="failed">stopped the run</span>', page)
    return outcome.err


def populations_in_no_unit(turtle: str) -> str:
    """Every population is given in a unit that is none (Q2 is the planet Earth)."""
    nodes = [line for line in turtle.splitlines() if line.startswith("wdv:") and "_Q199 a " in line]
    moved = "\n".join(nodes).replace("_Q199 a ", "_Q2 a ").replace("wd:Q199 .", "wd:Q2 .")
    return re.sub(r"(psv:P1082 wdv:\w+)_Q199", r"\g<1>_Q2", turtle) + moved + "\n"


def all_rivers_of_one_length(turtle: str) -> str:
    """Every river is 1,000 km long."""
    node = (
        "wdv:q1000_Q828224 a wikibase:QuantityValue ;"
        ' wikibase:quantityAmount "1000"^^xsd:decimal ; wikibase:quantityUnit wd:Q828224 .\n'
    )
    length = re.compile(r'ps:P2043 "[^"]+"\^\^xsd:decimal ; psv:P2043 wdv:\w+')
    return length.sub('ps:P2043 "1000"^^xsd:decimal ; psv:P2043 wdv:q1000_Q828224', turtle) + node


def names_that_are_articles(turtle: str) -> str:
    """Where a name belongs, the source gives its article: no room before the questions asks how long a name is."""
    article = ", on which the source has so much to say that nobody who is asked about it would read to the end" * 5
    return re.sub(r'rdfs:label "([^"]+)"@en', rf'rdfs:label "\g<1>{article}"@en', turtle)


def test_facts_gate_stops_units_that_nobody_listed(project: Checkout) -> None:
    corrupt(project, populations_in_no_unit, "cities", "countries")
    assert "unit nobody listed" in stopped_at(project, "facts")


def test_topics_gate_stops_an_attribute_that_says_the_same_of_everything(project: Checkout) -> None:
    corrupt(project, all_rivers_of_one_length, "rivers")
    assert "rivers.length_km" in stopped_at(project, "topics")


def test_questions_gate_stops_questions_that_nobody_would_read_to_the_end(project: Checkout) -> None:
    # No clue of deep research names a moon: its own gate, which comes first, has nothing against them.
    corrupt(project, names_that_are_articles, "moons")
    assert "every question is between 20 and 400 characters long" in stopped_at(project, "questions")
