"""BT: boosted trees under the Bradley-Terry model with ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.tied_preferences import BradleyTerryTies, make_ties
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family
from rankwise.rankers.trees.lightgbm_training import Gradients
from rankwise.rankers.trees.own_gradient_ranker import OwnGradientRanker


@dataclass(frozen=True)
class BT(OwnGradientRanker):
    """Minimise −Σ_q c_q [Σ_{y_i > y_j} log P(i ≻ j) + v Σ_{y_i = y_j} log P(i ~ j)] by trees.

    P(i ≻ j) = e^{s_i} / (e^{s_i} + θ e^{s_j}) and P(i ~ j) = (θ² − 1) e^{s_i + s_j} / ((e^{s_i} +
    θ e^{s_j}) (θ e^{s_i} + e^{s_j})): the model of Rao and Kupper, in which θ > 1 makes room for
    ties. s is a sum of trees, grown as `OwnGradientRanker` says.

    The model and boosting are the paper's. That all pairs of equal labels are ties, their weight
    v, that every document counts the same (c_q = 1 / (n_q − 1)), and the size of the trees are
    guesses; leaves hold Newton steps. Not `tm`, whose scores have normal noise, and not
    `ranknet`, which has no ties.

    Zhou, Xue, Zha, Yu (2008). Learning to rank with ties. SIGIR.
    """

    name: ClassVar[str] = "bt"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Zhou, Xue, Zha and Yu (2008), SIGIR"
    guesses: ClassVar[tuple[str, ...]] = (
        "all pairs of equal labels are ties",
        "the weight of ties and of queries",
        "the size of the trees",
    )

    tie_range: float = parameter(
        2.0, "θ, how near scores must be for a tie", grid=(1.5, 3.0), lowest=1.001, highest=1e6
    )
    tie_weight: float = parameter(0.3, "v, what a tie counts beside a preference", lowest=0.0)

    def _gradients(self, train: Dataset) -> Gradients:
        return make_ties(BradleyTerryTies, train, self.tie_range, self.tie_weight).at
