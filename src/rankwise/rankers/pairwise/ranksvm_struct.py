"""RankSVM-Struct: the hinge on pairs with one slack for all of them, as in SVM-rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.cutting_plane import cutting_plane
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.relative_features import RelativeFeatures


@dataclass(frozen=True)
class RankSVMStruct(Ranker):
    """Minimise λ/2 ‖w‖² + ξ over w and ξ ≥ 0, with one constraint for each c ∈ {0, 1}^P:

        Σ_{(i,j) ∈ P} v_ij c_ij w · (x_i − x_j) ≥ Σ_{(i,j) ∈ P} v_ij c_ij − ξ.

    P holds all pairs of documents of one query with y_i > y_j. This is the paper's structural
    formulation of ordinal regression, with pairs within queries only, solved by its cutting plane
    algorithm: the most violated c takes all pairs with w · (x_i − x_j) < 1. Pairs weigh
    v_ij = 1/|P| (`weighting` "pairs", SVM-rank's -l 1), or 1/(|Q| |P_q|) ("queries", its -l 2)
    where Q are the queries with pairs; where queries have weights, these are multiplied by them and
    made to sum to 1 again. SVM-rank's C for |Q| queries is |Q| / (λ |P|) with equal
    weights; its ε is `gap`. The minimum is then that of `ranksvm`, which is solved closer to it.

    Joachims (2006). Training linear SVMs in linear time. KDD 2006.
    """

    name: ClassVar[str] = "ranksvm-struct"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Joachims (2006), KDD"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    weighs_as_copies: ClassVar[bool] = True

    regularization: float = parameter(
        0.01,
        "λ, the weight of ‖w‖²/2 beside the slack",
        grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0),
        lowest=1e-9,
        highest=1e9,
    )
    weighting: str = parameter(
        "pairs",
        "what weighs the same: all pairs, or all queries",
        grid=("pairs",),
        choices=("pairs", "queries"),
    )
    gap: float = parameter(
        1e-3, "training ends this near to the minimum of the objective", lowest=1e-10
    )
    rounds: int = parameter(2000, "cutting planes at most", lowest=1)
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
        pairs = PreferencePairs.of(train, self.name, self.weighting)
        features = RelativeFeatures.of(train, self.scale_large)
        found = cutting_plane(
            features,
            pairs.hinge,
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            search=False,
            watch=watch,
        )
        facts = {**found.facts(), "pairs": pairs.total}
        return Linear(features.plain_weights(found.weights)), facts
