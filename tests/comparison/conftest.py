"""The tables that the tests of comparison share."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.comparison import Comparison, compare
from rankwise.results import read_results, read_shipped
from rankwise.results.result_table import ResultTable


@pytest.fixture(scope="session")
def tax() -> ResultTable:
    """The 1,050 results collected by Tax, Bockting and Hiemstra (2015), as they are shipped."""
    return read_shipped("tax2015_results")


@pytest.fixture(scope="session")
def tax_comparison(tax: ResultTable) -> Comparison:
    """What is compared where nothing is named."""
    comparison = compare()
    assert comparison.table == tax
    return comparison


@pytest.fixture(scope="session")
def dearank(shared: Path) -> ResultTable:
    """Tables 2 to 5 of Jiang and Lin (2014)."""
    return read_results(shared / "literature/from-papers/dearank_tables_2_to_5.csv")
