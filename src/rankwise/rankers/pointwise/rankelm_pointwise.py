"""RankELM (pointwise): least squares on the labels over random nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.data.dataset import Dataset
from rankwise.rankers.optimizers.least_squares import LeastSquares
from rankwise.rankers.ranker import Family
from rankwise.rankers.regression.random_layer_ranker import RandomLayerRanker


@dataclass(frozen=True)
class RankELMPointwise(RandomLayerRanker):
    """Minimise 1/n Σ_i (β · h(x_i) + c − y_i)² + λ ‖β‖² over all n documents of all queries.

    h is a hidden layer with weights drawn at random (an extreme learning machine), of linear nodes
    as the paper proposes for ranking; with these f is ridge regression whose penalty the drawn
    weights turn a little.

    Deviations: the intercept c is not penalised; nodes are scaled by √(3 / L), and 1/C of the paper
    is λ n, so that λ means the same for any number of nodes and documents. Not
    `ridge-regression`, which has no nodes, and not `rankelm-pairwise`.

    Zong, Huang (2014). Learning to rank with extreme learning machine. Neural Processing Letters
    39.
    """

    name: ClassVar[str] = "rankelm-pointwise"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Zong and Huang (2014), Neural Processing Letters 39(2)"

    def _squares(self, hidden: Dataset) -> LeastSquares:
        return LeastSquares.of(hidden, hidden.labels, centre_in_query=False, scale_large=False)
