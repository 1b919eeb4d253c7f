"""SortNet: its error literally and its slopes, who is misplaced, and that the pairs stay."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.checks.made import planted
from rankwise.rankers.gradient.sortnet import ComparatorTraining, SortNet
from tests.rankers.literal_losses import sigma, slopes_by_differences
from tests.rankers.test_smoothed_ranks import uneven

UNITS = 3


def training_of(data, **changes) -> ComparatorTraining:
    settings = {"steps": 2, "pairs_per_query": 4, "rate": 0.01, "regularization": 0.1, **changes}
    return ComparatorTraining(data, UNITS, **settings, rng=np.random.default_rng(0))


def literal_error(data, pairs, weights, regularization) -> float:
    """The objective of the docstring, pair by pair."""
    width = data.n_features
    mean, scale = data.features.mean(axis=0), data.features.std(axis=0)
    z = (data.features - mean) / np.where(scale > 0, scale, 1.0)
    u, v = np.split(weights[: 2 * UNITS * width].reshape(2 * UNITS, width), 2)
    c, a, twin, (b, *_) = weights[2 * UNITS * width :].reshape(4, UNITS)

    def precedes(x, y) -> float:
        return sigma(a @ np.tanh(u @ x + v @ y + c) + twin @ np.tanh(u @ y + v @ x + c) + b)

    errors = [(1 - precedes(z[x], z[y])) ** 2 + precedes(z[y], z[x]) ** 2 for x, y in pairs]
    return float(np.mean(errors) + regularization / 2 * weights @ weights)


def pairs_of(training, data):
    return list(zip(*np.divmod(training._pairs, data.n_documents), strict=True))


def test_the_error_is_the_equation_and_the_slopes_are_its():
    data = uneven()
    training = training_of(data)
    training.step()
    pairs, weights = pairs_of(training, data), training._weights
    value, slopes = training.error(weights)
    assert value == pytest.approx(literal_error(data, pairs, weights, 0.1), rel=1e-12)
    expected = slopes_by_differences(lambda at: training.error(at)[0], weights)
    assert slopes == pytest.approx(expected, abs=1e-8)


def test_the_scorer_compares_as_the_network_does():
    data = uneven()
    training = training_of(data)
    training.step()
    weights, (x, y) = training._weights, (0, 1)
    alone = [
        literal_error(data, [pair], weights, 0.0) for pair in ((x, y), (y, x))
    ]  # the error is lower where the network agrees
    found = training.scorer().score(data.features[[x, y]])
    assert (found[0] > found[1]) == (alone[0] < alone[1])


def misplaced_pairs(training, data) -> set[tuple[int, int]]:
    """Whose better document does not win more often, by the network as it stands."""
    wins = training.scorer().score_dataset(data)
    return {
        (i, k)
        for i in range(data.n_documents)
        for k in range(data.n_documents)
        if data.query_of_rows[i] == data.query_of_rows[k]
        and data.labels[i] > data.labels[k]
        and wins[i] <= wins[k]
    }


def test_misplaced_pairs_are_added_and_stay():
    data = planted(6)
    training = training_of(data, pairs_per_query=1000, steps=1)
    expected = misplaced_pairs(training, data)
    training.step()
    assert set(pairs_of(training, data)) == expected
    training.step()
    assert expected <= set(pairs_of(training, data))


def test_a_query_adds_so_many_pairs_and_no_more():
    data = planted(6)
    training = training_of(data, pairs_per_query=3)
    kept: set[tuple[int, int]] = set()
    for _ in range(2):
        misplaced = misplaced_pairs(training, data)
        counts = np.bincount([data.query_of_rows[i] for i, _ in misplaced], minlength=6)
        training.step()
        added = set(pairs_of(training, data)) - kept
        assert added <= misplaced
        drawn = np.bincount([data.query_of_rows[i] for i, _ in added], minlength=6)
        if not kept:
            assert drawn.tolist() == np.minimum(counts, 3).tolist()
            assert counts.max() > 3
        assert drawn.max() <= 3
        assert kept <= set(pairs_of(training, data))
        kept |= added


def test_training_lowers_the_error_of_its_pairs():
    data = planted(8)
    training = training_of(data, steps=1, regularization=0.0)
    training.step()
    before, _ = training.error(training._weights)
    for _ in range(60):
        _, slopes = training.error(training._weights)
        training._weights = training._adam.move(training._weights, slopes)
    assert training.error(training._weights)[0] < before


def test_an_order_that_is_right_adds_nothing():
    data = planted(1, documents=2)
    model = SortNet(rounds=3, steps=40).fit(data)
    assert model.facts["rounds"] == 3
