"""The page in a real browser: charts, filters, unfolding, copying, keyboard, phone, contrast, what must not run."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

from tests.report import world
from tests.report.browser import complaints, show, wait_until

CONTRAST = (Path(__file__).parent / "contrast.js").read_text()


def shown_rows(browser: Chrome) -> list[list[str]]:
    """The texts of the rows of questions on the page that is listed."""
    script = """return [...document.querySelectorAll('#question-table > tbody > tr:not(.detail)')]
        .map(row => [...row.cells].map(cell => cell.textContent))"""
    found: list[list[str]] = browser.execute_script(script)
    return found


def choose(browser: Chrome, field: str, text: str) -> None:
    """Pick an option of a filter by its text."""
    Select(browser.find_element(By.ID, field)).select_by_visible_text(text)


def found(browser: Chrome) -> int:
    """How many questions the page says that fit."""
    said = browser.find_element(By.ID, "found").text
    return 0 if said.startswith("No question") else int(said.split()[0].replace(",", ""))


def unfold(browser: Chrome, number: int = 0) -> WebElement:
    """Open a row of the questions and wait for what it unfolds."""
    browser.find_elements(By.CSS_SELECTOR, ".open")[number].click()
    wait_until(browser, "return document.querySelector('.detail dl')")
    return browser.find_element(By.CSS_SELECTOR, ".detail")


def test_page_opens_without_a_complaint_and_draws_every_chart(browser: Chrome, page: Path, bare_page: Path) -> None:
    for opened, charts in ((page, 4), (bare_page, 2)):
        show(browser, opened)
        drawn = browser.find_elements(By.CSS_SELECTOR, ".chart svg")
        assert len(drawn) == len(browser.find_elements(By.CSS_SELECTOR, ".chart")) == charts
        assert all(svg.rect["width"] > 300 and svg.rect["height"] > 60 for svg in drawn)
        assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
        assert complaints(browser) == []


def test_charts_have_a_mark_for_each_run_and_slice(browser: Chrome, page: Path) -> None:
    show(browser, page)
    points = "return document.querySelectorAll(`#${arguments[0]} .mark-symbol.role-mark path`).length"
    assert browser.execute_script(points, "chart-type-1") == len(world.RUNS) * len(world.TYPES)
    assert browser.execute_script(points, "chart-density-1") == len(world.RUNS) * len(world.DENSITIES)
    bars = "return document.querySelectorAll(`#${arguments[0]} .mark-rect.role-mark path`).length"
    assert browser.execute_script(bars, "chart-types") == 2 * len(world.TYPES)
    labels = browser.execute_script("return document.querySelector('#chart-type-1 .role-legend').textContent")
    assert all(f"{model}, {setting.replace('_', ' ')}" in labels for model, _, setting, *_ in world.RUNS)


def test_filters_find_what_the_database_finds(browser: Chrome, page: Path, database: Path) -> None:
    show(browser, page)
    assert found(browser) == 90
    choose(browser, "type", "aggregation")
    choose(browser, "split", "test")
    with duckdb.connect(str(database), read_only=True) as connection:
        (expected,) = connection.execute(
            "select count(*) from questions.questions where type = 'aggregation' and split = 'test'"
        ).fetchall()[0]
    assert found(browser) == expected == len(shown_rows(browser)) > 0
    assert {(row[2], row[4]) for row in shown_rows(browser)} == {("aggregation", "test")}
    choose(browser, "topic", "rivers")
    assert found(browser) == 0
    assert "Clear a filter" in browser.find_element(By.ID, "found").text
    browser.find_element(By.CSS_SELECTOR, "#filters button").click()
    assert found(browser) == 90


@pytest.mark.parametrize(
    ("verdict", "condition"),
    [("right", "share > 0.5"), ("wrong", "share <= 0.5"), ("not scored", "share is null")],
)
def test_questions_are_filtered_by_what_a_model_made_of_them(
    verdict: str, condition: str, browser: Chrome, page: Path, database: Path
) -> None:
    show(browser, page)
    choose(browser, "run", "river-8b, rag")
    assert found(browser) == 90
    choose(browser, "verdict", verdict)
    with duckdb.connect(str(database), read_only=True) as connection:
        (expected,) = connection.execute(
            f"select count(*) filter ({condition}) from (select avg(correct::int) filter (scored) as share"
            f" from runs.verdicts where run_id = '{world.run_id('river-8b', 'rag')}' group by question_id)"
        ).fetchall()[0]
    assert found(browser) == expected


def test_search_finds_words_answers_and_ids(browser: Chrome, page: Path) -> None:
    show(browser, page)
    search = browser.find_element(By.ID, "search")
    for words, expected in (("GROUP 21,", 1), ("pearsonr", 22), ("q00021", 1), ("<b>this</b>", 1), ("zebra", 0)):
        search.clear()
        search.send_keys(words)
        assert found(browser) == expected, words


def test_pages_turn_and_end(browser: Chrome, page: Path) -> None:
    show(browser, page)
    seen = [row[0] for row in shown_rows(browser)]
    assert not browser.find_element(By.ID, "previous").is_enabled()
    while browser.find_element(By.ID, "next").is_enabled():
        browser.find_element(By.ID, "next").click()
        seen += [row[0] for row in shown_rows(browser)]
    assert browser.find_element(By.ID, "page").text == "Page 4 of 4"
    assert len(seen) == len(set(seen)) == 90


def test_tables_sort_by_their_heads(browser: Chrome, page: Path) -> None:
    show(browser, page)
    (head,) = (th for th in browser.find_elements(By.CSS_SELECTOR, "#question-table thead th") if th.text[:4] == "Enti")
    for direction, first in (("ascending", "4"), ("descending", "400")):
        head.find_element(By.TAG_NAME, "button").click()
        assert head.get_attribute("aria-sort") == direction
        assert {row[5] for row in shown_rows(browser)} == {first}
    cost = browser.find_elements(By.CSS_SELECTOR, "table.sortable thead th")[-1]
    cost.find_element(By.TAG_NAME, "button").click()
    costs = [cell.text.split()[0] for cell in browser.find_elements(By.CSS_SELECTOR, "table.sortable td:last-child")]
    assert costs == ["$0.029", "$0.031", "$1.19", "$1.25", "no"]
    assert cost.get_attribute("aria-sort") == "ascending"


def test_row_unfolds_gold_queries_evidence_and_answers(browser: Chrome, page: Path) -> None:
    show(browser, page)
    browser.find_element(By.ID, "search").send_keys("q00002")
    detail = unfold(browser)
    assert browser.find_element(By.CSS_SELECTOR, ".open").get_attribute("aria-expanded") == "true"
    assert detail.find_element(By.CSS_SELECTOR, ".answer").text == "yes; pearsonr; area_km2, depth_m"
    assert "where area_km2 <= 600.0 and depth_m <> 52" in detail.find_element(By.TAG_NAME, "pre").text
    assert "Evidence: the first 20 of 400 tuples" in detail.text
    evidence, answers = detail.find_elements(By.CSS_SELECTOR, ".scroll > table")
    assert [row.text for row in evidence.find_elements(By.CSS_SELECTOR, ":scope > tbody > tr")][:2] == [
        "Lake 1 depth_m 1",
        "Lake 2 depth_m 2",
    ]
    assert len(evidence.find_elements(By.CSS_SELECTOR, ":scope > tbody > tr")) == 20
    rows = [row.text for row in answers.find_elements(By.CSS_SELECTOR, ":scope > tbody > tr")]
    assert len(rows) == len(world.RUNS) * 2
    assert rows[0].startswith("river-70b, oracle 1 yes; Pearson's r; area_km2, depth_m ✓ right")
    browser.find_element(By.CSS_SELECTOR, ".open").click()
    assert browser.find_elements(By.CSS_SELECTOR, ".detail") == []


def test_link_to_a_question_opens_it(browser: Chrome, page: Path) -> None:
    browser.get("about:blank")
    # the first opens the page, the second is followed on it
    for number in (33, 34):
        browser.get(f"{page.as_uri()}#question=q{number:05}")
        wait_until(browser, f"return document.querySelector('.detail a[href$=q{number:05}]')")
        assert [row[0] for row in shown_rows(browser)] == [world.questions()[number]["question"]]


def test_copy_button_puts_the_sql_on_the_clipboard(browser: Chrome, page: Path) -> None:
    show(browser, page)
    browser.find_element(By.ID, "search").send_keys("q00001")
    detail = unfold(browser)
    buttons = detail.find_elements(By.CSS_SELECTOR, "h3 button")
    for number, name in enumerate(("gold_sql", "evidence_sql")):
        buttons[number].click()
        said = "return document.querySelectorAll('.detail h3 button')[arguments[0]].textContent === 'Copied'"
        wait_until(browser, said, number)
        browser.execute_script("document.body.append(Object.assign(document.createElement('textarea'), {id: 'paste'}))")
        area = browser.find_element(By.ID, "paste")
        area.send_keys(Keys.CONTROL, "v")
        assert area.get_attribute("value") == world.questions()[1][name]
        browser.execute_script("document.getElementById('paste').remove()")


def test_keyboard_alone_is_enough(browser: Chrome, page: Path) -> None:
    show(browser, page)

    def press(*keys: str) -> None:
        ActionChains(browser).send_keys(*keys).perform()

    press(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip to the content"
    reached = []
    for _ in range(80):
        press(Keys.TAB)
        active = browser.switch_to.active_element
        reached.append(active.get_attribute("id") or active.get_attribute("class"))
        outline = browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
        assert outline not in ("none", ""), reached[-1]
        if reached[-1] == "search":
            press("group 33,")
        if reached[-1] == "open":
            break
    assert {"search", "type", "topic", "split", "run", "verdict", "scroll", "sort"} <= set(reached)
    press(Keys.ENTER)
    wait_until(browser, "return document.querySelector('.detail dl')")
    press(Keys.TAB, Keys.TAB, Keys.ENTER)
    wait_until(browser, "return document.querySelector('.detail h3 button').textContent === 'Copied'")


def test_everything_has_a_name_and_a_place(browser: Chrome, page: Path) -> None:
    show(browser, page)
    unfold(browser)
    for landmark in ("header", "main", "footer", "nav[aria-label]", "[role=search][aria-label]", "[role=status]"):
        assert browser.find_elements(By.CSS_SELECTOR, landmark), landmark
    nameless = browser.execute_script(
        """return [...document.querySelectorAll('button, input, select, a, summary, [role=region], figure')]
            .filter(e => !(e.textContent.trim() && e.tagName !== 'SELECT') && !e.ariaLabel && !e.labels?.length
                && !e.getAttribute('aria-labelledby')).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    headings = "return [...document.querySelectorAll('h1, h2, h3, h4')].map(h => Number(h.tagName[1]))"
    levels = browser.execute_script(headings)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    charts = browser.find_elements(By.CSS_SELECTOR, ".chart[role]")
    assert [chart.get_attribute("aria-label")[:9] for chart in charts] == ["Accuracy "] * 2 + ["Questions"] * 2
    ids = browser.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_phone_shows_the_page_without_scrolling_sideways(browser: Chrome, page: Path, bare_page: Path) -> None:
    for opened in (page, bare_page):
        show(browser, opened, width=375, height=812)
        unfold(browser)
        browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        widths = "return [innerWidth, document.documentElement.scrollWidth, document.body.scrollWidth]"
        assert browser.execute_script(widths) == [375, 375, 375]
        cut = browser.execute_script(
            """return [...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, .hidden')
                && e.getBoundingClientRect().right > 376).map(e => e.outerHTML.slice(0, 80))"""
        )
        assert cut == []


def test_phone_breaks_no_number_in_two(browser: Chrome, page: Path) -> None:
    show(browser, page, width=375, height=812)
    lines = browser.execute_script(
        """document.querySelectorAll('.gold').forEach(cell => { cell.textContent = '0.000907029'; });
        const words = document.createRange();
        words.selectNodeContents(document.querySelector('.gold'));
        return words.getClientRects().length"""
    )
    assert lines == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_marks_stand_out_from_what_is_behind_them(scheme: str, browser: Chrome, page: Path) -> None:
    show(browser, page, scheme)
    unfold(browser)
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    measured = browser.execute_script(CONTRAST)
    assert len(measured["texts"]) > 300
    assert [text for text in measured["texts"] if text["ratio"] < text["least"]] == []
    assert len(measured["marks"]) > 40
    assert [mark for mark in measured["marks"] if mark["ratio"] < 3] == []
    assert (measured["paper"] < 0.1) == (scheme == "dark")


def test_charts_follow_when_the_colour_scheme_changes(browser: Chrome, page: Path) -> None:
    show(browser, page, "light")
    bar = "return document.querySelector('#chart-types .mark-rect.role-mark path').getAttribute('fill')"
    light = browser.execute_script(bar)
    feature = {"name": "prefers-color-scheme", "value": "dark"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    dark = wait_until(browser, bar.replace("return", "const fill =") + f"; return fill !== '{light}' && fill")
    assert re.fullmatch(r"#[0-9a-f]{6}", dark)


def test_script_in_the_data_is_shown_and_never_run(browser: Chrome, page: Path) -> None:
    show(browser, page)
    browser.find_element(By.ID, "search").send_keys("document.title")
    detail = unfold(browser)
    assert shown_rows(browser)[0][0] == world.questions()[0]["question"]
    assert "<img src=x>" in detail.text
    assert browser.find_elements(By.CSS_SELECTOR, "main img, main b, #questions script") == []
    assert browser.title.startswith("Assay")


def test_policy_stops_a_script_that_got_in(browser: Chrome, page: Path) -> None:
    show(browser, page)
    complaints(browser)
    browser.execute_script(
        """const script = document.createElement('script');
        script.textContent = "document.title = 'hacked'"; document.body.append(script);
        document.body.insertAdjacentHTML('beforeend', '<img src="x" onerror="document.title = \\'hacked\\'">')"""
    )
    assert browser.title.startswith("Assay")
    assert any("Content Security Policy" in message for message in complaints(browser))
