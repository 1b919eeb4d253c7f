"""SVM-MAP: a structural support vector machine for average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, UINT8S, function
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.linear.cutting_plane_ranker import CuttingPlaneRanker
from rankwise.rankers.optimizers.cutting_plane import Risk
from rankwise.rankers.parameters import parameter, scale_large, tol
from rankwise.rankers.ranker import Family

_average_precision_hinge = function(
    "rankwise_average_precision_hinge", DOUBLES, UINT8S, INT64S, INT64,
    DOUBLES_OUT, INT64S_OUT, INT64S_OUT, INT64, DOUBLES_OUT, DOUBLES_OUT,
)  # fmt: skip


@dataclass(frozen=True)
class SVMMAP(CuttingPlaneRanker):
    """Minimise ‖w‖² / (2C) + 1/|Q| Σ_q max_π [1 − AP(π) + w · (Ψ_q(π) − Ψ_q(π*))].

    Ψ_q(π) = 1/(|R| |N|) Σ_{i ∈ R} Σ_{j ∈ N} ±(x_i − x_j), + where π puts the relevant i above the
    non-relevant j, and π* is any ranking with all of R above N. This is optimisation problem 1 of
    the paper divided by C, with one slack for all queries together, which has the same minimum.
    The most violated ranking π is found exactly (algorithm 2). Q holds the queries with both
    classes: in others no ranking is better than another. Documents with a label
    of at least `relevant_from` are relevant.

    Yue, Finley, Radlinski, Joachims (2007). A support vector method for optimizing average
    precision. SIGIR 2007.
    """

    name: ClassVar[str] = "svm-map"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Yue, Finley, Radlinski and Joachims (2007), SIGIR"
    takes_sparse: ClassVar[bool] = True

    C: float = parameter(
        10.0,
        "what the mean slack weighs beside ‖w‖²/2",
        grid=(0.1, 1.0, 10.0, 100.0, 1000.0),
        lowest=1e-9,
        highest=1e9,
    )
    relevant_from: float = parameter(1.0, "the lowest label that counts as relevant", lowest=0.0)
    gap: float = tol(1e-4, lowest=1e-10)
    rounds: int = parameter(2000, "cutting planes at most", lowest=1)
    scale_large: bool = scale_large()

    def _problem(self, train: Dataset) -> tuple[float, Risk, dict[str, Any]]:
        risk, used = average_precision_risk(train, self.relevant_from)
        return 1.0 / self.C, risk, {"queries": used}


def average_precision_risk(dataset: Dataset, relevant_from: float) -> tuple[Risk, int]:
    """The mean structural hinge over queries with both classes, and how many those are."""
    relevant = dataset.labels >= relevant_from
    counts = np.add.reduceat(relevant, dataset.query_offsets[:-1], dtype=np.int64)
    used = int(np.count_nonzero((counts > 0) & (counts < dataset.query_lengths)))
    if used == 0:
        raise RankwiseError(
            "svm-map learns from queries with relevant and other documents (labels from "
            f"{relevant_from:g} and below it), found no such query in the training data"
        )

    def risk(scores: Floats) -> tuple[float, Floats]:
        hinges, slopes = average_precision_hinge(scores, relevant, dataset.query_offsets)
        return float(hinges.sum()) / used, slopes / used

    return risk, used


def average_precision_hinge(
    scores: Floats, relevant: NDArray[np.bool_], query_offsets: Integers
) -> tuple[Floats, Floats]:
    """The structural hinge of every query and its subgradient in the scores."""
    queries, longest = len(query_offsets) - 1, int(np.diff(query_offsets).max(initial=0))
    hinges, slopes = np.empty(queries), np.zeros(len(scores))
    keys, rows = np.empty(2 * longest), np.empty(2 * longest, dtype=np.int64)
    _average_precision_hinge(
        scores, relevant.view(np.uint8), query_offsets, queries,
        keys, rows, np.empty(longest, dtype=np.int64), longest, hinges, slopes,
    )  # fmt: skip
    return hinges, slopes
