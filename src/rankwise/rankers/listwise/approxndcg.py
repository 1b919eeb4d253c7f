"""ApproxNDCG: NDCG with ranks smoothed by logistic functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.best_step_ranker import ClimbingRanker
from rankwise.rankers.losses.smoothed_ranks import SmoothedGain
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class ApproxNDCG(ClimbingRanker):
    """Maximise 1/|Q| Σ_q Σ_i (2^y_i − 1) / log2(1 + π_i) / ideal_q − λ/2 ‖w‖².

    π_i = 1 + Σ_{j ≠ i} σ(α (s_j − s_i)), σ(x) = 1 / (1 + exp(−x)), is the rank of document i
    smoothed, s_i = w · x_i. As α grows the sum becomes NDCG over all ranks.

    Deviations: the paper climbs by gradient steps of a falling rate from random starts; here
    L-BFGS starts at the minima of convex losses (see `ClimbingRanker`), and the best step is
    chosen on validation. The discount is the paper's, log2(1 + rank), whichever tool judges. Not
    `smoothrank`, which smooths who holds a rank rather than the rank that a document has, and not
    `softrank`, whose ranks are random.

    Qin, Liu, Li (2010). A general approximation framework for direct optimization of information
    retrieval measures. Information Retrieval 13.
    """

    name: ClassVar[str] = "approxndcg"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Qin, Liu and Li (2010), Information Retrieval 13(4)"

    steepness: float = parameter(
        10.0, "α, how sharply ranks are smoothed", grid=(3.0, 10.0, 30.0), lowest=1e-3, highest=1e4
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> SmoothedGain:
        return SmoothedGain.of(dataset, self.steepness)
