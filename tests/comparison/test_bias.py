"""Publication bias: the funnel, and own results against others'."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from rankwise.comparison import Comparison, compare_table, look_for_bias
from rankwise.comparison.winning_numbers import Weights
from rankwise.results.result_table import ResultTable

WEIGHTINGS: tuple[Weights, ...] = ("results", "datasets")
OWN, OTHER = "Cao et al. (2007)", "official LETOR 3.0 baseline"  # ListNet's paper, and no one's


def made() -> Comparison:
    facts = [
        ("d1", "ListNet", 0.9, OWN), ("d1", "B", 0.1, OTHER), ("d2", "ListNet", 0.1, OTHER),
        ("d2", "B", 0.9, None), ("d3", "ListNet", 0.5, f"{OWN} | {OTHER}"), ("d3", "B", 0.4, OTHER),
    ]  # fmt: skip
    return compare_table(
        ResultTable.from_rows(
            {"collection": "", "dataset": d, "method": m, "measure": "MAP", "value": v, "source": s}
            for d, m, v, s in facts
        )
    )


def test_own_results_are_told_from_those_of_others() -> None:
    found = look_for_bias(made())
    (listnet,) = found.both
    assert (listnet.own_results, listnet.own_nwn) == (1, 1.0)
    assert (listnet.others_results, listnet.others_nwn) == (1, 0.0)
    assert (listnet.results, listnet.nwn, listnet.gain) == (3, 2 / 3, 1.0)
    assert (
        "of 1 methods with results of their own study and of others, 1 do" in found.describe()[-1]
    )


def test_the_funnel_is_its_equation() -> None:
    found = look_for_bias(made())
    shares = np.array([1, 0, 0, 1, 1, 0])
    reach = 1.96 * shares.std() / sqrt(3)
    assert found.centre == 3 / 6
    for one in found.methods:
        assert one.lower == pytest.approx(max(0.0, 1 / 2 - reach))
        assert one.upper == pytest.approx(min(1.0, 1 / 2 + reach))


def test_the_87_are_counted_whole(tax_comparison: Comparison) -> None:
    found = look_for_bias(tax_comparison)
    assert sum(step.methods for step in found.funnel) == len(found.methods) == 87
    assert sum(group.results for group in found.groups) == len(tax_comparison.cells)
    own, others, _ = found.groups
    assert (own.results, others.results) == (290, 628)
    assert own.nwn is not None and others.nwn is not None and own.nwn > others.nwn
    assert found.both == ()
    assert "can be told apart" in found.describe()[1]


def test_weights_change_neither_the_funnel_nor_the_numbers_in_it() -> None:
    """Every result counts alike in a funnel by the number of results."""
    facts = [("d1", m, e, v) for e in ("MAP", "P@5") for m, v in (("A", 0.9), ("B", 0.1))]
    facts.append(("d2", "A", "MAP", 0.1))
    facts.append(("d2", "B", "MAP", 0.9))
    table = ResultTable.from_rows(
        {"collection": "", "dataset": d, "method": m, "measure": e, "value": v}
        for d, m, e, v in facts
    )
    plain, weighted = (compare_table(table, weights=w) for w in WEIGHTINGS)
    assert plain.by_method["A"].nwn == 2 / 3 and weighted.by_method["A"].nwn == 1 / 2
    assert look_for_bias(weighted).methods == look_for_bias(plain).methods
