"""ListMLE: the likelihood of the order of the labels under the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.gradient_ranker import GradientRanker
from rankwise.rankers.losses.listwise import OrderLikelihood
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class ListMLE(GradientRanker):
    """Minimise λ/2 ‖w‖² − 1/|Q| Σ_q 1/n_q Σ_i log(exp(s_o(i)) / Σ_{k ≥ i} exp(s_o(k))).

    o is the order of the n_q documents of query q by falling label, s_i = w · x_i.

    Deviations: labels of a few levels leave most of the order open, and the order of the file
    would be taught in its place; equal labels are put in an order at random, `draws` times, and
    the mean over these orders is what is minimised. The logarithm of the likelihood is divided by
    n_q, so that λ means the same for lists of any length. The paper descends query by query; the
    objective is convex, so that L-BFGS goes to its one minimum. Not `listnet`, which only models
    who is first.

    Xia, Liu, Wang, Zhang, Li (2008). Listwise approach to learning to rank: theory and algorithm.
    ICML.
    """

    name: ClassVar[str] = "listmle"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Xia, Liu, Wang, Zhang and Li (2008), ICML"
    takes_start: ClassVar[bool] = True

    regularization: float = parameter(
        1e-2,
        "λ, the weight of ‖w‖²/2 beside the mean over queries and documents",
        grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0),
        lowest=1e-9,
    )
    draws: int = parameter(
        10, "random orders of equal labels whose mean likelihood is taken", lowest=1, highest=1000
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> OrderLikelihood:
        return OrderLikelihood.of(dataset, self.draws, rng)
