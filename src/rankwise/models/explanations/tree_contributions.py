"""Shapley values of features in sums of trees, against references, exactly.

The value of a set S of features is the score of a document that has the row's values in S and the
reference's elsewhere. For one leaf that is a game of two kinds of players, solved in closed form:
those that must have the row's value share the leaf, those that must have the reference's pay it,

    φ_j = v (u − 1)! w! / (u + w)!    and    φ_j = −v u! (w − 1)! / (u + w)!

where u features must have the row's value and w the reference's. Lundberg, Erion, Chen, DeGrave,
Prutkin, Nair, Katz, Himmelfarb, Bansal, Lee (2020), From local explanations to global understanding
with explainable AI for trees, Nature Machine Intelligence 2 (interventional TreeSHAP).
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from rankwise.models.exports.tree_form import refuse_deep, refuse_tangled
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, function
from rankwise.rankers.scorers.scorer import matrix_of
from rankwise.rankers.scorers.trees import Trees

Floats = NDArray[np.float64]

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
