"""FocusedNet, FocusedBoost, FocusedSVM: the top, both halves of each loss literally, minima."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.rankers.boosting.focused import (
    FocusedBoosting,
    FocusedLoss,
    FocusedNet,
    FocusedSVM,
    TopDocuments,
    focused_risk,
)
from tests.rankers.literal_losses import (
    lowest_objective,
    queries_of,
    scores_of,
    slopes_by_differences,
)
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven

SIZE, FOCUS = 3, 0.3


def tops(dataset: Dataset, size: int = SIZE) -> list[set[int]]:
    """The top of every query, label by label."""
    found = []
    for rows in queries_of(dataset):
        labels = dataset.labels[rows]
        bound = sorted(labels, reverse=True)[min(size, len(labels)) - 1]
        numbers = range(rows.start, rows.stop)
        chosen = (labels >= bound) & (labels > labels.min())
        found.append({row for row, inside in zip(numbers, chosen, strict=True) if inside})
    return found


def against(dataset: Dataset) -> list[tuple[int, int]]:
    """All pairs of one query with the first in the top and the second outside."""
    return [
        (i, j)
        for rows, top in zip(queries_of(dataset), tops(dataset), strict=True)
        for i in top
        for j in set(range(rows.start, rows.stop)) - top
    ]


def literal_net(dataset: Dataset, scores) -> float:
    inside = []
    for top in filter(None, tops(dataset)):
        rows = sorted(top)
        targets = np.exp(dataset.labels[rows]) / np.exp(dataset.labels[rows]).sum()
        chances = np.exp(scores[rows]) / np.exp(scores[rows]).sum()
        inside.append(-(targets * np.log(chances)).sum())
    pairs = [np.log(1 + np.exp(scores[j] - scores[i])) for i, j in against(dataset)]
    return FOCUS * np.mean(inside) + (1 - FOCUS) * np.mean(pairs)


def test_ties_for_the_last_place_are_in_and_the_lowest_label_is_out():
    labels = [2, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0]
    dataset = Dataset.from_arrays(np.zeros((12, 1)), labels, group=[7, 3, 2])
    top = TopDocuments.of(dataset, 2)
    assert top.rows.tolist() == [0, 1, 2, 3]
    assert top.inside is not None and top.inside.labels.tolist() == [2, 1, 1, 1]
    assert top.against.labels.tolist() == [1, 1, 1, 1] + [0] * 8
    assert TopDocuments.of(dataset, 1).rows.tolist() == [0]
    assert TopDocuments.of(dataset.select_queries([1, 2]), 2).inside is None


@pytest.mark.parametrize("seed", range(3))
def test_the_loss_of_focusednet_is_the_equation(seed):
    dataset = uneven(seed)
    scores = scores_of(dataset, seed)
    value, slopes = FocusedLoss.of(dataset, SIZE, FOCUS).at(scores)
    assert value == pytest.approx(literal_net(dataset, scores), rel=1e-12)
    expected = slopes_by_differences(lambda at: literal_net(dataset, at), scores)
    assert slopes == pytest.approx(expected, abs=1e-8)


def test_focusednet_ends_at_the_minimum_of_scipy():
    dataset = made(1)
    model = FocusedNet(regularization=0.05, top=SIZE, focus=FOCUS).fit(dataset)
    expected = lowest_objective(dataset, lambda at: literal_net(dataset, at), 0.05)
    assert model.facts["objective"] == pytest.approx(expected, abs=1e-6)


@cache
def literal_average_precision_hinge(labels: tuple[float, ...], scores: tuple[float, ...]) -> float:
    """max over all rankings of 1 − AP(π) + Σ over pairs put wrong, by trying all of them."""
    relevant = np.array(labels) > min(labels)
    good, bad = np.flatnonzero(relevant), np.flatnonzero(~relevant)
    highest = 0.0
    for order in permutations(range(len(labels))):
        place = {document: rank for rank, document in enumerate(order, 1)}
        hits = sorted(place[document] for document in good)
        precision = np.mean([number / rank for number, rank in enumerate(hits, 1)])
        wrong = sum(scores[j] - scores[i] for i in good for j in bad if place[j] < place[i])
        highest = max(highest, 1 - precision + 2 * wrong / (len(good) * len(bad)))
    return highest


def literal_svm(dataset: Dataset, scores) -> float:
    found = [sorted(top) for top in tops(dataset) if len({dataset.labels[row] for row in top}) > 1]
    inside = [
        literal_average_precision_hinge(tuple(dataset.labels[rows]), tuple(scores[rows]))
        for rows in found
    ]
    pairs = [max(0.0, 1 - scores[i] + scores[j]) for i, j in against(dataset)]
    return FOCUS * np.mean(inside) + (1 - FOCUS) * np.mean(pairs)


def test_the_risk_of_focusedsvm_is_the_equation():
    dataset = made(3, n_queries=5)
    for seed in range(3):
        scores = scores_of(dataset, seed)
        value, slopes = focused_risk(dataset, SIZE, FOCUS)(scores)
        assert value == pytest.approx(literal_svm(dataset, scores), rel=1e-12)
        expected = slopes_by_differences(lambda at: literal_svm(dataset, at), scores)
        assert slopes == pytest.approx(expected, abs=1e-8)


def test_without_focus_focusedsvm_is_ranksvm_on_the_top():
    dataset = made(2)
    model = FocusedSVM(focus=0.0, top=SIZE, gap=1e-7, regularization=0.1).fit(dataset)

    def hinge(scores) -> float:
        return float(np.mean([max(0, 1 - scores[i] + scores[j]) for i, j in against(dataset)]))

    weights = model.scorer.importance()
    found = 0.05 * weights @ weights + hinge(dataset.features @ weights)
    assert found == pytest.approx(model.facts["objective"], abs=1e-7)
    for move in 0.01 * np.eye(dataset.n_features):
        for other in (weights + move, weights - move):
            assert 0.05 * other @ other + hinge(dataset.features @ other) > found


def ndcg(labels, scores) -> float:
    """With all orders of ties averaged."""
    gains, discounts = 2.0**labels - 1, 1 / np.log2(np.arange(2, 2 + len(labels)))
    order = np.argsort(-scores, kind="stable")
    by_rank = np.array([gains[scores == scores[document]].mean() for document in order])
    ideal = np.sort(gains)[::-1]
    return (by_rank[:SIZE] @ discounts[:SIZE]) / (ideal[:SIZE] @ discounts[:SIZE])


@pytest.mark.parametrize("focus", [0.0, 0.3, 0.8])
def test_two_rounds_of_focusedboost_are_the_equations(focus):
    dataset = made(4)
    training = FocusedBoosting(dataset, SIZE, focus)
    low, high = dataset.features.min(axis=0), dataset.features.max(axis=0)
    scaled = (dataset.features - low) / (high - low)
    weak = np.vstack([scaled.T, 1 - scaled.T])
    told = [sorted(top) for top in tops(dataset) if len({dataset.labels[row] for row in top}) > 1]
    pairs = np.array(against(dataset))
    scores, weights = np.zeros(dataset.n_documents), np.zeros(4)
    for _ in range(2):
        queries = np.exp([-ndcg(dataset.labels[rows], scores[rows]) for rows in told])
        queries /= queries.sum()
        exponentials = np.exp(scores[pairs[:, 1]] - scores[pairs[:, 0]])
        shares = exponentials / exponentials.sum()
        edges = [
            focus
            * sum(
                p * (2 * ndcg(dataset.labels[rows], h[rows]) - 1)
                for p, rows in zip(queries, told, strict=True)
            )
            + (1 - focus) * (shares @ (h[pairs[:, 0]] - h[pairs[:, 1]]))
            for h in weak
        ]
        chosen = int(np.argmax(edges))
        alpha = 0.5 * np.log((1 + edges[chosen]) / (1 - edges[chosen]))
        scores = scores + alpha * weak[chosen]
        weights[chosen % 4] += (1 if chosen < 4 else -1) * alpha / (high - low)[chosen % 4]
        assert training.step() == pytest.approx(exponentials.mean(), rel=1e-9)
        assert training.scorer().importance() == pytest.approx(weights, rel=1e-9)
