"""Propensity-weighted RankSVM: clicked documents against all others, by their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.optimizers.lbfgs import quasi_newton
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.training.relative_features import RelativeFeatures

Floats = NDArray[np.float64]

_weighted_hinge = function(
    "rankwise_weighted_hinge", *(DOUBLES, DOUBLES, INT64S, INT64, DOUBLES_OUT), returns=DOUBLE
)


@dataclass(frozen=True)
class PropensityRankSVM(Ranker):
    """Minimise λ/2 ‖w‖² + 1/U Σ_q Σ_i u_i Σ_{j ≠ i} max(0, 1 − w · (x_i − x_j))².

    The labels are u_i, the weights that clicks gave to document i: Σ click / θ_position, made by
    `rankwise clicks convert`. U = Σ_q (n_q − 1) Σ_i u_i, so that all pairs weigh 1. The inner sum
    bounds the rank of document i from above, so that the weighted sum of ranks is estimated without
    bias (equation 6 of the paper).

    Deviations: the hinge is squared, as in `ranksvm-primal`, so that L-BFGS finds the one minimum.
    With labels that are judgements it learns from them as they are; with clicks that nobody divided
    by propensities it is the naive RankSVM of the paper's figures.

    Joachims, Swaminathan, Schnabel (2017). Unbiased learning-to-rank with biased feedback. WSDM.
    """

    name: ClassVar[str] = "rankwise.feedback:PropensityRankSVM"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Joachims, Swaminathan and Schnabel (2017), WSDM"
    takes_sparse: ClassVar[bool] = True

    regularization: float = parameter(
        1e-2,
        "λ, the weight of ‖w‖²/2 beside the mean over pairs",
        grid=(1e-4, 1e-3, 1e-2, 1e-1),
        lowest=1e-9,
    )
    gap: float = parameter(1e-6, "training ends this near to the minimum", lowest=1e-14)
    rounds: int = parameter(500, "steps at most", lowest=1)
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
        features = RelativeFeatures.of(train, self.scale_large)
        loss = WeightedHinge.of(train, self.name)
        found = quasi_newton(
            loss, features, self.regularization, gap=self.gap, rounds=self.rounds, watch=watch
        )
        return Linear(features.plain_weights(found.weights)), found.facts()


@dataclass(frozen=True, eq=False)
class WeightedHinge:
    """Σ_q Σ_i v_i Σ_{j ≠ i} max(0, 1 − s_i + s_j)² as a loss of the scores."""

    weights: Floats
    query_offsets: NDArray[np.int64]

    @classmethod
    def of(cls, dataset: Dataset, ranker: str) -> WeightedHinge:
        """v_i = u_i / U from labels u_i."""
        refuse_weights(dataset, ranker)
        others = np.repeat(dataset.query_lengths - 1, dataset.query_lengths)
        total = float((others * dataset.labels).sum())
        if total <= 0.0:
            raise RankwiseError(
                f"{ranker} learns from weighted documents beside others, found none"
            )
        return cls(dataset.labels / total, np.ascontiguousarray(dataset.query_offsets))

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        slopes = np.empty(len(scores))
        queries = len(self.query_offsets) - 1
        held = np.ascontiguousarray(scores)
        cost = _weighted_hinge(held, self.weights, self.query_offsets, queries, slopes)
        return float(cost), slopes


def refuse_weights(dataset: Dataset, ranker: str) -> None:
    """Weights made of clicks are at least 0, and some are above."""
    lowest, highest = dataset.labels.min(initial=0.0), dataset.labels.max(initial=0.0)
    if lowest < 0.0 or highest <= 0.0:
        raise RankwiseError(
            f"{ranker} takes labels that are weights of clicks, at least 0 and some above, found "
            f"{lowest:g} to {highest:g}; make them by 'rankwise clicks convert'"
        )
