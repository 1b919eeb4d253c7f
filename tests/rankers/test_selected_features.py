"""FSM-SVM and GAS-E: features are selected, then RankSVM weighs them."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.feature_selection import choose_features
from rankwise.rankers.linear.ranksvm import RankSVMPrimal
from rankwise.rankers.linear.sparse import FSMSVM, GASE, FSMRank
from tests.rankers.svm_data import made


def ranksvm_weights(dataset, kept, regularization):
    weights = np.zeros(dataset.n_features)
    part = dataset.with_features(dataset.features[:, kept])
    weights[kept] = RankSVMPrimal(regularization=regularization).fit(part).scorer.weights
    return weights


def test_fsm_svm_is_ranksvm_on_what_fsmrank_keeps():
    dataset = made(0, n_queries=20, n_features=10)
    filtering = FSMRank(similarity=0.1, regularization=5e-3).fit(dataset)
    kept = np.flatnonzero(filtering.scorer.weights)
    assert 1 <= len(kept) < 10
    model = FSMSVM(similarity=0.1, price=5e-3, regularization=0.01).fit(dataset)
    assert model.scorer.weights.tolist() == ranksvm_weights(dataset, kept, 0.01).tolist()
    assert model.facts["features_kept"] == len(kept)


def test_fsm_svm_that_keeps_nothing_says_so():
    model = FSMSVM(price=1e3).fit(made(0))
    assert model.scorer.weights.tolist() == [0.0] * 4
    assert any("no feature was kept" in remark for remark in model.facts["remarks"])


@pytest.mark.parametrize("weight", [0.0, 0.05, 1.0])
def test_gas_e_is_ranksvm_on_what_gas_chooses(weight):
    dataset = made(1, n_queries=20, n_features=10)
    chosen = choose_features(dataset, "gas", 4, similarity_weight=weight)
    model = GASE(keep=4, similarity_weight=weight, regularization=0.01).fit(dataset)
    kept = sorted(chosen.features)
    assert model.scorer.weights.tolist() == ranksvm_weights(dataset, kept, 0.01).tolist()
    assert model.facts["features_kept"] == 4


def test_gas_e_takes_all_features_where_there_are_fewer():
    dataset = made(2, n_features=3)
    assert GASE(keep=20).fit(dataset).facts["features_kept"] == 3


def test_stopped_after_the_selection_fsm_svm_is_fsmrank():
    dataset = made(3)
    stopped = FSMSVM().fit(dataset, watch=lambda progress: True)
    whole = FSMRank(similarity=1e-2, regularization=1e-3).fit(dataset)
    assert stopped.scorer.weights.tolist() == whole.scorer.weights.tolist()
