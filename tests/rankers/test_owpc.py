"""OWPC: sorted hinges literally, slopes by differences, scipy's quadratic program."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.rankers.linear.owpc import ORDERED_WEIGHTS, OWPC, OrderedHinges
from tests.rankers.literal_losses import queries_of, scores_of, slopes_by_differences
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven


def weights_of(kind: str, count: int):
    masses = {
        "harmonic": [1 / t for t in range(1, count + 1)],
        "linear": [count + 1 - t for t in range(1, count + 1)],
        "equal": [1] * count,
        "first": [1] + [0] * (count - 1),
    }[kind]
    return np.array(masses) / sum(masses)


def literal(dataset, kind: str, scores) -> float:
    queries = []
    for rows in queries_of(dataset):
        labels, own = dataset.labels[rows], scores[rows]
        costs = []
        for label, score in zip(labels, own, strict=True):
            lower = own[labels < label]
            if len(lower):
                hinges = sorted(np.maximum(0, 1 - score + lower), reverse=True)
                costs.append(weights_of(kind, len(lower)) @ hinges)
        if costs:
            queries.append(np.mean(costs))
    return float(np.mean(queries))


@pytest.mark.parametrize("kind", ORDERED_WEIGHTS)
@pytest.mark.parametrize("scale", [0.2, 1.0, 3.0])
def test_it_is_the_equation(kind, scale):
    dataset = uneven(1)
    scores = scores_of(dataset, 3, scale)
    value, slopes = OrderedHinges.of(dataset, kind).at(scores)
    assert value == pytest.approx(literal(dataset, kind, scores), rel=1e-12)
    expected = slopes_by_differences(lambda at: literal(dataset, kind, at), scores)
    assert slopes == pytest.approx(expected, abs=1e-8)


def test_equal_scores_cost_what_the_equation_says():
    dataset = uneven(2)
    scores = np.round(scores_of(dataset))
    value, _ = OrderedHinges.of(dataset, "harmonic").at(scores)
    assert value == pytest.approx(literal(dataset, "harmonic", scores), rel=1e-12)


@pytest.mark.parametrize("kind", ["harmonic", "linear"])
def test_the_minimum_is_that_of_a_quadratic_program(kind):
    dataset = made(4, n_queries=2, length=4, n_features=2)
    regularization = 0.2
    model = OWPC(regularization=regularization, weights=kind, gap=1e-9).fit(dataset)
    assert model.facts["objective"] == pytest.approx(
        program(dataset, kind, regularization), abs=1e-6
    )


def program(dataset, kind: str, regularization: float) -> float:
    """The falling weights make a document's cost the highest over all orders of its hinges.

    Each document has a cost c above all of them, each pair a hinge z ≥ 0 above its margin.
    """
    rows = [
        (i, [j for j in range(q.start, q.stop) if dataset.labels[j] < dataset.labels[i]])
        for q in queries_of(dataset)
        for i in range(q.start, q.stop)
    ]
    rows = [(i, lower) for i, lower in rows if lower]
    shares = np.array([literal_share(dataset, i) for i, _ in rows])
    width, pairs = dataset.n_features, [(i, j) for i, lower in rows for j in lower]
    place = {pair: width + len(rows) + number for number, pair in enumerate(pairs)}
    limits = []
    for (i, j), z in place.items():
        row = np.zeros(width + len(rows) + len(pairs))
        row[:width], row[z] = dataset.features[i] - dataset.features[j], 1
        limits.append((row, 1.0))
    for number, (i, lower) in enumerate(rows):
        for order in permutations(lower):
            row = np.zeros(width + len(rows) + len(pairs))
            row[width + number] = 1
            row[[place[i, j] for j in order]] -= weights_of(kind, len(lower))
            limits.append((row, 0.0))
    matrix, least = np.array([row for row, _ in limits]), np.array([low for _, low in limits])
    costs = slice(width, width + len(rows))
    found = minimize(
        lambda v: regularization / 2 * v[:width] @ v[:width] + shares @ v[costs],
        np.concatenate([np.zeros(width), np.full(matrix.shape[1] - width, 2.0)]),
        method="SLSQP",
        bounds=[(None, None)] * width + [(0, None)] * (matrix.shape[1] - width),
        constraints={"type": "ineq", "fun": lambda v: matrix @ v - least, "jac": lambda v: matrix},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert found.success
    return float(found.fun)


def literal_share(dataset, row: int) -> float:
    """1 / (|Q| n_q) of the query of a document."""
    lowest = [dataset.labels[rows].min() for rows in queries_of(dataset)]
    above = [
        int((dataset.labels[rows] > low).sum())
        for rows, low in zip(queries_of(dataset), lowest, strict=True)
    ]
    used = sum(count > 0 for count in above)
    return 1 / (used * above[int(dataset.query_of_rows[row])])
