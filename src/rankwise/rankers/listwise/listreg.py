"""ListReg: least squares on the labels in which every query counts the same."""

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
from rankwise.rankers.training.row_weights import weigh_queries_equally


@dataclass(frozen=True)
class ListReg(Ranker):
    """Minimise 1/|Q| Σ_q 1/n_q Σ_{i ∈ q} (w · x_i − y_i)² + λ ‖w‖².

    n_q is the number of documents of q. Features and labels are counted from their means in the
    query; without `centre_in_query` there is an intercept instead, which is not penalised.

    A regression loss taken query by query is the paper's, a poster of two pages. That a query is
    normalised by its length, the means in the query, and a linear function in closed form, where
    the paper descends on a small network, are guesses. Not `ridge-regression`, in which every
    document counts the same, and not `rankrls`, in which every pair does.

    Wu, Yang, Lin, Lin, Ye, Xu (2011). Learning to rank using query-level regression. SIGIR.
    """

    name: ClassVar[str] = "listreg"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Wu, Yang, Lin, Lin, Ye and Xu (2011), SIGIR"
    takes_sparse: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "queries are normalised by their length",
        "labels and features are counted from their means in the query",
        "a linear function in closed form",
    )

    regularization: float = parameter(
        0.1,
        "λ, the weight of ‖w‖² beside the mean over queries",
        grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0),
        lowest=1e-9,
        highest=1e9,
    )
    centre_in_query: bool = parameter(True, "subtract the query's mean from features and labels")
    scale_large: bool = parameter(
        True, "divide features by their standard deviation where it is above 1"
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
            centre_in_query=self.centre_in_query,
            scale_large=self.scale_large,
            weights=weigh_queries_equally(train),
        )
