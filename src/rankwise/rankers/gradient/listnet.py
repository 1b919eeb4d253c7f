"""ListNet and ListMLE minimise a loss of the whole list of a query.

ListNet's is the cross entropy between the top-one chances that labels and scores give, ListMLE's
the likelihood of the order of the labels under the scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.gradient_ranker import GradientRanker
from rankwise.rankers.losses.listwise import TARGETS, OrderLikelihood, TopOneCrossEntropy
from rankwise.rankers.parameters import parameter, regularization
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class ListNet(GradientRanker):
    """Minimise λ/2 ‖w‖² − 1/|Q| Σ_q Σ_i t_i log(exp(s_i) / Σ_k exp(s_k)), s_i = w · x_i.

    t_i is the chance of document i to be first, φ(y_i) / Σ_k φ(y_k), where φ maps labels to real
    values: exp(y), or with `target` "share" y, with "gain" 2^y − 1, where queries without a
    relevant document are left out of Q. The sums run over the documents of one query. The paper
    takes exp(y); LETOR 3.0 chose the mapping on validation data without saying among which, and
    so does tuning here, among these three.

    Deviations: the paper descends a single layer's gradient query by query until a chosen number
    of iterations; the objective is convex, so that here L-BFGS goes to its one minimum and λ, not
    the number of iterations, is what validation chooses. Hidden layers are an option of ours.
    Not `listmle`, which models the whole order.

    Cao, Qin, Liu, Tsai, Li (2007). Learning to rank: from pairwise approach to listwise approach.
    ICML.
    """

    name: ClassVar[str] = "listnet"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Cao, Qin, Liu, Tsai and Li (2007), ICML"
    takes_start: ClassVar[bool] = True

    regularization: float = regularization(
        1e-2, "the mean over queries", grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0), highest=None
    )
    target: str = parameter(
        "softmax",
        "what labels become, φ(y) / Σ φ(y): softmax exp(y), share y, gain 2^y − 1",
        grid=TARGETS,
        choices=TARGETS,
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> TopOneCrossEntropy:
        return TopOneCrossEntropy.of(dataset, self.target)


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

    regularization: float = regularization(
        1e-2,
        "the mean over queries and documents",
        grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0),
        highest=None,
    )
    draws: int = parameter(
        10, "random orders of equal labels whose mean likelihood is taken", lowest=1, highest=1000
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> OrderLikelihood:
        return OrderLikelihood.of(dataset, self.draws, rng)
