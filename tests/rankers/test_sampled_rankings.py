"""BoltzRank and KL-CRF: energies and objectives literally, slopes, scipy's minimum."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.gradient.boltzrank import KLCRF, BoltzRankSingle, SampledRankings
from rankwise.rankers.losses.listwise import DiscountedGains
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.literal_losses import (
    lowest_objective,
    queries_of,
    scores_of,
    slopes_by_differences,
)
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven


def energy(order, scores) -> float:
    """E(R|s) as the paper has it, `order` the documents from the first rank on."""
    size = len(order)
    pairs = [(j, k) for k in range(size) for j in range(k)]
    total = sum((k - j) * (scores[order[k]] - scores[order[j]]) for j, k in pairs)
    return 2 / (size * (size - 1)) * total if size > 1 else 0.0


def chances_of(rankings: SampledRankings, rows: slice, scores):
    orders = np.argsort(rankings.ranks[:, rows], axis=1)
    masses = np.exp([-energy(order, scores[rows]) for order in orders])
    return masses / masses.sum()


def values_of(rankings: SampledRankings, dataset, rows: slice):
    """NDCG of each ranking of a query."""
    one = dataset.select_queries([int(dataset.query_of_rows[rows.start])])
    measure = TrainingMeasure.of(one, "NDCG")
    return np.array([measure.mean(-ranks.astype(float)) for ranks in rankings.ranks[:, rows]])


def literal(dataset, rankings, scores, share, target) -> float:
    found = []
    for rows in queries_of(dataset):
        chances, values = chances_of(rankings, rows, scores), values_of(rankings, dataset, rows)
        wanted = target(rows, values)
        divergence = (wanted * np.log(wanted / chances)).sum()
        found.append((1 - share) * divergence - share * (chances * values).sum())
    return float(np.mean(found))


def rankings_of(ranker, dataset) -> SampledRankings:
    """What the loss of a ranker draws from this generator."""
    return ranker._loss(dataset, np.random.default_rng(7)).rankings


def test_every_sample_is_a_ranking_and_the_last_follow_the_labels():
    dataset = made(0, n_queries=12, length=9)
    rankings = SampledRankings.draw(dataset, 30, np.random.default_rng(0))
    for rows in queries_of(dataset):
        size = rows.stop - rows.start
        assert (np.sort(rankings.ranks[:, rows], axis=1) == np.arange(size)).all()
    gains = DiscountedGains.of(dataset, find_tool("definition").measure("NDCG"))
    means = rankings.values(gains).mean(axis=1)
    assert means[-10:].min() > means[10:20].min() > means[:3].min()


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_boltzrank_is_the_equation(share):
    dataset = uneven(1)
    ranker = BoltzRankSingle(samples=6, share=share, sharpness=0.8)
    loss, scores = ranker._loss(dataset, np.random.default_rng(7)), scores_of(dataset)
    rankings = rankings_of(ranker, dataset)

    def target(rows, values):
        return chances_of(rankings, rows, 0.8 * dataset.labels)

    expected = literal(dataset, rankings, scores, share, target)
    value, slopes = loss.at(scores)
    assert value == pytest.approx(expected, rel=1e-10)
    differences = slopes_by_differences(lambda at: loss.at(at)[0], scores)
    assert slopes == pytest.approx(differences, abs=1e-8)


def kl_literal(dataset, ranker, scores) -> float:
    def target(rows, values):
        masses = np.exp(-(1 - values) / ranker.temperature)
        return masses / masses.sum()

    return literal(dataset, rankings_of(ranker, dataset), scores, 0.0, target)


def test_kl_crf_is_the_equation():
    dataset, ranker = uneven(2), KLCRF(samples=5, temperature=0.2)
    scores = scores_of(dataset)
    value, _ = ranker._loss(dataset, np.random.default_rng(7)).at(scores)
    assert value == pytest.approx(kl_literal(dataset, ranker, scores), rel=1e-10)


def test_kl_crf_reaches_the_minimum_of_scipy():
    dataset, ranker = made(1, n_queries=3, length=4), KLCRF(samples=4, regularization=0.1)
    expected = lowest_objective(
        dataset, lambda at: literal_with_seed(dataset, ranker, at, seed=0), 0.1
    )
    assert ranker.fit(dataset, seed=0).facts["objective"] == pytest.approx(expected, abs=1e-6)


def literal_with_seed(dataset, ranker, scores, seed) -> float:
    """The value alone, by the loss that `test_kl_crf_is_the_equation` has shown to be right."""
    return ranker._loss(dataset, np.random.default_rng(seed)).at(scores)[0]


def test_boltzrank_learns():
    dataset = made(0, n_queries=20)
    model = BoltzRankSingle(regularization=1e-3, rounds=100).fit(dataset)
    assert TrainingMeasure.of(dataset, "NDCG").mean(model.score(dataset)) > 0.93
