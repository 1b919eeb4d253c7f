"""RankNet: the logistic loss of pairs, by a network or a linear function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.best_step_ranker import BestStepRanker
from rankwise.rankers.losses.logistic_pairs import LogisticPairs
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class RankNet(BestStepRanker):
    """Minimise 1/|P| Σ_{(i,j) ∈ P} log(1 + exp(s_j − s_i)) with early stopping on validation.

    P holds all pairs of documents of one query with y_i > y_j, for which the paper's target
    probability is 1; pairs of equal labels, whose target would be 1/2, are left out, as in the
    paper's experiments. s is a network of one to three hidden layers, or w · x.

    Deviations: Adam over whole batches of queries in place of steps pair by pair, which gives the
    same slopes at less cost; a linear function is trained by L-BFGS, and its best step chosen on
    validation just as a network's best round. λ/2 ‖w‖² is added to the loss.

    Burges, Shaked, Renshaw, Lazier, Deeds, Hamilton, Hullender (2005). Learning to rank using
    gradient descent. ICML.
    """

    name: ClassVar[str] = "ranknet"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Burges et al. (2005), ICML"
    takes_start: ClassVar[bool] = True

    regularization: float = parameter(
        1e-3,
        "λ, the weight of ‖w‖²/2 beside the mean over pairs",
        grid=(1e-3, 1e-2),
        lowest=1e-9,
    )
    hidden_layers: str = parameter(
        "none",
        "widths of one to three hidden layers, such as 10 or 32-16; none: linear",
        grid=("none", "10"),
    )
    rounds: int = parameter(300, "rounds (steps, or passes over the data) at most", lowest=1)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> LogisticPairs:
        return LogisticPairs.of(dataset)
