"""ApproxAP: average precision with ranks smoothed by logistic functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.best_step_ranker import ClimbingRanker
from rankwise.rankers.losses.smoothed_ranks import SmoothedPrecision
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class ApproxAP(ClimbingRanker):
    """Maximise 1/|Q| Σ_q 1/|R_q| Σ_{i ∈ R_q} c_i / π_i − λ/2 ‖w‖².

    R_q are the relevant documents of query q, π_i = 1 + Σ_{j ≠ i} σ(α (s_j − s_i)) the smoothed
    rank of document i, σ(x) = 1 / (1 + exp(−x)), s_i = w · x_i, and

        c_i = 1 + Σ_{k ∈ R_q, k ≠ i} σ(β (π_i − π_k))

    the smoothed number of relevant documents at or above i. As α and β grow this becomes MAP.
    Deviations as in `approxndcg`: starts, L-BFGS, the best step on validation. Not `svm-map`,
    which bounds AP from outside.

    Qin, Liu, Li (2010). A general approximation framework for direct optimization of information
    retrieval measures. Information Retrieval 13.
    """

    name: ClassVar[str] = "approxap"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Qin, Liu and Li (2010), Information Retrieval 13(4)"

    steepness: float = parameter(
        10.0, "α, how sharply ranks are smoothed", grid=(10.0, 30.0), lowest=1e-3, highest=1e4
    )
    sharpness: float = parameter(
        1.0, "β, how sharply being above is smoothed", lowest=1e-3, highest=1e4
    )
    relevant_from: float = parameter(1.0, "the lowest label that counts as relevant", lowest=0.0)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> SmoothedPrecision:
        return SmoothedPrecision.of(dataset, self.relevant_from, self.steepness, self.sharpness)
