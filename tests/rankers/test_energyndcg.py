"""EnergyNDCG: the pseudo-likelihood literally, slopes by differences, scipy's minimum."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.rankers.gradient.energyndcg import EnergyNDCG
from tests.rankers.literal_losses import (
    lowest_objective,
    queries_of,
    scores_of,
    slopes_by_differences,
)
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven


def discounts_of(labels):
    """The mean of 1 / log2(1 + rank) over the ranks that each label fills."""
    ranks = {label: [] for label in labels}
    for rank, label in enumerate(sorted(labels, reverse=True), 1):
        ranks[label].append(1 / np.log2(1 + rank))
    return [np.mean(ranks[label]) for label in labels]


def literal(dataset, steepness, scores) -> float:
    found = []
    for rows in queries_of(dataset):
        labels, own = dataset.labels[rows], scores[rows]
        discounts = discounts_of(labels)
        size = range(len(labels))
        costs = [
            np.log(1 + np.exp(-steepness * (discounts[i] - discounts[j]) * (own[i] - own[j])))
            for i in size
            for j in size
            if labels[i] > labels[j]
        ]
        if costs:
            found.append(np.mean(costs))
    return float(np.mean(found))


def loss_of(dataset, steepness):
    return EnergyNDCG(steepness=steepness)._loss(dataset, np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_equation(seed):
    dataset = uneven(seed)
    scores = scores_of(dataset, seed)
    value, slopes = loss_of(dataset, 4.0).at(scores)
    assert value == pytest.approx(literal(dataset, 4.0, scores), rel=1e-12)
    expected = slopes_by_differences(lambda at: literal(dataset, 4.0, at), scores)
    assert slopes == pytest.approx(expected, abs=1e-8)


def test_a_swap_changes_the_energy_by_the_margin():
    # E = −β Σ D(r_i) s_i of distinct labels, before and after exchanging the ranks of 0 and 2.
    labels, scores = np.array([3.0, 2.0, 1.0]), np.array([0.3, -1.0, 0.8])
    discounts = np.array(discounts_of(labels))
    before, after = -2 * discounts @ scores, -2 * discounts[[2, 1, 0]] @ scores
    margin = 2 * (discounts[0] - discounts[2]) * (scores[0] - scores[2])
    assert after - before == pytest.approx(margin, rel=1e-12)


def test_the_minimum_is_that_of_scipy():
    dataset = made(1)
    model = EnergyNDCG(regularization=0.05, gap=1e-9).fit(dataset)
    expected = lowest_objective(dataset, lambda at: literal(dataset, 10.0, at), 0.05)
    assert model.facts["objective"] == pytest.approx(expected, abs=1e-6)
