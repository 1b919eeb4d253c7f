"""BagBoo: short boosting on samples of the queries, averaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch, never_stop
from rankwise.rankers.scorers.trees import Trees
from rankwise.rankers.trees.lightgbm_training import Growth, grow_trees
from rankwise.rankers.trees.query_bagging import grow_bags


@dataclass(frozen=True)
class BagBoo(Ranker):
    """f(x) = 1/B Σ_b F_b(x), F_b a few boosted regression trees of queries drawn with replacement.

    F_b starts at the mean label of its sample and adds `boosts` trees of the residuals, least
    squares, each seeing a share of the features. Bagging brings stability where boosting brings
    fit; nothing is stopped early, and validation chooses nothing here. Where documents have
    weights, squares are weighted, not the chances of queries to be drawn.

    The frame is the paper's; sizes, and that features are sampled for each tree, are guesses. Not
    `random-forest`, whose bags are single trees, and not `bl-mart`, whose trees follow lambdas.

    Pavlov, Gorodilov, Brunk (2010). BagBoo: a scalable hybrid bagging-the-boosting model. CIKM.
    """

    name: ClassVar[str] = "bagboo"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Pavlov, Gorodilov and Brunk (2010), CIKM"
    handles_null: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("the sizes of bags and trees",)

    bags: int = parameter(50, "B, how many models are averaged", lowest=1, highest=10000)
    boosts: int = parameter(20, "trees of a model", grid=(10, 30), lowest=1)
    learning_rate: float = parameter(
        0.1, "η, the share of each tree that is added", lowest=1e-6, highest=1.0
    )
    leaves: int = parameter(15, "leaves of a tree at most", grid=(7, 31), lowest=2, highest=131072)
    leaf_documents: int = parameter(20, "documents that a leaf must hold", lowest=1)
    feature_share: float = parameter(
        0.5, "share of the features that a tree sees", lowest=0.001, highest=1.0
    )

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Trees, dict[str, Any]]:
        def grow(sample: Dataset, left: Dataset | None, seed: int) -> Trees:
            settings = {
                "objective": "regression",
                "learning_rate": self.learning_rate,
                "num_leaves": self.leaves,
                "min_data_in_leaf": self.leaf_documents,
                "feature_fraction": self.feature_share,
                "seed": seed,
            }
            return grow_trees(sample, None, Growth(self.name, settings, self.boosts), never_stop)[0]

        return grow_bags(train, self.bags, grow, rng, watch)
