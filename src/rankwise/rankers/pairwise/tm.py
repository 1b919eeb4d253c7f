"""TM: boosted trees under the Thurstone-Mosteller model with ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.tied_preferences import ThurstoneMostellerTies, make_ties
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family
from rankwise.rankers.trees.lightgbm_training import Gradients
from rankwise.rankers.trees.own_gradient_ranker import OwnGradientRanker


@dataclass(frozen=True)
class TM(OwnGradientRanker):
    """Minimise −Σ_q c_q [Σ_{y_i > y_j} log P(i ≻ j) + v Σ_{y_i = y_j} log P(i ~ j)] by trees.

    P(i ≻ j) = Φ(s_i − s_j − ε) and P(i ~ j) = Φ(s_i − s_j + ε) − Φ(s_i − s_j − ε), Φ the normal
    distribution and ε > 0 the room for ties. s is a sum of trees, grown as `OwnGradientRanker`
    says. Guesses as in `bt`: the ties, the weights and the trees. Not `bt`, whose scores have
    logistic noise.

    Zhou, Xue, Zha, Yu (2008). Learning to rank with ties. SIGIR.
    """

    name: ClassVar[str] = "tm"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Zhou, Xue, Zha and Yu (2008), SIGIR"
    guesses: ClassVar[tuple[str, ...]] = (
        "all pairs of equal labels are ties",
        "the weight of ties and of queries",
        "the size of the trees",
    )

    tie_range: float = parameter(
        0.5, "ε, how near scores must be for a tie", grid=(0.3, 0.7), lowest=0.001, highest=20.0
    )
    tie_weight: float = parameter(0.3, "v, what a tie counts beside a preference", lowest=0.0)

    def _gradients(self, train: Dataset) -> Gradients:
        return make_ties(ThurstoneMostellerTies, train, self.tie_range, self.tie_weight).at
