"""How finely values were printed."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.results.comparability import FINEST, count_decimals, find_tolerance, find_units
from rankwise.results.result_table import ResultTable


@pytest.mark.parametrize(
    ("value", "decimals"),
    [(0.42, 2), (0.4219, 4), (0.42199, 5), (1.0, 0), (0.0, 0), (1 / 3, FINEST), (0.1 + 0.2, 1)],
)
def test_decimals_of_the_shortest_text(value: float, decimals: int) -> None:
    assert count_decimals(np.array([value])).tolist() == [decimals]


def test_decimals_of_many_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    digits = rng.integers(0, 9, 300)
    values = np.array(
        [round(float(v), int(d)) for v, d in zip(rng.random(300), digits, strict=True)]
    )
    texts = [repr(value).partition(".")[2].rstrip("0") for value in values.tolist()]
    assert count_decimals(values).tolist() == [len(text) for text in texts]


def row(method: str, value: float, source: str | None = None) -> dict[str, object]:
    fixed = {"collection": "", "dataset": "d", "measure": "MAP"}
    return {**fixed, "method": method, "value": value, "source": source}


def test_the_value_with_most_decimals_decides_for_its_source_or_method() -> None:
    rows = [row("A", 0.4, "study"), row("B", 0.412, "study"), row("C", 0.5), row("D", 0.12345)]
    units = find_units(ResultTable.from_rows(rows))
    assert units == pytest.approx([1e-3, 1e-3, 1e-2, 1e-5])


def test_the_tolerance_is_half_a_unit_of_the_coarser_print() -> None:
    assert find_tolerance(1e-3, 1e-5) == pytest.approx(5e-4)
    assert find_tolerance(1e-3, 1e-5) > 0.422 - 0.42199
    assert find_tolerance(1e-4, 1e-3) > 0.2304 - 0.230
    assert find_tolerance(1e-4, 1e-3) < 0.4226 - 0.422
