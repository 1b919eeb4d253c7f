"""Random Forest: the average of regression trees on the labels, each of a random sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.trees import Trees
from rankwise.rankers.trees.lightgbm_training import Growth, grow_trees


@dataclass(frozen=True)
class RandomForest(Ranker):
    """F(x) = Σ_t v_t(x) / T, v_t a least squares regression tree of a sample of the documents.

    Every split chooses among a random share of the features. Deviations, LightGBM's: a sample is
    drawn without replacement (63.2 % of the documents, as many as a bootstrap sample has distinct
    ones); trees are grown best first up to `leaves` leaves rather than fully; features are binned.
    Where documents have weights, squares are weighted, not the chances to be drawn. More trees
    never overfit, so validation chooses nothing here.

    Breiman (2001). Random forests. Machine Learning 45.
    """

    name: ClassVar[str] = "random-forest"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Breiman (2001), Machine Learning 45"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    handles_null: ClassVar[bool] = True
    random: ClassVar[bool] = True

    trees: int = parameter(300, "T, how many trees are averaged", lowest=1)
    leaves: int = parameter(
        255, "leaves of a tree at most", grid=(31, 255), lowest=2, highest=131072
    )
    leaf_documents: int = parameter(5, "documents that a leaf must hold", grid=(5, 20), lowest=1)
    document_share: float = parameter(
        0.632, "share of the documents that a tree sees", lowest=0.001, highest=0.999
    )
    feature_share: float = parameter(
        0.33, "share of the features that a split chooses among", lowest=0.001, highest=1.0
    )

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Trees, dict[str, Any]]:
        settings = {
            "objective": "regression",
            "boosting": "rf",
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.leaf_documents,
            "bagging_freq": 1,
            "bagging_fraction": self.document_share,
            "feature_fraction_bynode": self.feature_share,
            "seed": int(rng.integers(2**31)),
        }
        return grow_trees(train, None, Growth(self.name, settings, self.trees), watch)
