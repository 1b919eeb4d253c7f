"""What each feature contributes to the score of a document: Shapley values against references.

    Σ_j φ_j(x) = f(x) − mean over references z of f(z)

Against the documents of its own query these are query-centred: what lifts a document above the
others that it is ranked with. A feature that all documents of a query share contributes nothing.

| model | how |
|---|---|
| linear | w_j (x_j − z_j), exactly |
| stumps | a_j(x_j) − a_j(z_j), exactly: each feature has a staircase of its own |
| trees | interventional TreeSHAP, exactly (`tree_contributions.py`) |
| others | by sampled orders of the features: Štrumbelj and Kononenko (2014), Explaining prediction models and individual predictions with feature contributions, Knowledge and Information Systems 41 |
"""  # noqa: E501

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankwise.models.explanations.given_model import refuse_whole_lists
from rankwise.models.explanations.tree_contributions import tree_contributions
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.scorers.stumps import Stumps
from rankwise.rankers.scorers.trees import Trees

Floats = NDArray[np.float64]
FEWEST_ORDERS = 200
"""Orders that are drawn for every row, at least."""


def is_exact(scorer: Scorer) -> bool:
    """Whether the contributions of such a model are computed, not sampled."""
    return isinstance(scorer, Linear | Stumps | Trees)


def contributions(scorer: Scorer, rows: Floats, references: Floats, *, seed: int = 0) -> Floats:
    """(rows, features) φ_j of every row, the mean over the references."""
    if isinstance(scorer, Linear):
        return _linear(scorer, rows, references)
    if isinstance(scorer, Stumps):
        return _stumps(scorer, rows, references)
    if isinstance(scorer, Trees):
        return tree_contributions(scorer, rows, references)
    refuse_whole_lists(scorer, "contributions of features")
    rng = np.random.default_rng(seed)
    return np.array([_sampled(scorer, row, references, rng) for row in rows])


def _linear(scorer: Linear, rows: Floats, references: Floats) -> Floats:
    """Features of weight 0 count nothing even where they are NULL."""
    used = scorer.weights != 0.0
    found = np.zeros(rows.shape)
    centre = references[:, used].mean(axis=0)
    found[:, used] = scorer.weights[used] * (rows[:, used] - centre)
    return found


def _stumps(scorer: Stumps, rows: Floats, references: Floats) -> Floats:
    found = np.zeros(rows.shape)
    for column in np.unique(scorer.columns).tolist():
        own = scorer.columns == column
        alone = replace(
            scorer,
            columns=scorer.columns[own],
            thresholds=scorer.thresholds[own],
            weights=scorer.weights[own],
        )
        found[:, column] = alone.score(rows) - alone.score(references).mean()
    return found


def _sampled(scorer: Scorer, row: Floats, references: Floats, rng: np.random.Generator) -> Floats:
    """Features change from the reference's to the row's value in a random order, and back.

    Each order is used from both ends, and all references equally often, so that the sum is exact.
    """
    width = len(row)
    repeats = -(-FEWEST_ORDERS // (2 * len(references)))
    total = np.zeros(width)
    for _ in range(repeats):
        for reference in references:
            order = rng.permutation(width)
            for one in (order, order[::-1]):
                steps = np.tile(reference, (width + 1, 1))
                for place, column in enumerate(one, 1):
                    steps[place:, column] = row[column]
                total[one] += np.diff(scorer.score(steps))
    return total / (2 * repeats * len(references))
