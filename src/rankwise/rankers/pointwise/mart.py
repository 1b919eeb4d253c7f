"""MART: boosted regression trees on the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.scorers.trees import Trees
from rankwise.rankers.training.continued import trees_start
from rankwise.rankers.trees.lightgbm_training import Growth, grow_trees
from rankwise.rankers.trees.tree_choices import TreeChoices, settle_tree_choices


@dataclass(frozen=True)
class Mart(Ranker):
    """F_t = F_{t−1} + η v_t, v_t the regression tree of the residuals y_i − F_{t−1}(x_i).

    F_0 is the mean label; least squares over all documents of all queries, as in the paper's
    LS_Boost. Trees are grown best first to `leaves` leaves on binned features (LightGBM) where the
    paper's are exact. Where documents have weights, squares are weighted; `leaf_documents` counts
    documents all the same. Training that starts from other trees has these as F_0. The round is
    chosen by `measure` on validation. Not `lambdamart`, whose trees follow the order within
    queries.

    `l2`, `feature_fraction`, `monotone`, `categorical` and `device` are LightGBM's; see
    `rankwise.rankers.trees.tree_choices`. A document goes left at a category split where its
    category is among those of the split; unseen categories, negative values and NULL go right.
    Where training starts from other trees, `monotone` holds of those that are added.

    Friedman (2001). Greedy function approximation: a gradient boosting machine. Annals of
    Statistics 29(5).
    """

    name: ClassVar[str] = "mart"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Friedman (2001), Annals of Statistics 29(5)"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    takes_start: ClassVar[bool] = True
    handles_null: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True
    random_with: ClassVar[str | None] = "feature_fraction below 1"

    rounds: int = parameter(500, "trees at most; the best round is chosen on validation", lowest=1)
    patience: int = parameter(100, "rounds without a better one before training ends", lowest=1)
    learning_rate: float = parameter(
        0.05, "η, the share of each tree that is added", lowest=1e-6, highest=1.0
    )
    leaves: int = parameter(7, "leaves of a tree at most", grid=(7, 31), lowest=2, highest=131072)
    leaf_documents: int = parameter(20, "documents that a leaf must hold", grid=(20, 100), lowest=1)
    l2: float = parameter(
        0.0, "λ, added to the second derivatives of a leaf: higher is smoother", lowest=0.0
    )
    feature_fraction: float = parameter(
        1.0,
        "share of the features, drawn anew for each tree by the seed, that it may split on",
        lowest=0.001,
        highest=1.0,
    )
    monotone: str = parameter(
        "", "features that may only raise or only lower the score, by name or number: 3:+,price:-"
    )
    categorical: str = parameter(
        "", "features that hold categories, whole numbers from 0, by name or number: brand,7"
    )
    device: str = parameter(
        "cpu", "where trees are grown: cpu, or gpu or cuda where the installed LightGBM can"
    )
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def __post_init__(self) -> None:
        super().__post_init__()
        settle_tree_choices(self)

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Trees, dict[str, Any]]:
        return grow_trees(train, validation, self._growth(None, train, rng), watch)

    def _learn_from(
        self,
        start: Scorer,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Trees, dict[str, Any]]:
        growth = self._growth(trees_start(start, self.name), train, rng)
        return grow_trees(train, validation, growth, watch)

    def _growth(self, start: Trees | None, train: Dataset, rng: np.random.Generator) -> Growth:
        choices = TreeChoices.of(self)
        settings = {
            "objective": "regression",
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.leaf_documents,
        }
        return Growth(
            self.name,
            settings | choices.settings(train.n_features, train.feature_names, rng),
            self.rounds,
            self.patience,
            self.measure,
            self.tool,
            start=start,
            categories=choices.columns(train.n_features, train.feature_names),
        )
