"""IntervalRank: boosted trees towards the nearest scores that keep labels apart.

The loss is the distance to the nearest scores that keep labels apart by a margin. Kruskal (1964).
Nonmetric multidimensional scaling: a numerical method. Psychometrika 29.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family
from rankwise.rankers.trees.lightgbm_training import Gradients, OwnGradientRanker
from rankwise.rankers.trees.tree_parameters import learning_rate


@dataclass(frozen=True)
class IntervalRank(OwnGradientRanker):
    """Minimise Σ_q min_t ½ Σ_i (s_i − t_i)², with t_i ≥ t_j + m (y_i − y_j) wherever y_i > y_j.

    The documents of each label of a query fill an interval, at least the margin m away from those
    of the next label; where it lies and how wide it is follow from the scores. t is an isotonic
    regression, found exactly by pooling adjacent violators, and the loss that it defines has the
    slopes s − t. s is a sum of trees, grown as `OwnGradientRanker` says.

    Isotonic regression with bandwidths that adapt to each label, the loss that it defines
    implicitly and descent along its slopes are the paper's abstract; the margins, that every
    document weighs the same, and the trees are guesses. Not `mart`, whose goals are the labels
    themselves.

    Moon, Smola, Chang, Zheng (2010). IntervalRank: isotonic regression with listwise and pairwise
    constraints. WSDM.
    """

    name: ClassVar[str] = "intervalrank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Moon, Smola, Chang and Zheng (2010), WSDM"
    guesses: ClassVar[tuple[str, ...]] = (
        "margins are all the same",
        "every document weighs the same",
        "the size of the trees",
    )

    learning_rate: float = learning_rate(0.1, grid=(0.05, 0.1))
    margin: float = parameter(1.0, "m, how far apart neighbouring labels must be", lowest=1e-6)

    def _gradients(self, train: Dataset) -> Gradients:
        return IntervalDistance.of(train, self.margin).at


@dataclass(frozen=True, eq=False)
class IntervalDistance:
    """½ Σ_i (s_i − t_i)², t the nearest scores with t_i ≥ t_j + m (y_i − y_j) wherever y_i > y_j.

    Documents of a query and a label fill an interval; those of labels that differ by 1 lie at
    least the margin m apart, where they lie being found with the projection: u = t − m y must not
    fall from one label to the next. Within a label u keeps the order of s, so that sorting by label
    and then by s − m y leaves an isotonic regression, solved by pooling adjacent violators in
    linear time. The slope of the distance is s − t.

    Attributes:
        labels: as in the data set.
        queries: the number of the query of every document.
        margin: m.
    """

    labels: Floats
    queries: Integers
    margin: float

    @classmethod
    def of(cls, dataset: Dataset, margin: float) -> IntervalDistance:
        """The margins of a data set."""
        return cls(dataset.labels, dataset.query_of_rows, margin)

    def value(self, scores: Floats) -> float:
        """The cost."""
        away = scores - self.project(scores)
        return float(0.5 * (away * away).sum())

    def at(self, scores: Floats) -> tuple[Floats, Floats]:
        """The slope of the cost in every score, and 1, the second derivative of a square."""
        return scores - self.project(scores), np.ones(len(scores))

    def project(self, scores: Floats) -> Floats:
        """t of every document."""
        from scipy.optimize import isotonic_regression

        free = scores - self.margin * self.labels
        order = np.lexsort((free, self.labels, self.queries))
        # One regression for all queries: each is lifted above the one before, so that none meet.
        lift = (1.0 + np.ptp(free)) * self.queries[order]
        fitted = isotonic_regression(free[order] + lift).x - lift
        found = np.empty(len(scores))
        found[order] = fitted
        return found + self.margin * self.labels
