"""RankELM (pairwise): least squares of the differences between documents over random nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.data.dataset import Dataset
from rankwise.rankers.optimizers.least_squares import LeastSquares
from rankwise.rankers.ranker import Family
from rankwise.rankers.regression.random_layer_ranker import RandomLayerRanker
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.row_weights import weigh_by_pairs


@dataclass(frozen=True)
class RankELMPairwise(RandomLayerRanker):
    """Minimise 1/|P| Σ_{(i,j) ∈ P} ((y_i − y_j) − β · (h(x_i) − h(x_j)))² + λ ‖β‖².

    P holds all pairs of documents of one query, whose Laplacian is the paper's L: β = (H' L H +
    I / C)⁻¹ H' L y. h is a hidden layer with weights drawn at random (an extreme learning
    machine), of linear nodes as the paper proposes for ranking; with these f is `rankrls` whose
    penalty the drawn weights turn a little.

    Deviations: nodes are scaled by √(3 / L), and the sum over pairs is divided by |P|, so that λ
    means the same for any number of nodes and pairs. Not `rankelm-pointwise`, whose errors are
    those of documents.

    Zong, Huang (2014). Learning to rank with extreme learning machine. Neural Processing Letters
    39.
    """

    name: ClassVar[str] = "rankelm-pairwise"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Zong and Huang (2014), Neural Processing Letters 39(2)"

    def _squares(self, hidden: Dataset) -> LeastSquares:
        refuse_equal_labels(hidden, self.name)
        return LeastSquares.of(
            hidden,
            hidden.labels,
            centre_in_query=True,
            scale_large=False,
            weights=weigh_by_pairs(hidden),
        )
