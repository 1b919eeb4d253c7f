from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.comparison.rank_tests import (
    compute_agreement,
    kendall_tau_b,
    spearman_rho,
    top_overlap,
)
from rankwise.comparison.significance_tests.paired_tests import mean_ranks
from rankwise.errors import RankwiseError

scores = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=15)


@given(scores)
def test_correlations_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import kendalltau, rankdata, spearmanr

    a, b = np.array(pairs, dtype=np.float64).T
    assert mean_ranks(a).tolist() == rankdata(a).tolist()
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert kendall_tau_b(a, b) is None
        assert spearman_rho(a, b) is None
    else:
        assert kendall_tau_b(a, b) == pytest.approx(kendalltau(a, b).statistic)
        assert spearman_rho(a, b) == pytest.approx(spearmanr(a, b).statistic)


def test_the_same_order_agrees_fully_and_the_reverse_not_at_all() -> None:
    up = {name: float(i) for i, name in enumerate("ABCDEF")}
    down = {name: -value for name, value in up.items()}
    assert compute_agreement(up, up, [2]).overlap == {2: 1.0}
    assert (compute_agreement(up, up).kendall, compute_agreement(up, down).kendall) == (1.0, -1.0)
    assert compute_agreement(up, down).spearman == pytest.approx(-1)
    assert compute_agreement(up, down, [2, 4, 7]).overlap == {2: 0.0, 4: 2 / 4}


def test_overlap_counts_the_shared_best() -> None:
    a, b = np.array([4.0, 3.0, 2.0, 1.0]), np.array([1.0, 4.0, 3.0, 2.0])
    assert top_overlap(a, b, 2) == 1 / 2


def test_only_methods_scored_by_both_count() -> None:
    found = compute_agreement({"A": 1, "B": 2, "C": 3}, {"B": 5, "C": 7, "D": 1})
    assert (found.methods, found.kendall) == (2, 1.0)
    with pytest.raises(RankwiseError, match="at least two methods scored by both; found 1"):
        compute_agreement({"A": 1, "B": 2}, {"B": 5, "D": 1})
