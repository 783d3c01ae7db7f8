"""The form in a real browser: filled in by keyboard, kept, saved, imported; readable everywhere, and inert."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from dagster_defs.steps.review import rows as landing
from dagster_defs.steps.review.fields import ANSWERS, QUESTIONS, Kind
from dagster_defs.steps.review.imports import import_sheets
from dagster_defs.steps.review.sheets import write_sheets
from tests.report.browser import DEADLINE, complaints, wait_until
from tests.review import world

CONTRAST = (Path(__file__).parents[1] / "report/contrast.js").read_text()


def form(database: Path, folder: Path, kind: Kind = QUESTIONS, n: int = 6) -> Path:
    """A form of ``n`` things."""
    return write_sheets(database, folder / "landing", folder / "review", kind, n, 0, 1).files[1]


def show(browser: Chrome, page: Path, scheme: str = "light", width: int = 1280, kept: bool = False) -> None:
    """Open the form, with nothing kept from before unless asked for; downloads go to its folder."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    where = {"behavior": "allow", "downloadPath": str(page.parent)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    browser.get(page.as_uri())
    if not kept:
        browser.execute_script("localStorage.clear()")
        browser.refresh()
    wait_until(browser, "return document.getElementById('progress').textContent")


def press(browser: Chrome, *keys: str) -> None:
    """Press keys one after the other."""
    for key in keys:
        ActionChains(browser).send_keys(key).perform()


def tab_to(browser: Chrome, selector: str) -> None:
    """Press Tab until what fits the selector has the focus."""
    for _ in range(60):
        if browser.execute_script("return document.activeElement.matches(arguments[0])", selector):
            # what has the focus is not hidden by the bar (WCAG 2.2, 2.4.11)
            assert browser.execute_script(
                "return document.activeElement.getBoundingClientRect().bottom"
                " <= document.querySelector('footer').getBoundingClientRect().top"
            )
            return
        press(browser, Keys.TAB)
    raise AssertionError(f"no Tab leads to {selector}")


def click(browser: Chrome, selector: str, place: int = 0) -> None:
    """Scroll one of the elements that fit the selector to the middle, off the bar at the bottom, and click it."""
    element = browser.find_elements(By.CSS_SELECTOR, selector)[place]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def progress(browser: Chrome) -> str:
    """What the form says of how far one is."""
    return browser.find_element(By.ID, "progress").text


def save(browser: Chrome, page: Path) -> Path:
    """Press the button that saves, and wait for the file."""
    file = page.parent / f"{browser.title.split()[-1]}-filled.csv"
    file.unlink(missing_ok=True)
    browser.find_element(By.ID, "save").send_keys(Keys.ENTER)
    end = time.monotonic() + DEADLINE
    while not file.exists():
        assert time.monotonic() < end, "nothing was saved"
        time.sleep(0.05)
    return file


def test_three_rows_by_keyboard_are_kept_saved_and_imported(browser: Chrome, database: Path, tmp_path: Path) -> None:
    page = form(database, tmp_path)
    show(browser, page)
    notes = ['=1+1; said "so", they', "-Åland, ½\nsecond line", ""]
    items = [article.get_attribute("data-item") for article in browser.find_elements(By.TAG_NAME, "article")]
    for item, note in zip(items[:3], notes, strict=True):
        tab_to(browser, f"[name='{item}-entity']")
        # the first of the choices, by the space bar; the second, by an arrow
        press(browser, Keys.SPACE)
        tab_to(browser, f"[name='{item}-clarity']")
        press(browser, *((Keys.SPACE,) if note else (Keys.SPACE, Keys.ARROW_RIGHT)))
        tab_to(browser, f"[name='{item}-gold']")
        press(browser, Keys.SPACE)
        if not note:
            tab_to(browser, f"[id='{item}-cause']")
            press(browser, "amb")
        tab_to(browser, f"[id='{item}-note']")
        press(browser, note)
    assert progress(browser) == "3 of 6 done."
    show(browser, page, kept=True)
    assert progress(browser) == "3 of 6 done."
    import_sheets([save(browser, page)], tmp_path / "landing")
    (name,) = landing.names(tmp_path / "landing", "labels")
    labels = {row["item"]: row for row in landing.landed(tmp_path / "landing", "labels", name)}
    assert set(labels) == set(items[:3])
    assert [labels[item]["note"] for item in items[:3]] == [notes[0], notes[1], None]
    last = labels[items[2]]
    assert (last["entity"], last["clarity"], last["gold"]) == ("right", "unclear", "right")
    assert last["error_category"] == "ambiguous"
    assert complaints(browser) == []


def test_what_is_missing_is_said_as_the_import_would(browser: Chrome, database: Path, tmp_path: Path) -> None:
    page = form(database, tmp_path)
    show(browser, page)
    article = browser.find_element(By.TAG_NAME, "article")
    problem = article.find_element(By.CLASS_NAME, "problem")
    click(browser, "[data-field=entity][value=wrong]")
    assert problem.text == "A verdict is missing."
    assert progress(browser) == "0 of 6 done, 1 not finished."
    click(browser, "[data-field=clarity][value=clear]")
    click(browser, "[data-field=gold][value=right]")
    assert problem.text == "Say what is wrong."
    Select(article.find_element(By.TAG_NAME, "select")).select_by_value("wrong entity")
    assert problem.text == ""
    click(browser, "[data-field=entity][value=right]")
    assert problem.text.startswith("You name an error")
    click(browser, ".clear")
    assert progress(browser) == "0 of 6 done."
    article.find_element(By.TAG_NAME, "textarea").send_keys("hm")
    assert problem.text == "Give your verdicts too."


def test_a_cleared_row_takes_its_label_back(browser: Chrome, database: Path, tmp_path: Path) -> None:
    page = form(database, tmp_path, ANSWERS, 3)
    show(browser, page)
    for place in range(3):
        click(browser, "[data-field=verdict][value=wrong]", place)
    (done,) = import_sheets([save(browser, page)], tmp_path / "landing")
    assert done.labelled == 3
    click(browser, ".clear")
    (done,) = import_sheets([save(browser, page)], tmp_path / "landing")
    assert done.labelled == 2


def test_next_leads_round_to_what_is_open(browser: Chrome, database: Path, tmp_path: Path) -> None:
    page = form(database, tmp_path, ANSWERS, 3)
    show(browser, page)
    button = browser.find_element(By.ID, "next")
    right = "[data-field=verdict][value=right]"
    click(browser, right, 1)
    seen = []
    for _ in range(3):
        button.send_keys(Keys.ENTER)
        seen.append(browser.execute_script("return document.activeElement.querySelector('.place').textContent"))
    assert seen == ["3 of 3", "1 of 3", "3 of 3"]
    click(browser, right, 0)
    click(browser, right, 2)
    button.send_keys(Keys.ENTER)
    assert progress(browser) == "3 of 3 done. Nothing is open; save the CSV."


def test_every_control_is_labelled_and_grouped(browser: Chrome, database: Path, tmp_path: Path) -> None:
    show(browser, form(database, tmp_path))
    bare = browser.execute_script(
        """return [...document.querySelectorAll('input, select, textarea')].filter(
             control => !control.labels.length || !control.labels[0].textContent.trim()
             || (control.type === 'radio' && !control.closest('fieldset').querySelector('legend').textContent.trim())
           ).map(control => control.outerHTML)"""
    )
    assert bare == []
    ids = browser.execute_script("return [...document.querySelectorAll('[id]')].map(element => element.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_form_fits_and_can_be_read(scheme: str, width: int, browser: Chrome, database: Path, tmp_path: Path) -> None:
    show(browser, form(database, tmp_path), scheme, width)
    click(browser, "[data-field=entity][value=wrong]")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    found = browser.execute_script(CONTRAST)
    assert [text for text in found["texts"] if text["ratio"] < text["least"]] == []
    assert [mark for mark in found["marks"] if mark["ratio"] < 3 and "radio" not in mark["mark"]] == []
    assert (found["paper"] < 0.2) == (scheme == "dark")
    small = browser.execute_script(
        "return [...document.querySelectorAll('.choices label, select, textarea, button')]"
        ".filter(e => e.getBoundingClientRect().height < 40).length"
    )
    assert small == 0


def test_scripts_in_texts_stay_texts(browser: Chrome, database: Path, tmp_path: Path) -> None:
    page = form(database, tmp_path, n=90)
    show(browser, page)
    assert browser.title.startswith("Review of questions")
    assert any("<script>" in element.text for element in browser.find_elements(By.CLASS_NAME, "question"))
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert complaints(browser) == []


def test_a_form_of_answers_shows_them_as_they_are(browser: Chrome, database: Path, tmp_path: Path) -> None:
    page = form(database, tmp_path, ANSWERS, 5)
    show(browser, page)
    shown = [element.text for element in browser.find_elements(By.CLASS_NAME, "answer")]
    rows = world.table(page.with_suffix(".csv"))
    assert shown == [row["answer"] for row in rows]
    assert len(browser.find_elements(By.CSS_SELECTOR, "select")) == 0
