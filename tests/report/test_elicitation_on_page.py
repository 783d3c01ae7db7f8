"""What the page shows of elicitation: figures, the judge beside them, triples as text, in a browser and on a phone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from dagster_defs.steps.report import write_report
from dagster_defs.steps.report.data import read_report
from dagster_defs.steps.report.elicited import MOST_DISAGREEMENTS, MOST_PROPERTIES, TRIPLES_OF_A_KIND, elicitation
from dagster_defs.steps.report.page import render
from tests.report import elicited, world
from tests.report.browser import complaints, show
from tests.report.test_page_in_browser import CONTRAST
from tests.report.test_report import Elements
from tests.report.test_research_in_browser import table_of

OPEN = "document.querySelectorAll('details').forEach(d => { d.open = true; })"


@pytest.fixture(scope="session")
def told_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published database with judged triples."""
    return elicited.write(tmp_path_factory.mktemp("elicited") / "assay.duckdb")


@pytest.fixture(scope="session")
def told(told_database: Path, quality: Path, cache: Path) -> Path:
    """Its page."""
    return write_report(told_database, told_database.parent / "report/index.html", quality, cache)


def test_page_without_elicitation_has_no_part_on_it(page: Path, tmp_path: Path, cache: Path) -> None:
    assert 'id="elicitation"' not in page.read_text()
    database = world.write(tmp_path / "assay.duckdb", world.questions(12), runs=False)
    with duckdb.connect(str(database)) as connection:
        for table, model in elicited.TABLES.items():
            world.create(connection, table, model)
    written = write_report(database, tmp_path / "page.html", tmp_path, cache).read_text()
    assert 'id="elicitation"' not in written
    assert "#elicitation" not in Elements(written).text
    assert 'href="#elicitation"' not in written


def test_triples_that_nobody_judged_are_counted_and_no_more(tmp_path: Path, quality: Path) -> None:
    report = read_report(elicited.write(tmp_path / "assay.duckdb", judged=False), quality)
    text = " ".join(Elements(render(report, "")).text.split())
    assert "No triple has been judged yet: make judge" in text
    assert "Hallucination rate %" in text
    assert "agrees with" not in text


def test_scores_stand_with_intervals_ties_errors_and_the_judge(browser: Chrome, told: Path) -> None:
    show(browser, told)
    assert complaints(browser) == []
    head, *rows = table_of(browser, "Precision and recall")
    assert [name.split("\n")[0] for name in head] == [
        "Model", "Setting", "Prompt", "Precision %", "Corrected %", "Recall %", "F1 %", "Tie group", "Entities",
        "Triples judged", "No verdict", "Judge",
    ]  # fmt: skip
    assert rows[0] == [
        "river-70b", "random", "direct", "80.072.0–88.0", "75.060.0–90.0", "40.032.0–48.0", "53.345.3–61.3", "1", "18",
        "5025 told, 25 of reference", "10with them: precision 72.0, recall 36.0", "judgeagrees with 58 of 64 examples",
    ]  # fmt: skip
    assert [row[0] for row in rows] == ["river-70b", "brook-1b", "brook-1b", "brook-1b"]
    # without a recall there is no F1, and it comes last
    assert [row[6][:4] for row in rows] == ["53.3", "16.7", "0.00", "–"]
    assert [row[2] for row in rows] == ["direct", "direct", "directlow effort", "wikidata only0.5× the triples"]
    said = browser.find_element(By.ID, "elicitation").text
    assert (
        "The judge judge agrees with 58 of 64 examples whose verdict is known: 90.6 % (81.0–95.6), kappa 0.86" in said
    )
    assert "of 2 more it gave no verdict" in said
    assert "Corrected precision takes out" in said


def test_chart_has_a_mark_for_each_share_that_is_known(browser: Chrome, told: Path) -> None:
    show(browser, told)
    points = "return document.querySelectorAll('#chart-elicited .mark-symbol.role-mark path').length"
    # one has precision alone
    assert browser.execute_script(points) == 3 * len(elicited.EXPERIMENTS) - 2
    assert "Share" in browser.find_element(By.ID, "chart-elicited").get_attribute("textContent")


def test_slices_outcomes_made_up_names_and_properties_are_told(browser: Chrome, told: Path) -> None:
    show(browser, told)
    popularity = table_of(browser, "F1 by popularity")
    # what counts the same stands together, by its size
    assert popularity[0][1:] == ["1 to 9 links", "10 to 99 page views", "1,000 to 9,999 page views"]
    assert popularity[1][:2] == ["river-70b, random, direct", "53.345.3–61.3P 80.0, R 40.0"]
    assert table_of(browser, "F1 by domain")[0][1] == "Water & <b>ice</b>"
    head, made_up = table_of(browser, "Hallucination")
    assert dict(zip(head, made_up, strict=True)) == {
        "Model": "brook-1b", "Prompt": "direct", "Entities": "19", "Told something of": "11",
        "Hallucination rate %": "57.936.3–76.9", "Triples per entity": "1.74", "Failed": "1",
    }  # fmt: skip
    head, *outcomes = table_of(browser, "Outcomes of elicitation")
    assert head[2:8] == ["answered", "empty", "unparsed", "refused", "cut", "failed"]
    assert outcomes[0][1:] == ["20", "1155.0 %", "315.0 %", "210.0 %", "15.0 %", "210.0 %", "15.0 %", "1", "33"]
    assert [row[0] for row in outcomes] == [
        "brook-1b, non existing, direct", "brook-1b, random, direct",
        "brook-1b, ranges, wikidata only, 0.5× the triples", "brook-1b, reasoning effort, direct, low effort",
        "river-70b, random, direct",
    ]  # fmt: skip
    known = table_of(browser, "Properties that a model")[1:]
    assert len(known) == 2 * MOST_PROPERTIES
    # of three experiments together, the best first; what is never given is not known at all
    assert known[0] == ["brook-1b", "property 2 <i>of it</i>", "30", "80.024", "80.024"]
    assert known[1][1:] == ["property 1 <i>of it</i>", "30", "40.012", "20.06"]
    assert not any(row[1].startswith("property 3 ") for row in known)


def test_judged_triples_and_disagreements_are_shown_in_part(browser: Chrome, told: Path) -> None:
    show(browser, told)
    rows = table_of(browser, "Judged triples")[1:]
    assert len(rows) == len(elicited.EXPERIMENTS) * 2 * 5 * TRIPLES_OF_A_KIND
    verdicts = {(row[1], row[6]) for row in rows}
    assert verdicts == {
        *(("the model", said) for said in ("✓ borne outby word for word", "✓ borne outby similarity")),
        *(("the reference", said) for said in ("✓ coveredby word for word", "✓ coveredby similarity")),
        *(
            (whose, said)
            for whose in ("the model", "the reference")
            for said in ("✗ contradictedby the judge", "left openby the judge",
                         "no verdictby the judge: the answer ended early")
        ),
    }  # fmt: skip
    assert max((row[5] for row in rows), key=len) == "deep" * 50 + "…"
    differing = table_of(browser, "Where models disagree")[1:]
    assert len(differing) == MOST_DISAGREEMENTS
    assert differing[0][0] == "Lake 1"
    assert {row[4] for row in differing} == {"the first", "the second"}
    assert "39 mbrook-1b, <u>other</u>" in {row[3] for row in differing}
    summary = browser.find_elements(By.CSS_SELECTOR, "#elicitation summary")
    assert "Where models disagree: 72 pairs of values" in [one.text for one in summary]


def test_what_a_model_wrote_is_text_and_never_runs(browser: Chrome, told: Path) -> None:
    show(browser, told)
    browser.execute_script(OPEN)
    (first,) = (row for row in table_of(browser, "Judged triples") if "<img" in row[3])
    assert first[2:6] == [elicited.HOSTILE] * 4
    assert browser.find_elements(By.CSS_SELECTOR, "#elicitation :is(img, b, i, u, script)") == []
    assert len(browser.find_elements(By.CSS_SELECTOR, "main > section")) == len(
        browser.find_elements(By.CSS_SELECTOR, "section")
    )
    assert browser.title.startswith("Assay")
    assert complaints(browser) == []


def test_names_of_models_in_the_chart_cannot_leave_their_place(told_database: Path, quality: Path) -> None:
    report = read_report(told_database, quality)
    breaking = "</script><script>alert(1)</script>"
    scores = [{**row, "model": f"{row['model']}{breaking}"} for row in report.elicited["scores"]]
    before, after = (
        Elements(render(shown, "/* none */"))
        for shown in (report, replace(report, elicited={**report.elicited, "scores": scores}))
    )
    assert [tag for tag, _ in after.tags if tag == "script"] == [tag for tag, _ in before.tags if tag == "script"]
    assert f"river-70b{breaking}" in after.text


def test_a_judge_no_better_than_chance_is_called_so(told_database: Path, quality: Path) -> None:
    report = read_report(told_database, quality)
    judges = [{**row, "sensitivity": 0.0, "specificity": 1.0} for row in report.elicited["judges"]]
    text = Elements(render(replace(report, elicited={**report.elicited, "judges": judges}), "")).text
    assert "That is no better than chance" in text


def test_two_evaluations_alike_have_labels_of_their_own(told_database: Path, quality: Path) -> None:
    read = read_report(told_database, quality).elicited
    again = [{**row, "evaluation_id": "evaluation-again"} for row in read["scores"] if row["model"] == "river-70b"]
    shown = elicitation({**read, "scores": [*read["scores"], *again]})
    assert shown is not None
    labels = [row["label"] for row in shown["evaluations"]]
    assert len(labels) == len(set(labels)) == 5
    assert "river-70b, random, direct (uation-again)" in labels


def test_elicitation_fits_a_phone(browser: Chrome, told: Path) -> None:
    show(browser, told, width=375, height=812)
    browser.execute_script(OPEN)
    widths = "return [innerWidth, document.documentElement.scrollWidth, document.body.scrollWidth]"
    assert browser.execute_script(widths) == [375, 375, 375]
    cut = browser.execute_script(
        """return [...document.querySelectorAll('#elicitation *')].filter(e => !e.closest('.scroll, .hidden')
            && e.getBoundingClientRect().right > 376).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert cut == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_elicitation_is_legible_in_both_schemes(scheme: str, browser: Chrome, told: Path) -> None:
    show(browser, told, scheme)
    browser.execute_script(OPEN)
    measured = browser.execute_script(CONTRAST)
    assert [text for text in measured["texts"] if text["ratio"] < text["least"]] == []
    assert [mark for mark in measured["marks"] if mark["ratio"] < 3] == []
