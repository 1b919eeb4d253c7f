"""FenchelRank: the squared hinge on pairs within a ball of the ℓ1 norm, one feature a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.fenchel_dual import fenchel_dual
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.remarks import kept_facts
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.relative_features import RelativeFeatures


@dataclass(frozen=True)
class FenchelRank(Ranker):
    """Minimise 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))² subject to ‖w‖₁ ≤ r.

    P holds all pairs of documents of one query with y_i > y_j. Every step moves w towards one
    corner of the ball, that of the feature with the steepest slope, so that at most one feature a
    step gets a weight; the length is that of least loss. Fenchel duality proves how near to the
    minimum training ends.

    The paper writes r² / |P| Σ max(0, 1/r − w · (x_i − x_j))² with ‖w‖₁ ≤ 1: the same with w
    counted in r, the same steps and the same bound. Not `sparserank`, which prices ‖w‖₁ instead of
    bounding it.

    Lai, Pan, Liu, Lin, Wu (2013). Sparse learning-to-rank via an efficient primal-dual algorithm.
    IEEE Transactions on Computers 62.
    """

    name: ClassVar[str] = "fenchelrank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Lai, Pan, Liu, Lin and Wu (2013), IEEE Transactions on Computers 62(6)"
    takes_sparse: ClassVar[bool] = True
    sparsity: ClassVar[str | None] = "radius"

    radius: float = parameter(
        8.0,
        "r, the largest ‖w‖₁",
        grid=(0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0),
        lowest=1e-9,
        highest=1e9,
    )
    gap: float = parameter(
        1e-3, "ε, training ends this near to the minimum of the objective", lowest=1e-14
    )
    rounds: int = parameter(300, "T, steps at most", lowest=1)
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
        pairs = PreferencePairs.of(train, self.name)
        features = RelativeFeatures.of(train, self.scale_large)
        found = fenchel_dual(
            features, pairs, self.radius, gap=self.gap, rounds=self.rounds, watch=watch
        )
        facts = {**found.facts(), "pairs": pairs.total, **kept_facts(found.weights)}
        return Linear(features.plain_weights(found.weights)), facts
