"""Documents ranked by data envelopment analysis alone."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.experiments.efficiency_analysis import WAYS, analyse_efficiency
from rankwise.rankers.dea.cross_efficiency import cross_efficiency
from rankwise.rankers.dea.efficiency import ccr
from rankwise.rankers.dea.super_efficiency import super_efficiency
from tests.rankers.test_dea_pool import made


def test_scores_are_those_of_each_query_by_itself() -> None:
    data = made(3)
    found = analyse_efficiency(data, goal="aggressive")
    for number, query in enumerate(data.queries()):
        rows = slice(data.query_offsets[number], data.query_offsets[number + 1])
        constant = np.ones((len(query.labels), 1))
        expected = [
            ccr(constant, query.features).scores,
            super_efficiency(constant, query.features),
            cross_efficiency(constant, query.features, "aggressive").scores,
        ]
        for way, scores in zip(WAYS, expected, strict=True):
            assert found.scores[way][rows] == pytest.approx(scores, abs=1e-8)


def test_one_feature_ranks_by_that_feature_whatever_the_way() -> None:
    data = Dataset.from_arrays([[1.0], [4.0], [2.0], [3.0]], [0, 2, 0, 1], [7, 7, 7, 7])
    found = analyse_efficiency(data)
    assert found.scores["efficiency"] == pytest.approx([0.0, 1.0, 1 / 3, 2 / 3])
    assert found.scores["super-efficiency"] == pytest.approx([0.0, 3 / 2, 1 / 3, 2 / 3])
    assert found.scores["cross-efficiency"] == pytest.approx([0.0, 1.0, 1 / 3, 2 / 3])
    assert [(one.map, one.ndcg_at_10) for one in found.rankings] == [(1.0, 1.0)] * 3
    assert (found.efficient, found.unbounded) == (1, 0)


def test_ties_of_efficient_documents_earn_what_is_expected() -> None:
    """Each alone has a feature: both efficient, and the file order must not decide."""
    data = Dataset.from_arrays([[1.0, 0.0], [0.0, 1.0]], [1, 0], [1, 1])
    found = analyse_efficiency(data)
    assert found.unbounded == 2
    assert found.rankings[0].map == pytest.approx((1 + 1 / 2) / 2)
    assert found.as_dict()["documents"][0]["super_efficiency"] is None


def test_refusals() -> None:
    with pytest.raises(RankwiseError, match="no query 'x'; the first one is"):
        analyse_efficiency(made(2), query="x")
    with pytest.raises(RankwiseError, match="goal must be one of"):
        analyse_efficiency(made(2), goal="kind")
    null = Dataset.from_arrays([[np.nan], [1.0]], [1, 0], [1, 1])
    with pytest.raises(RankwiseError, match="cannot take NULL features"):
        analyse_efficiency(null)
