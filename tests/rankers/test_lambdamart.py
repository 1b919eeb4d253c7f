from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.trees.forests import BLMart
from rankwise.rankers.trees.lambdamart import LambdaMART
from rankwise.rankers.trees.lightgbm_training import common_settings
from tests.rankers.tuned_folds import five_fold_means, real_fold

lightgbm = pytest.importorskip("lightgbm")


def made(seed: int = 0, queries: int = 30) -> Dataset:
    rng = np.random.default_rng(seed)
    features = rng.random((queries * 20, 5))
    labels = np.floor(4.0 * np.clip(features[:, 0] + 0.2 * rng.normal(size=len(features)), 0, 0.99))
    return Dataset.from_arrays(features, labels, group=[20] * queries)


def lambdas(data: Dataset, k: int, gain) -> tuple[np.ndarray, np.ndarray]:
    """λ_i and w_i of the docstring where all scores are 0: ranks are those of the file."""
    slopes, weights = np.zeros(data.n_documents), np.zeros(data.n_documents)
    for first, last in pairwise(data.query_offsets):
        labels = data.labels[first:last]
        ideal = sum(
            gain(label) / np.log2(1 + rank)
            for rank, label in enumerate(sorted(labels, reverse=True)[:k], 1)
        )
        for i, j in np.argwhere(labels[:, np.newaxis] > labels):
            if min(i, j) + 1 > k:
                continue
            discounts = 1 / np.log2(1 + i + 1), 1 / np.log2(1 + j + 1)
            delta = (gain(labels[i]) - gain(labels[j])) * abs(discounts[0] - discounts[1]) / ideal
            slope = delta / (1 + np.exp(0.0))
            slopes[first + i] += slope
            slopes[first + j] -= slope
            # The derivative of 1 / (1 + exp(s)) at 0 is -1/4.
            weights[first + i] += delta / 4
            weights[first + j] += delta / 4
    return slopes, weights


@pytest.mark.parametrize("truncation", [3, 30])
@pytest.mark.parametrize(
    ("tool", "gain"), [("letor3", lambda y: 2.0**y - 1.0), ("trec_eval", lambda y: y)]
)
def test_the_first_tree_holds_the_newton_steps_of_the_lambdas(tool, gain, truncation) -> None:
    data = made(queries=10)
    data = Dataset.from_arrays(data.features, np.minimum(data.labels, 2), group=[20] * 10)
    ranker = LambdaMART(
        rounds=1,
        learning_rate=0.5,
        leaves=4,
        truncation=truncation,
        query_norm=False,
        tool=tool,
    )
    scores = ranker.fit(data).score(data)
    slopes, weights = lambdas(data, truncation, gain)
    assert len(np.unique(scores)) == 4
    for value in np.unique(scores):
        leaf = scores == value
        assert value == pytest.approx(0.5 * slopes[leaf].sum() / weights[leaf].sum(), rel=1e-4)


def test_predictions_are_those_of_lightgbm_called_directly() -> None:
    train, validation = made(0), made(1, queries=5)
    ranker = LambdaMART(rounds=40, patience=40, leaves=7)
    model = ranker.fit(train, validation)
    booster = lightgbm.train(
        common_settings(train) | ranker.settings(),
        lightgbm.Dataset(train.features, train.labels, group=train.query_lengths),
        40,
    )
    expected = booster.predict(validation.features, num_iteration=model.facts["round"])
    assert model.score(validation).tobytes() == expected.tobytes()


def test_predictions_on_real_data_are_those_of_lightgbm_called_directly(shared) -> None:
    train, validation, test = real_fold(shared, "mq2008", 1)
    ranker = LambdaMART(rounds=10)
    booster = lightgbm.train(
        common_settings(train) | ranker.settings(),
        lightgbm.Dataset(train.features, train.labels, group=train.query_lengths),
        10,
    )
    model = ranker.fit(train, validation)
    expected = booster.predict(test.features, num_iteration=model.facts["round"])
    assert model.score(test).tobytes() == expected.tobytes()


@pytest.mark.parametrize("weights", [None, np.repeat([2.0, 1.0, 0.5], 200)])
@pytest.mark.parametrize("query_norm", [False, True])
def test_own_lambdas_of_the_definition_are_those_of_lightgbm(query_norm, weights) -> None:
    train = replace(made(0), weights=weights)
    settings = {"rounds": 8, "leaves": 7, "measure": "NDCG@20", "query_norm": query_norm}
    own = LambdaMART(lambdas="measure", **settings).fit(train).score(train)
    theirs = LambdaMART(lambdas="lightgbm", truncation=20, **settings).fit(train).score(train)
    # LightGBM looks the logistic function up in a table and keeps lambdas in single precision.
    # All ranks are within its truncation here: below it goes on discounting.
    assert own == pytest.approx(theirs, abs=2e-3 * np.ptp(theirs))


def short_and_long() -> Dataset:
    """Queries of 4 and of 20 documents, in turn."""
    data, kept = made(2), []
    for number, (first, last) in enumerate(pairwise(data.query_offsets)):
        kept += range(first, last if number % 2 else first + 4)
    lengths = [20 if number % 2 else 4 for number in range(data.n_queries)]
    return Dataset.from_arrays(data.features[kept], data.labels[kept], group=lengths)


def trained(data: Dataset, tool: str, **settings) -> bytes:
    """The trees of two rounds towards NDCG@10."""
    ranker = LambdaMART(rounds=2, leaves=4, measure="NDCG@10", tool=tool, **settings)
    return ranker.fit(data).score(data).tobytes()


def test_trees_follow_the_convention_where_it_differs_and_only_there() -> None:
    all_long, some_short = made(2), short_and_long()
    for data in (all_long, some_short):
        # An empty query scores 1 or 0, in any order; other discounts are another measure.
        assert trained(data, "definition") == trained(data, "yahoo")
        assert trained(data, "definition") != trained(data, "letor4")
    # What is judged relevant in a query of 4 documents is nothing to NDCG@10 of LETOR.
    labels = some_short.labels.copy()
    short = np.repeat(some_short.query_lengths == 4, some_short.query_lengths)
    labels[short] = labels[short][::-1]
    turned = Dataset.from_arrays(some_short.features, labels, group=some_short.query_lengths)
    assert trained(some_short, "letor4") == trained(turned, "letor4")
    assert trained(some_short, "definition") != trained(turned, "definition")


def test_what_lightgbm_computes_by_itself_knows_gains_alone() -> None:
    data = made(2)
    assert trained(data, "definition", lambdas="lightgbm") == trained(
        data, "letor4", lambdas="lightgbm"
    )
    assert not LambdaMART(lambdas="lightgbm", measure="NDCG@10").trains_under_tool()
    assert LambdaMART(measure="NDCG@10").trains_under_tool()
    assert not LambdaMART(measure="MAP").trains_under_tool()
    assert LambdaMART(measure="MAP", lambdas="measure").trains_under_tool()


def test_a_measure_without_lambdas_is_refused_where_they_are_asked_for() -> None:
    with pytest.raises(RankwiseError, match="known for NDCG and MAP, found ERR@10"):
        LambdaMART(measure="ERR@10", lambdas="measure").fit(made())
    with pytest.raises(RankwiseError, match="must have that many, found at most 20"):
        LambdaMART(measure="NDCG@30", tool="letor4").fit(made())


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([0.0, -0.5, 1.0], "numbers from 0 to 30, found -0.5"),
        ([0.0, -1.0, 1.0], "numbers from 0 to 30, found -1"),
        ([0.0, 31.0, 1.0], "numbers from 0 to 30, found 31"),
        ([1.0, 1.0, 1.0], "there is no order to learn"),
    ],
)
def test_labels_that_cannot_be_learned_are_refused(labels, said) -> None:
    data = Dataset.from_arrays(np.arange(3.0)[:, np.newaxis], labels, group=[3])
    with pytest.raises(RankwiseError, match=said):
        LambdaMART().fit(data)


@pytest.mark.parametrize(
    "ranker",
    [
        LambdaMART(rounds=5, tool="sklearn", measure="NDCG", lambdas="lightgbm"),
        BLMart(rounds=5, bags=2, tool="sklearn", measure="NDCG"),
    ],
)
def test_fractional_labels_have_their_own_gains(ranker: Ranker) -> None:
    """NDCG with linear gains is the same for labels and for halves of them, to the bit."""
    data = made()
    halved = replace(data, labels=data.labels / 2)
    assert (halved.labels % 1 != 0).any()
    assert np.array_equal(ranker.fit(halved).score(data), ranker.fit(data).score(data))


def test_fractional_labels_have_the_exponential_gains_of_the_tool() -> None:
    """Labels log2(1 + y) have the gains y: those of labels y where gains are linear."""
    data = made()
    logarithms = replace(data, labels=np.log2(1.0 + data.labels))
    linear = LambdaMART(rounds=5, tool="sklearn", measure="NDCG", lambdas="lightgbm").fit(data)
    exponential = LambdaMART(rounds=5, lambdas="lightgbm").fit(logarithms)
    assert np.allclose(exponential.score(data), linear.score(data), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "least"), [("ohsumed", (0.427, 0.420)), ("mq2008", (0.465, 0.225))]
)
def test_the_accuracy_of_trials_is_reached(shared, data, least) -> None:
    found = five_fold_means(shared, data, LambdaMART, ("MAP", "NDCG@10"))
    assert np.all(found >= least), found
