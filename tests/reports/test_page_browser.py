"""The page in a real Chromium: Debian's, found on PATH, else skipped with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rankwise.comparison.method_ranking import Comparison, RankedMethod, compare_table
from rankwise.reports.comparison_report import Report, make_report
from rankwise.reports.page.content import write_page

from .conftest import HOSTILE, METHODS, made_table

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

READ_TABLE = """
return [...document.querySelectorAll('#methods tbody tr')].map((row) => ({
  name: row.querySelector('th').textContent,
  cells: [...row.querySelectorAll('td')].map((cell) => cell.textContent),
}));
"""


@pytest.fixture(scope="module")
def address(made_report: Report, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(made_report, path)
    return path.as_uri()


@pytest.fixture
def page(browser: Any, address: str) -> Any:
    """The page as it is when it has just been opened."""
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(address)
    return browser


def read_table(page: Any) -> list[dict[str, Any]]:
    return list(page.execute_script(READ_TABLE))


def expected(rows: tuple[RankedMethod, ...]) -> list[dict[str, Any]]:
    """The rows of the table as the page must show them: #, NWN, front, WN, IWN, results."""
    return [
        {
            "name": row.method,
            "cells": [
                str(row.rank),
                f"{row.nwn:.4f}",
                "● Pareto" if row.pareto else "◆ rank 2" if row.rank2 else "",
                str(row.wn),
                str(row.iwn),
                str(row.datasets),
            ],
        }
        for row in rows
    ]


def press(page: Any, selector: str, text: str) -> None:
    for button in page.find_elements(By.CSS_SELECTOR, selector):
        if button.get_attribute("textContent") == text:
            page.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
            button.click()
            return
    raise LookupError(f"there is no {selector} that says {text!r}")


def panel_is_open(page: Any) -> bool:
    return bool(page.execute_script("return document.getElementById('panel').open"))


def test_the_page_ranks_as_the_library_does(page: Any, made: Comparison) -> None:
    assert read_table(page) == expected(made.rows)


def test_a_measure_chosen_alone_shows_its_own_front(page: Any, made: Comparison) -> None:
    press(page, "#measures button", "MAP")
    assert read_table(page) == expected(made.per_measure["MAP"])
    assert "Number of data sets" in page.find_element(By.ID, "plane").text
    press(page, "#measures button", "All")
    assert read_table(page) == expected(made.rows)


def test_a_collection_chosen_alone_is_compared_alone(page: Any) -> None:
    press(page, "#collections button", "<b>New</b>")
    assert read_table(page) == expected(
        compare_table(made_table().where(collection="<b>New</b>")).rows
    )


def test_choosing_one_after_another_until_all_is_choosing_all(page: Any, made: Comparison) -> None:
    press(page, "#measures button", "MAP")
    press(page, "#measures button", "NDCG@10")
    assert read_table(page) == expected(made.rows)
    pressed = page.find_elements(By.CSS_SELECTOR, "#measures [aria-pressed=true]")
    assert [button.text for button in pressed] == ["All"]


def test_sorting_turns_and_is_announced(page: Any, made: Comparison) -> None:
    press(page, "#methods thead button", "WN")
    wins = [int(row["cells"][3]) for row in read_table(page)]
    assert wins == sorted((row.wn for row in made.rows), reverse=True)
    (head,) = page.find_elements(By.CSS_SELECTOR, "#methods th[aria-sort]")
    assert (head.text.split()[0], head.get_attribute("aria-sort")) == ("WN", "descending")
    press(page, "#methods thead button", "WN")
    assert [int(row["cells"][3]) for row in read_table(page)] == wins[::-1]
    press(page, "#methods thead button", "Method")
    assert [row["name"] for row in read_table(page)] == sorted(METHODS)


def test_the_search_hides_the_others(page: Any) -> None:
    page.find_element(By.ID, "find").send_keys("worst")
    assert [row["name"] for row in read_table(page)] == ["Worst"]
    assert "7 hidden" in page.find_element(By.ID, "status").text
    clear = page.find_elements(By.CSS_SELECTOR, "#plane .mark:not(.faded):not(.fixed)")
    assert [mark.get_attribute("data-method") for mark in clear] == ["Worst"]


def test_the_panel_holds_every_result_and_its_source(page: Any, made: Comparison) -> None:
    press(page, "#methods .name", "Linear Regression")
    assert panel_is_open(page)
    rows = made.table.where(method="Linear Regression").rows()
    # One call for all cells: asked one by one, the driver may find a cell not yet laid out.
    shown = page.execute_script(
        "return [...document.querySelectorAll('#panel-body tbody tr')].map(row =>"
        " [...row.querySelectorAll('th, td')].map(cell => cell.textContent.trim()))"
    )
    assert {(row[0], row[1], float(row[2]), row[4]) for row in shown} == {
        (f"{row['collection']} {row['dataset']}", row["measure"], row["value"], row["source"])
        for row in rows
    }
    assert len(shown) == len(rows)
    text = page.execute_script("return document.getElementById('panel-body').textContent")
    assert "Cossock" in text, "the paper that the method is from"
    page.find_element(By.ID, "close").click()
    assert not panel_is_open(page)


def test_all_can_be_done_with_the_keyboard(page: Any) -> None:
    page.execute_script("document.querySelector('#plane [tabindex=\"0\"]').focus()")
    active = page.switch_to.active_element
    assert active.get_attribute("data-method") == "Best"
    assert page.find_element(By.ID, "tip").text.startswith("Best")
    active.send_keys(Keys.ARROW_RIGHT)
    second = page.switch_to.active_element
    assert second.get_attribute("data-method") != "Best"
    second.send_keys(Keys.ENTER)
    assert panel_is_open(page)
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not panel_is_open(page)
    assert page.switch_to.active_element == second
    press(page, "#methods thead button", "NWN")
    page.switch_to.active_element.send_keys(Keys.ENTER)
    (head,) = page.find_elements(By.CSS_SELECTOR, "#methods th[aria-sort]")
    assert head.get_attribute("aria-sort") == "ascending"


def test_tab_reaches_every_control_and_focus_is_seen(page: Any) -> None:
    reached = []
    for _ in range(14):
        page.switch_to.active_element.send_keys(Keys.TAB)
        active = page.switch_to.active_element
        reached.append(active.get_attribute("textContent") or active.get_attribute("id"))
        outline = "const s = getComputedStyle(document.activeElement);"
        outline += "return s.outlineStyle !== 'none' || parseFloat(s.strokeWidth) >= 3"
        assert page.execute_script(outline), reached[-1]
    assert reached[0] == "Skip to the ranking"
    assert {"Dark", "MAP", "NDCG@10", "Old", "find"} <= set(reached)


def test_pointing_at_a_mark_tells_its_name(page: Any) -> None:
    mark = page.find_element(By.CSS_SELECTOR, "#plane [data-method='Worst']")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
    webdriver.ActionChains(page).move_to_element(mark).perform()
    assert page.find_element(By.ID, "tip").text.startswith("Worst\nNWN ")


def test_hostile_names_stay_text(page: Any) -> None:
    for name in HOSTILE:
        press(page, "#methods .name", name)
        title = page.find_element(By.ID, "panel-title").get_attribute("textContent")
        assert title == name
        page.find_element(By.ID, "close").click()
    assert page.execute_script("return window.hurt") is None
    assert page.find_elements(By.CSS_SELECTOR, "img, b, i, iframe") == []
    assert len(page.find_elements(By.TAG_NAME, "script")) == 2


def test_every_figure_is_drawn(page: Any, made_report: Report) -> None:
    sections = page.find_elements(By.CSS_SELECTOR, "#figures section")
    titles = [section.find_element(By.TAG_NAME, "h2").text for section in sections]
    assert titles == [figure.title for figure in made_report.figures]
    for section in sections:
        shapes = "rect, circle, path, line, polygon"
        assert len(section.find_elements(By.CSS_SELECTOR, f"svg :is({shapes})")) > 3
    assert "NaN" not in page.execute_script("return document.querySelector('main').outerHTML")


def test_no_request_leaves_the_page_and_nothing_is_complained_of(page: Any, address: str) -> None:
    press(page, "#measures button", "MAP")
    press(page, "#methods .name", "Best")
    page.find_element(By.ID, "close").click()
    page.find_element(By.ID, "theme").click()
    asked = [
        message["params"]["request"]["url"]
        for entry in page.get_log("performance")
        for message in [json.loads(entry["message"])["message"]]
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert {url for url in asked if not url.startswith("data:")} == {address}
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert page.get_log("browser") == []


def test_the_policy_stops_a_script_that_got_in(page: Any) -> None:
    page.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.hurt = 1';"
        "document.body.append(s);"
        "const i = new Image(); i.src = 'https://example.org/x.png'; document.body.append(i);"
    )
    assert page.execute_script("return window.hurt") is None
    refused = [entry["message"] for entry in page.get_log("browser")]
    assert any("Content Security Policy" in message and "img-src" in message for message in refused)


def test_light_and_dark_follow_the_system_and_the_button(page: Any) -> None:
    paper = "return getComputedStyle(document.body).backgroundColor"
    command = "Emulation.setEmulatedMedia"
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    light = page.execute_script(paper)
    page.execute_cdp_cmd(command, {"features": dark})
    try:
        darkness = page.execute_script(paper)
        assert (light, darkness) == ("rgb(255, 255, 255)", "rgb(20, 23, 27)")
        page.find_element(By.ID, "theme").click()
        assert page.execute_script(paper) == light
    finally:
        page.execute_cdp_cmd(command, {"features": []})
    assert page.execute_script(paper) == light, "the choice outlives a change of the system"


@pytest.mark.parametrize("width", [360, 390, 768])
def test_the_page_fits_a_phone(browser: Any, address: str, width: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.get(address)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        browser.find_element(By.CSS_SELECTOR, "#methods .name").click()
        panel = browser.execute_script(
            "return document.getElementById('panel').getBoundingClientRect().width"
        )
        assert panel <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_paper_s_table_is_ranked_in_the_browser_too(
    browser: Any, tax: Comparison, tmp_path: Path
) -> None:
    path = tmp_path / "tax.html"
    write_page(make_report(tax, "Tax et al. (2015)"), path)
    browser.get(path.as_uri())
    assert read_table(browser) == expected(tax.rows)
    for measure in tax.measures:
        press(browser, "#measures button", measure)
        assert read_table(browser) == expected(tax.per_measure[measure])
        press(browser, "#measures button", "All")
    assert overlapping_labels(browser) == []


def overlapping_labels(page: Any) -> list[Any]:
    """Pairs of labels on the plane that share more than a pixel each way."""
    return list(
        page.execute_script("""
        const boxes = [...document.querySelectorAll('#plane .labels text')]
          .map((text) => [text.textContent, text.getBoundingClientRect()]);
        return boxes.flatMap(([a, one], i) => boxes.slice(i + 1)
          .filter(([, two]) => Math.min(one.right, two.right) - Math.max(one.left, two.left) > 1
            && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 3)
          .map(([b]) => [a, b]));
        """)
    )
