"""BoltzRank-Pair: its objective and slopes, and that it begins where BoltzRank-Single ends."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.gradient.boltzrank import (
    BoltzRankPair,
    BoltzRankSingle,
    PairPotentialsTraining,
    RankingDistribution,
)
from tests.rankers.literal_losses import slopes_by_differences
from tests.rankers.test_pair_scorers import literal_potentials
from tests.rankers.test_smoothed_ranks import uneven

NDCG = find_tool("definition").measure("NDCG")


def loss_of(data) -> RankingDistribution:
    return RankingDistribution.towards_labels(data, NDCG, 20, 1.0, 0.5, np.random.default_rng(3))


def training_of(data, linear) -> PairPotentialsTraining:
    rng = np.random.default_rng(0)
    return PairPotentialsTraining(
        data, loss_of(data), linear, 2, rate=0.05, regularization=0.1, rng=rng
    )


def test_the_objective_is_that_of_the_scorer_and_the_slopes_are_its():
    data = uneven()
    training = training_of(data, np.ones(data.n_features))
    for _ in range(3):
        training.step()
    weights = training._weights
    value, slopes = training.objective(weights)
    scorer = training.scorer()
    lists = [literal_potentials(scorer, query.features) for query in data.queries()]
    expected, _ = loss_of(data).at(np.concatenate(lists))
    assert value == pytest.approx(expected + 0.1 / 2 * weights @ weights, rel=1e-10)
    found = slopes_by_differences(lambda at: training.objective(at)[0], weights)
    assert slopes == pytest.approx(found, abs=1e-7)
    assert np.abs(scorer.weights).max() > 0.0


def test_it_begins_at_the_minimum_of_boltzrank_single():
    data = uneven()
    single = BoltzRankSingle(regularization=1e-2, gap=1e-10).fit(data, seed=4)
    # Steps of no length: the first round is the start.
    pair = BoltzRankPair(learning_rate=1e-9, rounds=1).fit(data, seed=4)
    scores = pair.score(data) - single.score(data)
    starts = data.query_offsets[:-1]
    away = scores - np.repeat(scores[starts], data.query_lengths)
    assert np.abs(away).max() < 1e-3
    assert pair.scorer.weights == pytest.approx(np.zeros(5), abs=1e-8)


def test_a_score_depends_on_the_other_documents():
    data = uneven()
    model = BoltzRankPair(rounds=5).fit(data)
    alone = np.concatenate([model.scorer.score(row[np.newaxis]) for row in data.features])
    assert not np.allclose(model.score(data), alone)
