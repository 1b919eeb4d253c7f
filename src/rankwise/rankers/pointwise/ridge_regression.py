"""Ridge Regression: least squares on the labels with a penalty on the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.optimizers.label_regression import regress
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.training.continued import add_weights, linear_start


@dataclass(frozen=True)
class RidgeRegression(Ranker):
    """Minimise 1/n Σ_i (w · x_i + c − y_i)² + λ ‖w‖² over all n documents of all queries.

    Where documents have weights v the mean is Σ_i v_i (w · x_i + c − y_i)² / Σ_i v_i.
    The intercept c is not penalised. `centre_in_query` subtracts the query's mean from features
    and labels first, so that nothing is spent on what no ranking can use. The penalty sees
    features as they are, but for those whose standard deviation (after centring) exceeds 1: they
    count in units of it (`scale_large`), without which λ would not count for a feature of 1e9.
    Training that starts from weights w₀ has the penalty λ ‖w − w₀‖².

    Hoerl and Kennard (1970). Ridge regression: biased estimation for nonorthogonal problems.
    Technometrics 12.
    """

    name: ClassVar[str] = "ridge-regression"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Hoerl and Kennard (1970), Technometrics 12(1)"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    weighs_as_copies: ClassVar[bool] = True
    takes_start: ClassVar[bool] = True

    regularization: float = parameter(
        0.1,
        "λ, the weight of ‖w‖² beside the mean squared error",
        grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0),
        lowest=1e-9,
        highest=1e9,
    )
    centre_in_query: bool = parameter(False, "subtract the query's mean from features and labels")
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
        return self._regress(train, train.labels)

    def _learn_from(
        self,
        start: Scorer,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        begin = linear_start(start, self.name)
        change, facts = self._regress(train, train.labels - begin.score_dataset(train))
        return add_weights(begin, change.weights, change.intercept), facts

    def _regress(
        self, train: Dataset, targets: NDArray[np.float64]
    ) -> tuple[Linear, dict[str, Any]]:
        return regress(
            train,
            targets,
            self.regularization,
            centre_in_query=self.centre_in_query,
            scale_large=self.scale_large,
            weights=train.weights,
        )
