"""How long the report page takes to open: 5,000 methods beside a plain HTML table of them.

    python benchmarks/page.py

Chromium opens each page five times in one run; printed are the fastest times until everything is
drawn, and their ratio. The plain table has the same ranking and no script.
"""

from __future__ import annotations

import html
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

from selenium import webdriver

from rankwise.comparison import Comparison, compare_table
from rankwise.reports import make_page, make_report
from rankwise.results.result_table import ResultTable

METHODS, DATASETS, TIMES = 5000, 12, 5
MEASURES = ("NDCG@1", "NDCG@3", "NDCG@10", "MAP")
OPENED = "const [t] = performance.getEntriesByType('navigation'); return t.loadEventEnd;"
CHOSEN = """
const before = performance.now();
document.querySelectorAll("#measures button")[1].click();
document.body.getBoundingClientRect();
return performance.now() - before;
"""


def compare_many() -> Comparison:
    rng = random.Random(1)
    rows = []
    for number in range(METHODS):
        skill = rng.gauss(0, 0.05)
        for dataset in range(DATASETS):
            if rng.random() < 0.35:
                for measure in MEASURES:
                    value = min(1.0, max(0.0, 0.4 + skill + rng.gauss(0, 0.03)))
                    name = f"Method {number}"
                    home = f"C{dataset // 4}"
                    rows.append((home, f"d{dataset}", name, measure, value, f"S{number // 7}"))
    columns = list(zip(*rows, strict=True))
    return compare_table(ResultTable.from_columns(*columns[:5], source=columns[5]))


def make_plain(comparison: Comparison) -> str:
    rows = "".join(
        f"<tr><td>{row.rank}<td>{html.escape(row.method)}<td>{row.nwn:.4f}<td>{row.wn}<td>{row.iwn}"
        for row in comparison.rows
    )
    return f"<!doctype html><meta charset=utf-8><title>plain</title><table>{rows}</table>"


def open_browser() -> Any:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    return webdriver.Chrome(options=options, service=service)


def time_opening(browser: Any, path: Path) -> float:
    times = []
    for _ in range(TIMES):
        browser.get(path.as_uri())
        times.append(float(browser.execute_script(OPENED)))
    return min(times) / 1000


def main() -> None:
    comparison = compare_many()
    texts = {"page": make_page(make_report(comparison, "many")), "plain": make_plain(comparison)}
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, text in texts.items():
            paths[name] = Path(folder) / f"{name}.html"
            paths[name].write_text(text, encoding="utf-8")
        browser = open_browser()
        try:
            seconds = {name: time_opening(browser, path) for name, path in paths.items()}
            browser.get(paths["page"].as_uri())
            chosen = float(browser.execute_script(CHOSEN)) / 1000
        finally:
            browser.quit()
    ratio = seconds["page"] / seconds["plain"]
    print(f"{len(comparison.rows):,} methods: choosing a measure takes {chosen:.2f} s")
    print(f"opening: page {seconds['page']:.2f} s, plain table {seconds['plain']:.2f} s")
    print(f"ratio {ratio:.1f}")


if __name__ == "__main__":
    main()
