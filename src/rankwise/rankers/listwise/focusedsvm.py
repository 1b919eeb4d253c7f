"""FocusedSVM: SVM-MAP's hinge within the top of a query, RankSVM's between the top and the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.listwise.svm_map import average_precision_hinge
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.cutting_plane import Risk, cutting_plane
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.top_documents import TopDocuments

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FocusedSVM(Ranker):
    """Minimise λ/2 ‖w‖² + β/|Q| Σ_q H_q + (1 − β)/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j)).

    P holds the pairs of one query with i in its top T_q and j outside. H_q is `svm-map`'s hinge on
    the documents of T_q alone, max_π [1 − AP(π) + w · (Ψ(π) − Ψ(π*))], for which those above the
    lowest label of T_q are relevant; Q are the queries whose top has two labels. Both are convex
    and share the cutting planes, so that how near to the minimum training ends is proven.

    The frame is the paper's, made for judgements that order the top k. Which documents are the
    top, and relevant within it, is not: see `rankwise.rankers.training.top_documents`. Not
    `svm-map` and not `ranksvm-struct`, its two halves.

    Niu, Guo, Lan, Cheng (2012). Top-k learning to rank: labeling, ranking and evaluation. SIGIR.
    """

    name: ClassVar[str] = "focusedsvm"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Niu, Guo, Lan and Cheng (2012), SIGIR"
    takes_sparse: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "all that tie for the k-th label are in the top, none of the lowest label",
        "within the top those above its lowest label are relevant",
    )

    focus: float = parameter(
        0.2, "β, what the order within the top weighs", grid=(0.2, 0.5), lowest=0.0, highest=1.0
    )
    top: int = parameter(10, "k, the documents of a query that belong at its top", lowest=1)
    regularization: float = parameter(
        0.01,
        "λ, the weight of ‖w‖²/2 beside the hinges",
        grid=(1e-3, 1e-2, 1e-1),
        lowest=1e-9,
        highest=1e9,
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
        refuse_equal_labels(train, self.name)
        features = RelativeFeatures.of(train, self.scale_large)
        found = cutting_plane(
            features,
            focused_risk(train, self.top, self.focus),
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            search=False,
            watch=watch,
        )
        return Linear(features.plain_weights(found.weights)), found.facts()


def focused_risk(dataset: Dataset, size: int, focus: float) -> Risk:
    """The two hinges with their weights, and a subgradient in the scores."""
    top = TopDocuments.of(dataset, size)
    pairs = PreferencePairs.of(top.against, "focusedsvm")
    inside = None if top.inside is None else _inner_risk(top.inside)

    def risk(scores: Floats) -> tuple[float, Floats]:
        value, slopes = pairs.hinge(scores)
        value, slopes = (1.0 - focus) * value, (1.0 - focus) * slopes
        if inside is not None:
            own, own_slopes = inside(np.ascontiguousarray(scores[top.rows]))
            value += focus * own
            slopes[top.rows] += focus * own_slopes
        return value, slopes

    return risk


def _inner_risk(inside: Dataset) -> Risk | None:
    """The mean structural hinge over the queries whose top has two labels; None without any."""
    starts = inside.query_offsets[:-1]
    lowest = np.minimum.reduceat(inside.labels, starts)
    used = int(np.count_nonzero(np.maximum.reduceat(inside.labels, starts) > lowest))
    if used == 0:
        return None
    relevant = inside.labels > np.repeat(lowest, inside.query_lengths)

    def risk(scores: Floats) -> tuple[float, Floats]:
        hinges, slopes = average_precision_hinge(scores, relevant, inside.query_offsets)
        return float(hinges.sum()) / used, slopes / used

    return risk
