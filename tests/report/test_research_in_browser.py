"""What the page shows of deep research, in a real browser: boards, charts, trends, failures, clues and sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from dagster_defs.steps.report import write_report
from dagster_defs.steps.report.charts import FAILURES
from tests.report import research, world
from tests.report.browser import complaints, show
from tests.report.test_page_in_browser import CONTRAST, choose, found, shown_rows, unfold


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory, quality: Path, cache: Path) -> Path:
    """The page of a database with questions and runs of both families."""
    folder = tmp_path_factory.mktemp("both")
    return write_report(research.write(folder / "assay.duckdb"), folder / "report/index.html", quality, cache)


def table_of(browser: Chrome, label: str) -> list[list[str]]:
    """The texts of a table's rows, its head among them; ``label`` begins the name of what it scrolls in."""
    script = """return [...document.querySelectorAll(`[role=region][aria-label^="${arguments[0]}"] > table > * > tr`)]
        .map(row => [...row.cells].map(cell => cell.textContent.trim()))"""
    rows: list[list[str]] = browser.execute_script(script, label)
    return rows


def test_every_chart_of_both_families_is_drawn(browser: Chrome, both: Path) -> None:
    show(browser, both)
    assert complaints(browser) == []
    drawn = browser.execute_script(
        "return [...document.querySelectorAll('.chart')].map(c => [c.id, !!c.querySelector('svg')])"
    )
    assert dict(drawn) == dict.fromkeys(
        ("chart-type-1", "chart-density-1", "chart-category-2", "chart-cci-2", "chart-entity-2", "chart-failures-2",
         "chart-types", "chart-entities", "chart-domains", "chart-complexity"),
        True,
    )  # fmt: skip
    points = "return document.querySelectorAll(`#${arguments[0]} .mark-symbol.role-mark path`).length"
    assert browser.execute_script(points, "chart-category-2") == len(research.RUNS) * len(research.DOMAINS)
    assert browser.execute_script(points, "chart-cci-2") == len(research.RUNS) * 4
    assert browser.execute_script(points, "chart-entity-2") == len(research.RUNS) * 3
    bars = "return document.querySelectorAll(`#${arguments[0]} .mark-rect.role-mark path`).length"
    classes = sum(share > 0 for share in research.CLASSES.values())
    assert browser.execute_script(bars, "chart-failures-2") == len(research.RUNS) * classes


def test_no_board_has_runs_of_two_families(browser: Chrome, both: Path) -> None:
    show(browser, both)
    multi, deep = (rows for rows in (table_of(browser, "Leaderboard: multi"), table_of(browser, "Leaderboard: deep")))
    assert len(multi) == len(world.RUNS) + 1
    assert len(deep) == len(research.RUNS) + 1
    assert "EA-F1 %" in multi[0]
    assert "Entity named %" not in multi[0]
    assert {"Entity named %", "Both right %"} < set(deep[0])
    entity = deep[0].index("Entity named %")
    assert [row[entity][:4] for row in deep[1:]] == ["81.0", "30.0", "22.0"]


def test_trends_and_failures_stand_beside_their_charts(browser: Chrome, both: Path) -> None:
    show(browser, both)
    trends = table_of(browser, "Trends over complexity")
    assert len(trends) == 1 + 3 * len(research.RUNS)
    assert trends[1] == ["river-70b, agent", "answer right", "25", "4", "-2.5", "0.012", "0.006", "-0.22", "< 0.001"]
    failures = table_of(browser, "Failures by class")
    assert failures[0] == ["Run", *FAILURES.values()]
    assert failures[1][:3] == ["river-70b, agent", "525.0 %", "630.0 %"]
    assert len(failures) == 1 + len(research.RUNS)


def test_composition_and_distinctiveness_are_told_for_each_set(browser: Chrome, both: Path) -> None:
    show(browser, both)
    composition = table_of(browser, "Composition of deep research")
    # a domain without a question is left out
    assert composition[0] == ["Deep-research questions", "all domains", *research.DOMAINS[:4]]
    assert composition[1][1] == "52 train, 3 test"
    sets = table_of(browser, "Distinctiveness")
    assert [row[0] for row in sets[1:]] == ["assay-deep researchof 400", "assay-multi entityof 400", "theirsof 400"]
    assert sets[0][2:] == ["Self-BLEU", "Dissimilarity, bge", "Dissimilarity, minilmthe filter’s own"]
    assert sets[1][2] == "0.3150.310–0.320"


def test_questions_are_filtered_by_family_and_unfold_clues_and_sources(browser: Chrome, both: Path) -> None:
    show(browser, both)
    assert found(browser) == 55
    choose(browser, "family", "deep research")
    assert found(browser) == 25
    assert len(shown_rows(browser)) == 25
    browser.find_element(By.ID, "search").send_keys("d00000")
    detail = unfold(browser)
    text = detail.text
    assert "Clues to the first entity" in text
    assert "Clues to the second entity" in text
    assert f"It is drained by {research.SCRIPT}" in text
    assert "made up 0" in text
    assert "3: 2 to be found, 1 to be looked up of each" in text
    assert "2.6%" in text
    evidence = detail.find_element(By.CSS_SELECTOR, "[aria-label=Evidence]")
    links = [link.get_attribute("href") for link in evidence.find_elements(By.TAG_NAME, "a")]
    assert links == ["https://example.org/lakes/1"]
    assert "urn:assay:source:typed" in evidence.text
    assert browser.title.startswith("Assay")
    assert complaints(browser) == []


def test_deep_research_fits_a_phone(browser: Chrome, both: Path) -> None:
    show(browser, both, width=375, height=812)
    choose(browser, "family", "deep research")
    unfold(browser)
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    widths = "return [innerWidth, document.documentElement.scrollWidth, document.body.scrollWidth]"
    assert browser.execute_script(widths) == [375, 375, 375]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_deep_research_is_legible_in_both_schemes(scheme: str, browser: Chrome, both: Path) -> None:
    show(browser, both, scheme)
    choose(browser, "family", "deep research")
    unfold(browser)
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    measured = browser.execute_script(CONTRAST)
    assert [text for text in measured["texts"] if text["ratio"] < text["least"]] == []
    assert [mark for mark in measured["marks"] if mark["ratio"] < 3] == []
    nameless = browser.execute_script(
        "return [...document.querySelectorAll('[role=region], figure')]"
        ".filter(e => !e.ariaLabel && !e.getAttribute('aria-labelledby')).length"
    )
    assert nameless == 0
