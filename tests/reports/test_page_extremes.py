"""The same extremes on the page, wide and on a phone: nothing cut, no name at another's mark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankwise.reports.comparison_report import make_report
from rankwise.reports.page.content import write_page

from .made_extremes import EXTREMES, make_comparison

pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

CUT = """
const drawn = [...document.querySelectorAll("main svg")].filter((svg) => svg.clientWidth);
return drawn.flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1
      || box.top < frame.top - 2 || box.bottom > frame.bottom + 2;
  }).map((text) => [svg.getAttribute("aria-label"), text.textContent]);
});
"""
STRAYS = """
const planes = [...document.querySelectorAll("main svg:has(.labels)")];
return planes.flatMap((svg) => {
  const marks = [...svg.querySelectorAll(".mark, .query")].map((mark) => {
    const box = mark.getBoundingClientRect();
    return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  });
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll(".labels text")].filter((text) => {
    if (text.dataset.led === "true") return false;
    const box = text.getBoundingClientRect();
    const aside = (x) => Math.max(box.left - x, x - box.right, 0);
    const above = (y) => Math.max(box.top - y, y - box.bottom, 0);
    const gap = ([x, y]) => Math.hypot(aside(x), above(y));
    const own = gap([frame.left + Number(text.dataset.x), frame.top + Number(text.dataset.y)]);
    return marks.some((mark) => gap(mark) < own - 3);
  }).map((text) => [svg.getAttribute("aria-label"), text.textContent]);
});
"""
OVERLAPS = """
return [...document.querySelectorAll("main svg .labels")].flatMap((layer) => {
  const boxes = [...layer.querySelectorAll("text")]
    .map((text) => [text.textContent, text.getBoundingClientRect()]);
  return boxes.flatMap(([a, one], i) => boxes.slice(i + 1)
    .filter(([, two]) => Math.min(one.right, two.right) - Math.max(one.left, two.left) > 1
      && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 3)
    .map(([b]) => [a, b]));
});
"""


def show(browser: Any, path: Path, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(path.as_uri())


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", EXTREMES)
def test_nothing_is_cut_or_astray(browser: Any, name: str, width: int, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_page(make_report(EXTREMES[name], name), path)
    try:
        show(browser, path, width)
        assert browser.execute_script(CUT) == []
        assert browser.execute_script(STRAYS) == []
        assert browser.execute_script(OVERLAPS) == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_thousands_of_methods_are_shown_as_they_are_asked_for(browser: Any, tmp_path: Path) -> None:
    names = [f"Method {n}" for n in range(5000)]
    comparison = make_comparison(names, 3, holes=0.4)
    path = tmp_path / "many.html"
    write_page(make_report(comparison, "5,000 methods"), path)
    browser.get(path.as_uri())
    rows = "return document.querySelectorAll('#methods tbody tr').length"
    assert browser.execute_script(rows) == 300
    browser.execute_script(
        "const one = document.querySelector('#ranking .scroll'); one.scrollTop = one.scrollHeight;"
        "one.dispatchEvent(new Event('scroll'))"
    )
    assert browser.execute_script(rows) == 600
    browser.execute_script("document.querySelector('#ranking .more').click()")
    assert browser.execute_script(rows) == len(comparison.rows)
    browser.execute_script(
        "const one = document.getElementById('find'); one.value = 'Method 4321';"
        "one.dispatchEvent(new Event('input'))"
    )
    assert browser.execute_script(rows) == 1
