"""Shapley values say what each feature contributes to the score of a document, against references.

    Σ_j φ_j(x) = f(x) − mean over references z of f(z)

Against the documents of its own query these are query-centred: what lifts a document above the
others that it is ranked with. A feature that all documents of a query share contributes nothing.

| model | how |
|---|---|
| linear | w_j (x_j − z_j), exactly |
| stumps | a_j(x_j) − a_j(z_j), exactly: each feature has a staircase of its own |
| trees | interventional TreeSHAP, exactly |
| others | by sampled orders of the features |

Štrumbelj and Kononenko (2014), Explaining prediction models and individual predictions with feature
contributions, Knowledge and Information Systems 41 (sampled orders).

In sums of trees the value of a set S of features is the score of a document that has the row's
values in S and the reference's elsewhere. For one leaf that is a game of two kinds of players,
solved in closed form: those that must have the row's value share the leaf, those that must have the
reference's pay it,

    φ_j = v (u − 1)! w! / (u + w)!    and    φ_j = −v u! (w − 1)! / (u + w)!

where u features must have the row's value and w the reference's. Lundberg, Erion, Chen, DeGrave,
Prutkin, Nair, Katz, Himmelfarb, Bansal, Lee (2020), From local explanations to global understanding
with explainable AI for trees, Nature Machine Intelligence 2 (interventional TreeSHAP).
"""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from rankwise.models.formats.tree_nodes import refuse_deep, refuse_tangled
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.scorer import Scorer, matrix_of
from rankwise.models.scorers.stumps import Stumps
from rankwise.models.scorers.trees import Trees
from rankwise.models.scoring import refuse_whole_lists
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, function

Floats = NDArray[np.float64]
FEWEST_ORDERS = 200
"""Orders that are drawn for every row, at least."""


def is_exact(scorer: Scorer) -> bool:
    """Whether the contributions of such a model are computed, not sampled."""
    return isinstance(scorer, Linear | Stumps | Trees)


def contributions(scorer: Scorer, rows: Floats, references: Floats, *, seed: int = 0) -> Floats:
    """(rows, features) φ_j of every row, the mean over the references."""
    if isinstance(scorer, Linear):
        return _linear_contributions(scorer, rows, references)
    if isinstance(scorer, Stumps):
        return _stumps_contributions(scorer, rows, references)
    if isinstance(scorer, Trees):
        return tree_contributions(scorer, rows, references)
    refuse_whole_lists(scorer, "contributions of features")
    rng = np.random.default_rng(seed)
    return np.array([_sampled_contributions(scorer, row, references, rng) for row in rows])


def _linear_contributions(scorer: Linear, rows: Floats, references: Floats) -> Floats:
    """Features of weight 0 count nothing even where they are NULL."""
    used = scorer.weights != 0.0
    found = np.zeros(rows.shape)
    centre = references[:, used].mean(axis=0)
    found[:, used] = scorer.weights[used] * (rows[:, used] - centre)
    return found


def _stumps_contributions(scorer: Stumps, rows: Floats, references: Floats) -> Floats:
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


def _sampled_contributions(
    scorer: Scorer, row: Floats, references: Floats, rng: np.random.Generator
) -> Floats:
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


_contributions = function(
    "rankwise_tree_contributions",
    *(INT64S, DOUBLES, INT64S, INT64S, INT64S, INT64S, DOUBLES, INT64S, INT64, DOUBLES, INT64),
    *(DOUBLES, INT64, DOUBLES, INT64, INT64, INT64S_OUT, INT64S_OUT, INT64S_OUT, DOUBLES_OUT),
)


def tree_contributions(trees: Trees, rows: Floats, references: Floats) -> Floats:
    """(rows, features) the mean over the references of φ_j; they add up to the difference."""
    rows, references = (_narrowed(one, trees.width) for one in (rows, references))
    # Scoring refuses arrays that could not be walked through.
    trees.score(references)
    refuse_tangled(trees)
    trees = trees.threshold_form
    deepest = max(1, refuse_deep(trees))
    total = np.zeros((len(rows), trees.width))
    _contributions(
        trees.columns, trees.thresholds, trees.missing, trees.missing_left, trees.left,
        trees.right, trees.values, trees.roots, trees.n_trees, _shares(deepest), deepest,
        rows, len(rows), references, len(references), trees.width,
        np.zeros(trees.width, np.int64), np.zeros(deepest, np.int64), np.zeros(deepest, np.int64),
        total,
    )  # fmt: skip
    return total / (len(references) * trees.divisor)


def _narrowed(rows: Floats, width: int) -> Floats:
    return np.ascontiguousarray(matrix_of(rows, width)[:, :width])


def _shares(deepest: int) -> Floats:
    """u! w! / (u + w + 1)! for all u and w up to `deepest`."""
    counts = range(deepest + 1)
    return np.array([[1.0 / ((u + w + 1) * comb(u + w, u)) for w in counts] for u in counts])
