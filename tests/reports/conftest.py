"""What the tests of reports share: a table with hostile names, the real one, and a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from rankwise.comparison import Comparison, compare, compare_table
from rankwise.reports.comparison_report import Report, make_report
from rankwise.results.result_table import ResultTable

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--window-size=1280,900",
)  # fmt: skip

IMAGE = "<img src=x onerror=\"window.hurt='image'\">"
SCRIPT = "</script><script>window.hurt='script'</script>"
MATHS = r"$\frac{1}{0}^_% & #\input{x}$"
HOSTILE = (IMAGE, SCRIPT, MATHS, "=1+1|`cmd`", "Жуковский \u202etxt\u2028\n漢字")

# Six data sets of two collections; every method beats those after it, but on d6.
METHODS = ("Best", "Linear Regression", *HOSTILE, "Worst")


def made_table() -> ResultTable:
    """Two measures, some holes, one tie, one data set with a single result."""
    rows = []
    for dataset in range(1, 7):
        for place, method in enumerate(METHODS):
            if method in HOSTILE and dataset % 2 and place % 2:
                continue
            order = place if dataset < 6 else len(METHODS) - place
            for measure, shift in (("NDCG@10", 0.0), ("MAP", 0.01)):
                rows.append(
                    {
                        "collection": "Old" if dataset <= 3 else "<b>New</b>",
                        "dataset": f"d{dataset}",
                        "method": method,
                        "measure": measure,
                        "value": 0.9 - 0.05 * order - shift,
                        "source": f"Study {dataset} of <i>{method}</i>",
                    }
                )
    lonely = {"collection": "Old", "dataset": "lonely", "method": "Best", "measure": "MAP"}
    return ResultTable.from_rows([*rows, {**lonely, "value": 0.5, "source": "Study 9"}])


@pytest.fixture(scope="session")
def made() -> Comparison:
    return compare_table(made_table())


@pytest.fixture(scope="session")
def made_report(made: Comparison) -> Report:
    from rankwise.comparison.resampling import resample_datasets

    return make_report(
        made, "Made <b>up</b> & compared", resample_datasets(made, 20, 1), published=True
    )


@pytest.fixture(scope="session")
def tax() -> Comparison:
    """The 87 methods of Tax, Bockting and Hiemstra (2015)."""
    return compare()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Debian's Chromium, found on PATH, else skipped with the reason."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("chromium and chromedriver are not on PATH: the page is not driven")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=chromedriver)
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()
