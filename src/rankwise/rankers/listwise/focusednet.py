"""FocusedNet: ListNet within the top of a query, RankNet between the top and the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.best_step_ranker import BestStepRanker
from rankwise.rankers.losses.focused import FocusedLoss
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class FocusedNet(BestStepRanker):
    """Minimise β L_list + (1 − β) L_pair with early stopping on validation.

        L_list = −1/|Q| Σ_q Σ_{i ∈ T_q} t_i log(exp(s_i) / Σ_{k ∈ T_q} exp(s_k)),
        L_pair = 1/|P| Σ_{(i,j) ∈ P} log(1 + exp(s_j − s_i)).

    T_q is the top of query q, t_i = exp(y_i) / Σ_{k ∈ T_q} exp(y_k), Q the queries with a top, and
    P holds the pairs of one query with i in the top and j outside. s is a network of one to three
    hidden layers, or w · x; λ/2 ‖w‖² is added.

    The frame, an order within the top k and nothing but membership beyond, is the paper's, made
    for judgements that are such an order. Graded labels have ties: the top is every document whose
    label is at least that of the k-th, except those of the lowest label of the query
    (`rankwise.rankers.training.top_documents`). Not `listnet` and not `ranknet`, its two halves.

    Niu, Guo, Lan, Cheng (2012). Top-k learning to rank: labeling, ranking and evaluation. SIGIR.
    """

    name: ClassVar[str] = "focusednet"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Niu, Guo, Lan and Cheng (2012), SIGIR"
    guesses: ClassVar[tuple[str, ...]] = (
        "all that tie for the k-th label are in the top, none of the lowest label",
        "every query weighs the same inside, every pair against",
    )

    focus: float = parameter(
        0.5,
        "β, what the order within the top weighs",
        grid=(0.2, 0.5, 0.8),
        lowest=0.0,
        highest=1.0,
    )
    top: int = parameter(10, "k, the documents of a query that belong at its top", lowest=1)
    regularization: float = parameter(1e-3, "λ, the weight of ‖w‖²/2 beside the loss", lowest=1e-9)
    hidden_layers: str = parameter(
        "none",
        "widths of one to three hidden layers, such as 10 or 32-16; none: linear",
        grid=("none", "10"),
    )
    rounds: int = parameter(300, "rounds (steps, or passes over the data) at most", lowest=1)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> FocusedLoss:
        return FocusedLoss.of(dataset, self.top, self.focus)
