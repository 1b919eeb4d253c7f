"""RankSVM-Struct: one slack for all pairs, to the precision that is asked."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.linear.ranksvm import RankSVM, RankSVMStruct
from tests.rankers.svm_data import all_folds, made, margins, real_training
from tests.rankers.test_ranksvm import OPTIMA


@pytest.mark.parametrize(("name", "fold", "optimum"), all_folds(OPTIMA))
def test_real_optima(shared, name, fold, optimum):
    model = RankSVMStruct(regularization=0.01, gap=1e-5).fit(real_training(shared, name, fold))
    assert model.facts["gap"] <= 1e-5
    assert model.facts["objective"] == pytest.approx(optimum, abs=1e-5)


def test_the_slack_is_that_of_the_most_violated_choice_of_pairs():
    """ξ = max over all c of Σ c_ij (1 − w · (x_i − x_j)) / |P|, by trying every c."""
    dataset = Dataset.from_arrays(
        [[0.1, 0.9], [0.5, 0.4], [0.6, 0.2], [0.3, 0.3], [0.8, 0.1]], [0, 1, 2, 0, 1], group=[3, 2]
    )
    model = RankSVMStruct(regularization=0.1, gap=1e-8).fit(dataset)
    weights = model.scorer.weights
    found = margins(dataset, weights)
    slack = max(np.mean(c * (1 - found)) for c in product((0, 1), repeat=len(found)))
    assert model.facts["objective"] == pytest.approx(0.05 * weights @ weights + slack, abs=1e-12)


def test_the_minimum_is_ranksvms():
    dataset = made(1)
    ours = RankSVMStruct(gap=1e-8).fit(dataset)
    other = RankSVM(gap=1e-8).fit(dataset)
    assert ours.facts["objective"] == pytest.approx(other.facts["objective"], abs=2e-8)


def test_queries_of_equal_weight_count_fractions_of_pairs():
    dataset = Dataset.from_arrays(
        np.random.default_rng(0).random((12, 3)), [0, 1] + [0, 0, 1, 1, 2] * 2, group=[2, 10]
    )
    model = RankSVMStruct(weighting="queries", gap=1e-8).fit(dataset)
    weights = model.scorer.weights
    short = np.maximum(0, 1 - margins(dataset, weights))
    mean = (short[:1].mean() + short[1:].mean()) / 2
    assert model.facts["objective"] == pytest.approx(0.005 * weights @ weights + mean, abs=1e-12)


def test_another_weighting_is_refused():
    with pytest.raises(RankwiseError, match="weighting must be one of pairs, queries"):
        RankSVMStruct(weighting="documents")
