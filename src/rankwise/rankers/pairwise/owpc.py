"""OWPC: hinges of pairs weighted by their order, so that the top of the list counts most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.ordered_weighted import ORDERED_WEIGHTS, OrderedHinges
from rankwise.rankers.optimizers.cutting_plane import cutting_plane
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures


@dataclass(frozen=True)
class OWPC(Ranker):
    """Minimise λ/2 ‖w‖² + 1/|Q| Σ_q 1/n_q Σ_i Σ_t a_t h_i(t), h_i(1) ≥ h_i(2) ≥ … sorted hinges.

    The hinges of document i are max(0, 1 − w · (x_i − x_j)) over the N_i documents j of its query
    with lower labels; n_q documents of the query have some. The weights a_t fall, so that mistakes
    near the top cost more: ∝ 1/t (`harmonic`), ∝ N_i + 1 − t (`linear`), 1/N_i (`equal`), or all
    on the largest hinge (`first`). The objective is convex; cutting planes solve it to a proven
    gap, as the paper's SVM for interdependent output spaces does.

    The paper has binary relevance; with grades, as here, every document meets those below it,
    which is a guess, and so is that validation chooses between linear and equal weights. The steep
    ones, harmonic and first, suit cleaner data: on OHSUMED w = 0 minimises their objective. Not
    `ranksvm`, in which all pairs of all queries weigh the same, and not WARP, which samples pairs.

    Usunier, Buffoni, Gallinari (2009). Ranking with ordered weighted pairwise classification. ICML.
    """

    name: ClassVar[str] = "owpc"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Usunier, Buffoni and Gallinari (2009), ICML"
    guesses: ClassVar[tuple[str, ...]] = (
        "graded labels: every document meets those below it",
        "which family of weights",
    )

    regularization: float = parameter(
        0.01,
        "λ, the weight of ‖w‖²/2 beside the mean over queries",
        grid=(1e-3, 1e-2, 1e-1),
        lowest=1e-9,
        highest=1e9,
    )
    weights: str = parameter(
        "linear",
        "how the weights of sorted hinges fall",
        grid=("linear", "equal"),
        choices=ORDERED_WEIGHTS,
    )
    gap: float = parameter(
        1e-4, "training ends this near to the minimum of the objective", lowest=1e-10
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
        refuse_equal_labels(train, self.name)
        features = RelativeFeatures.of(train, self.scale_large)
        found = cutting_plane(
            features,
            OrderedHinges.of(train, self.weights).at,
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            search=True,
            watch=watch,
        )
        return Linear(features.plain_weights(found.weights)), found.facts()
