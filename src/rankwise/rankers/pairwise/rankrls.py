"""RankRLS: least squares of the differences between documents of one query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.optimizers.label_regression import regress
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.row_weights import weigh_by_pairs


@dataclass(frozen=True)
class RankRLS(Ranker):
    """Minimise 1/|P| Σ_{(i,j) ∈ P} ((y_i − y_j) − w · (x_i − x_j))² + λ ‖w‖².

    P holds all pairs of documents of one query, those of equal labels too. In a query of n_q
    documents the sum over pairs is n_q Σ_i (w · (x_i − x̄) − (y_i − ȳ))², so that the minimum is
    that of least squares on what is left of features and labels without their means in the query:
    (Σ_q n_q X_q' X_q + λ |P| I) w = Σ_q n_q X_q' y_q. No pair is listed.

    Deviation: the paper's sum over pairs is divided by |P|, so that λ means the same on data of
    any size. Only the linear kernel is here. Not `ridge-regression`, whose errors are those of
    documents, and not `listreg`, in which every query counts the same.

    Pahikkala, Tsivtsivadze, Airola, Järvinen, Boberg (2009). An efficient algorithm for learning
    to rank from preference graphs. Machine Learning 75.
    """

    name: ClassVar[str] = "rankrls"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Pahikkala et al. (2009), Machine Learning 75(1)"
    takes_sparse: ClassVar[bool] = True

    regularization: float = parameter(
        0.1,
        "λ, the weight of ‖w‖² beside the mean over pairs",
        grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0),
        lowest=1e-9,
        highest=1e9,
    )
    scale_large: bool = parameter(
        True, "divide features by their spread within queries where it is above 1"
    )

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        return regress(
            train,
            train.labels,
            self.regularization,
            centre_in_query=True,
            scale_large=self.scale_large,
            weights=weigh_by_pairs(train),
        )
