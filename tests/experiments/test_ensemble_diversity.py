"""The measures of diversity as written, by plain loops over preference pairs."""

from __future__ import annotations

from itertools import combinations
from math import ceil

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.experiments.ensemble_diversity import measure_diversity
from tests.rankers.test_dea_pool import made


def outcomes(dataset: Dataset, weights: np.ndarray) -> list[list[list[bool]]]:
    """Of every query with pairs, of every pair: which members are right."""
    found = []
    for query in dataset.queries():
        scores = query.features @ weights.T
        pairs = [
            [bool(scores[i, member] > scores[j, member]) for member in range(len(weights))]
            for i in range(len(scores))
            for j in range(len(scores))
            if query.labels[i] > query.labels[j]
        ]
        if pairs:
            found.append(pairs)
    return found


def share(queries: list[list[list[bool]]], a: int, b: int, of_a: bool, of_b: bool) -> float:
    return float(
        np.mean([np.mean([(p[a], p[b]) == (of_a, of_b) for p in pairs]) for pairs in queries])
    )


@pytest.mark.parametrize("members", [2, 3, 6])
def test_every_measure_is_that_of_a_plain_loop(members: int) -> None:
    dataset = made(6, seed=members)
    weights = np.random.default_rng(members).random((members, 5))
    queries = outcomes(dataset, weights)
    disagreement, fault, q = [], [], []
    for a, b in combinations(range(members), 2):
        p11, p00 = share(queries, a, b, True, True), share(queries, a, b, False, False)
        p10, p01 = share(queries, a, b, True, False), share(queries, a, b, False, True)
        assert p11 + p10 + p01 + p00 == pytest.approx(1.0)
        disagreement.append(p10 + p01)
        fault.append(p00)
        q.append((p11 * p00 - p10 * p01) / (p11 * p00 + p10 * p01))
    half = members - ceil(members / 2)
    entropy = np.mean(
        [np.mean([min(sum(p), members - sum(p)) / half for p in pairs]) for pairs in queries]
    )
    found = measure_diversity(weights, dataset)
    assert found.members == members
    assert found.right == pytest.approx(
        np.mean([np.mean([np.mean(p) for p in pairs]) for pairs in queries])
    )
    assert found.disagreement == pytest.approx(np.mean(disagreement))
    assert found.double_fault == pytest.approx(np.mean(fault))
    assert found.q == pytest.approx(np.mean(q))
    assert found.entropy == pytest.approx(entropy)


def test_equal_members_agree_and_opposite_ones_never_do() -> None:
    dataset = made(4)
    weights = np.random.default_rng(0).random(5)
    same = measure_diversity(np.array([weights, 3.0 * weights]), dataset)
    assert (same.disagreement, same.entropy) == (pytest.approx(0.0), pytest.approx(0.0))
    assert same.q == pytest.approx(1.0)
    opposite = measure_diversity(np.array([weights, -weights]), dataset)
    # No two documents of these data have equal scores.
    assert opposite.disagreement == pytest.approx(1.0)
    assert opposite.entropy == pytest.approx(1.0)
    assert opposite.double_fault == pytest.approx(0.0)
    assert opposite.q == pytest.approx(-1.0)


def test_a_tie_is_wrong() -> None:
    dataset = Dataset.from_arrays([[1.0, 0.0], [1.0, 1.0]], [1, 0], [1, 1])
    found = measure_diversity(np.array([[1.0, 0.0], [0.0, -1.0]]), dataset)
    assert found.right == pytest.approx(1 / 2)
    assert found.disagreement == pytest.approx(1.0)


def test_one_member_and_no_pairs_have_no_diversity() -> None:
    alone = measure_diversity(np.ones((1, 5)), made(2))
    assert alone.members == 1
    assert alone.right is not None
    assert alone.disagreement is alone.double_fault is alone.q is alone.entropy is None
    flat = Dataset.from_arrays([[1.0], [2.0]], [1, 1], [1, 1])
    assert measure_diversity(np.ones((2, 1)), flat).right is None


def test_queries_without_pairs_and_pairs_of_other_queries_count_nowhere() -> None:
    features, labels = [[1.0], [2.0], [5.0], [4.0]], [1, 0, 1, 1]
    with_flat = Dataset.from_arrays(features, labels, [1, 1, 2, 2])
    alone = Dataset.from_arrays(features[:2], labels[:2], [1, 1])
    weights = np.array([[1.0], [-1.0]])
    assert measure_diversity(weights, with_flat) == measure_diversity(weights, alone)
