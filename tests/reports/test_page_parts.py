"""The parts of the page in a real Chromium: queries, results, choices, downloads, keyboard, axe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankwise.comparison import compare
from rankwise.comparison.significance_tests.query_table import compare_with
from rankwise.reports.comparison_report import Provenance, Report, make_report
from rankwise.reports.figures import Bars
from rankwise.reports.page.content import write_page
from rankwise.reports.query_figures import make_differences, make_means
from rankwise.results.result_table import ResultTable

from .axe import fetch_axe, find_violations
from .made_queries import MEASURES, METHODS, QUERIES, make_store

By = pytest.importorskip("selenium.webdriver.common.by", reason="selenium is not installed").By
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys

READ_BARS = """
const bars = document.querySelector(`[data-figure="${arguments[0]}"] svg`);
const texts = [...bars.querySelectorAll("[data-method]")];
return texts.map((mark) => [mark.dataset.method, mark.getAttribute("aria-label")]);
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """One data set with values per query, and published results beside the own ones."""
    store = make_store(tmp_path_factory.mktemp("store") / "results.sqlite")
    published = ResultTable.from_rows(
        {"collection": "Made", "dataset": dataset, "method": method, "measure": measure,
         "value": value, "source": "Study (2001)"}
        for method, value in (("Published A", 0.41), ("Published B", 0.37))
        for measure in (*MEASURES, "P@1")
        for dataset in ("made", "elsewhere")
    )  # fmt: skip
    made = Provenance("rankwise compare '<i>mine</i>.sqlite'")
    return make_report(compare(store, published), "Parts", provenance=made)


@pytest.fixture(scope="module")
def address(report: Report, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("parts") / "report.html"
    write_page(report, path)
    return path.as_uri()


@pytest.fixture
def page(browser: Any, address: str) -> Any:
    browser.get_log("browser")
    browser.get(address)
    return browser


def choose(page: Any, identity: str, text: str) -> None:
    """Choose an option as a reader does, with the keyboard."""
    box = page.find_element(By.ID, identity)
    page.execute_script("arguments[0].focus()", box)
    names = [one.get_attribute("textContent") for one in box.find_elements(By.TAG_NAME, "option")]
    page.execute_script(
        "arguments[0].selectedIndex = arguments[1];"
        "arguments[0].dispatchEvent(new Event('change', {bubbles: true}))",
        box, names.index(text),
    )  # fmt: skip


def press(page: Any, selector: str, text: str) -> None:
    for button in page.find_elements(By.CSS_SELECTOR, selector):
        if button.get_attribute("textContent") == text:
            page.execute_script("arguments[0].click()", button)
            return
    raise LookupError(f"there is no {selector} that says {text!r}")


def test_the_page_says_what_was_found_and_how_it_was_made(page: Any, report: Report) -> None:
    assert page.find_element(By.ID, "findings").text.splitlines() == list(report.findings)
    assert page.find_element(By.ID, "made").text == report.provenance.describe()


def read_bars(page: Any, figure: str) -> list[list[str]]:
    return list(page.execute_script(READ_BARS, figure))


def expect_bars(figure: Bars) -> list[list[str]]:
    return [[bar.name, f"{bar.name}, {bar.detail}"] for bar in figure.bars]


def test_means_and_differences_are_those_that_are_printed(page: Any, report: Report) -> None:
    table = report.queries[0]
    assert read_bars(page, "means") == expect_bars(make_means(table, "NDCG@10"))
    assert read_bars(page, "differences") == expect_bars(make_differences(table, "NDCG@10"))


def test_another_measure_and_baseline_are_tested_as_the_library_does(
    page: Any, report: Report
) -> None:
    choose(page, "query-measure", "MAP")
    choose(page, "query-baseline", METHODS[2])
    expected = make_differences(report.queries[0], "MAP", METHODS[2])
    assert read_bars(page, "differences") == expect_bars(expected)
    adjusted = [one.adjusted_p_value for one in compare_with(report.queries[0], "MAP", METHODS[2])]
    assert min(adjusted) < 0.05


def test_a_scatter_has_every_query_and_disputes_every_method(page: Any) -> None:
    assert len(page.find_elements(By.CSS_SELECTOR, "[data-figure=queries] .query")) == QUERIES
    cells = page.find_elements(By.CSS_SELECTOR, "[data-figure=disputed] .cell")
    assert len(cells) == 20 * len(METHODS)
    choose(page, "query-other", METHODS[2])
    title = page.find_element(By.CSS_SELECTOR, "[data-figure=queries] h3").text
    assert title == f"{METHODS[2]} against bm25"


def test_mine_and_published_are_told_apart_and_filtered(page: Any) -> None:
    own = page.find_elements(By.CSS_SELECTOR, "#methods .name.own")
    assert {one.text for one in own} == set(METHODS)
    press(page, "#origins button", "Published (2)")
    shown = page.find_elements(By.CSS_SELECTOR, "#methods tbody th")
    assert {one.text for one in shown} == {"Published A", "Published B"}
    assert "counted against all 5" in page.find_element(By.ID, "status").text
    assert "of your own methods only" in page.find_element(By.ID, "query-reason").text
    press(page, "#origins button", "Yours (3)")
    assert len(page.find_elements(By.CSS_SELECTOR, "#methods tbody tr")) == 3
    marks = page.find_elements(By.CSS_SELECTOR, "#plane [data-method]")
    assert {one.get_attribute("data-method") for one in marks} == set(METHODS)


def test_figures_follow_the_choice_or_say_that_they_do_not(page: Any) -> None:
    def said() -> list[bool]:
        notes = page.find_elements(By.CSS_SELECTOR, "#figures .unchanged")
        return [one.is_displayed() for one in notes]

    sections = page.find_elements(By.CSS_SELECTOR, "#figures section")
    assert not any(said())
    before = page.execute_script(
        "return document.querySelectorAll('[data-figure=heat-map] .cell').length"
    )
    press(page, "#measures button", "MAP")
    assert all(said())
    assert len(said()) == len(sections) - 1, "all but the heat map, which follows"
    after = page.execute_script(
        "return document.querySelectorAll('[data-figure=heat-map] .cell').length"
    )
    assert 0 < after < before
    assert page.find_element(By.CSS_SELECTOR, "[data-figure=means] h3").text.startswith("MAP on")
    heads = page.find_elements(By.CSS_SELECTOR, "#results-table th.group")
    assert [one.text for one in heads] == ["MAP"]


def test_the_results_have_four_digits_the_best_bold_and_missing_ones_hatched(
    page: Any, report: Report
) -> None:
    heads = page.find_elements(By.CSS_SELECTOR, "#results-table th.group")
    assert [one.text for one in heads] == ["NDCG@10", "P@1", "MAP"]
    cells = page.execute_script(
        "return [...document.querySelectorAll('#results-table tbody td')].map(one =>"
        " [one.className, one.textContent, one.firstElementChild?.localName ?? ''])"
    )
    values = [text for kind, text, _ in cells if kind == "number"]
    table = report.comparison.table
    assert sorted(values) == sorted(f"{value:.4f}" for value in table.value)
    missing = [one for one in cells if one[0] == "missing"]
    assert len(missing) == len(cells) - len(values) > 0
    columns = 2 * len(heads)
    assert [tag for _, _, tag in cells].count("strong") == columns
    hatched = page.find_element(By.CSS_SELECTOR, "#results-table .missing")
    assert "gradient" in hatched.value_of_css_property("background-image")


def test_results_are_sorted_by_a_column_missing_ones_last(page: Any) -> None:
    button = page.find_elements(By.CSS_SELECTOR, "#results-table thead tr.second button")[1]
    page.execute_script("arguments[0].focus()", button)
    page.switch_to.active_element.send_keys(Keys.ENTER)
    column = page.execute_script(
        "return [...document.querySelectorAll('#results-table tbody tr')].map(one =>"
        " one.querySelectorAll('td')[1].textContent)"
    )
    values = [float(text) for text in column if text != "no result"]
    assert values == sorted(values, reverse=True)
    assert column[len(values) :] == ["no result"] * (len(column) - len(values))
    assert page.switch_to.active_element.tag_name == "button", "focus stays on the heading"


@pytest.fixture
def saved(browser: Any, tmp_path: Path) -> Iterator[Path]:
    """Where the browser saves what it is told to."""
    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    yield tmp_path
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "deny"})


def wait_for(page: Any, path: Path) -> str:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(page, 600).until(lambda _: path.exists() and path.stat().st_size > 0)
    return path.read_text("utf-8")


def test_everything_can_be_saved(page: Any, saved: Path, report: Report) -> None:
    from rankwise.results import read_results

    press(page, "#downloads button", "Results (CSV)")
    wait_for(page, saved / "results.csv")
    read = read_results(saved / "results.csv")
    assert sorted(read.value.tolist()) == sorted(report.comparison.table.value.tolist())
    press(page, "#downloads button", "Values per query (CSV)")
    rows = wait_for(page, saved / "queries.csv").splitlines()
    assert len(rows) == 1 + len(METHODS) * len(MEASURES) * QUERIES
    press(page, "#downloads button", "Everything (JSON)")
    assert json.loads(wait_for(page, saved / "report.json"))["measures"]
    page.execute_script("document.querySelector('[data-figure=means] .save').click()")
    drawing = wait_for(page, saved / "means.svg")
    assert drawing.startswith("<svg")
    assert "var(--" not in drawing.split("<text")[1]


def test_with_the_keyboard_alone_every_part_is_reached(page: Any) -> None:
    reached = set()
    for _ in range(60):
        page.switch_to.active_element.send_keys(Keys.TAB)
        active = page.switch_to.active_element
        reached.add(active.get_attribute("id") or active.get_attribute("textContent"))
        reached.add(active.get_attribute("data-method"))
    wanted = {"query-measure", "query-baseline", "query-other", "find", "bm25", "Yours (3)"}
    assert wanted <= reached


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fetch_axe(tmp_path_factory.mktemp("axe"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(page: Any, axe: str, theme: str) -> None:
    page.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    assert find_violations(page, axe) == []
    page.execute_script("document.querySelector('#methods .name').click()")
    # While the panel fades in, its text is paler than it will be.
    page.execute_async_script(
        "const done = arguments[0];"
        "Promise.all(document.getAnimations().map((one) => one.finished)).then(() => done());"
    )
    assert find_violations(page, axe) == [], "with a method's panel open"
    assert page.get_log("browser") == []


@pytest.mark.parametrize("width", [360, 400, 768])
def test_all_parts_fit_a_phone(browser: Any, address: str, width: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.get(address)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_large_store_is_thinned_out_and_says_so(report: Report, monkeypatch: Any) -> None:
    from rankwise.reports.page import content

    monkeypatch.setattr(content, "MOST_VALUES", 100)
    made = content.make_query_data(report.queries[0], list(report.comparison.measures))
    assert made["every"] == 3
    assert len(made["queries"]) == len(made["measures"][0]["values"][0]) == 14
    assert made["measures"][0]["count"] == QUERIES


def test_names_of_queries_and_commands_stay_text(page: Any, report: Report) -> None:
    assert page.find_elements(By.CSS_SELECTOR, "main i, header i, main b") == []
    assert replace(report).provenance.command == "rankwise compare '<i>mine</i>.sqlite'"
