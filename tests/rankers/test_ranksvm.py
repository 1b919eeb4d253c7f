"""RankSVM: the optimum of the hinge on pairs; and what the whole SVM family has in common."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.linear.ranksvm import RankSVM
from rankwise.rankers.registry import find_ranker
from tests.rankers.svm_data import all_folds, listed_pairs, made, margins, real_training

FAMILY = ("ranksvm", "ranksvm-primal", "ranksvm-struct", "svm-map")
OPTIMA = {
    "OHSUMED": (0.821905, 0.820085, 0.820909, 0.802713, 0.814339),
    "MQ2008": (0.511307, 0.514130, 0.462366, 0.473286, 0.507647),
}
# Learns each of the family and prints its weights to the bit.
PROGRAM = """
import sys
sys.path.insert(0, ".")
from rankwise.rankers.registry import find_ranker
from tests.rankers.svm_data import made
for name in sys.argv[1].split(","):
    model = find_ranker(name)().fit(made(n_queries=40, length=30, n_features=46))
    print(name, [value.hex() for value in model.scorer.weights.tolist()])
"""


@pytest.mark.parametrize(("name", "fold", "optimum"), all_folds(OPTIMA))
def test_real_optima(shared, name, fold, optimum):
    model = RankSVM(regularization=0.01, gap=5e-6).fit(real_training(shared, name, fold))
    assert model.facts["gap"] <= 5e-6
    assert model.facts["objective"] == pytest.approx(optimum, abs=1e-5)


def test_the_objective_is_the_equation():
    dataset = made()
    model = RankSVM(regularization=0.02).fit(dataset)
    weights = model.scorer.weights
    expected = 0.02 / 2 * weights @ weights + np.maximum(0, 1 - margins(dataset, weights)).mean()
    assert model.facts["objective"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", FAMILY)
def test_features_of_a_billion_are_learned_from(name):
    dataset = made(n_queries=12)
    spread = np.array([1e9, 1e6, 1e3, 1e9])
    large = dataset.with_features(dataset.features * spread + 1e9)
    scores = find_ranker(name)().fit(large).score(large)
    pairs = listed_pairs(dataset)
    assert np.mean(scores[pairs[:, 0]] > scores[pairs[:, 1]]) > 0.8


@pytest.mark.parametrize("name", FAMILY)
def test_constant_features_weigh_nothing_and_equal_ones_the_same(name):
    dataset = made()
    features = np.column_stack([dataset.features, dataset.features[:, 0], np.full(56, 7.0)])
    weights = find_ranker(name)().fit(dataset.with_features(features)).scorer.weights
    assert weights[5] == 0.0
    assert weights[4] == pytest.approx(weights[0], rel=1e-9)


@pytest.mark.parametrize("name", FAMILY)
def test_equal_labels_are_refused_in_one_sentence(name):
    dataset = made()
    with pytest.raises(RankwiseError, match=f"{name} learns from .*found no such query"):
        find_ranker(name)().fit(Dataset.from_arrays(dataset.features, np.ones(56), group=[7] * 8))


@pytest.mark.parametrize("name", FAMILY)
def test_queries_without_pairs_change_nothing(name):
    dataset = made()
    extra = np.random.default_rng(5).random((3, 4))
    more = Dataset.from_arrays(
        np.vstack([extra[:1], dataset.features, extra[1:]]),
        np.concatenate([[2.0], dataset.labels, [1.0, 1.0]]),
        group=[1, *[7] * 8, 2],
    )
    plain, longer = (find_ranker(name)().fit(data).facts for data in (dataset, more))
    assert longer["objective"] == pytest.approx(plain["objective"], abs=plain["gap"])


def test_the_family_learns_the_same_bits_with_any_number_of_threads():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, ",".join(FAMILY)],
            env=os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("0x") == len(FAMILY) * 46
