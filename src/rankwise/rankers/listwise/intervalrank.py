"""IntervalRank: boosted trees towards the nearest scores that keep labels apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.interval_projection import IntervalDistance
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family
from rankwise.rankers.trees.lightgbm_training import Gradients
from rankwise.rankers.trees.own_gradient_ranker import OwnGradientRanker


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

    learning_rate: float = parameter(
        0.1, "η, the share of each tree that is added", grid=(0.05, 0.1), lowest=1e-6, highest=1.0
    )
    margin: float = parameter(1.0, "m, how far apart neighbouring labels must be", lowest=1e-6)

    def _gradients(self, train: Dataset) -> Gradients:
        return IntervalDistance.of(train, self.margin).at
