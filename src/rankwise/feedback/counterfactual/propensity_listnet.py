"""Propensity-weighted ListNet: the likelihood of weighted documents to be first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.feedback.counterfactual.propensity_ranksvm import refuse_weights
from rankwise.rankers.gradient.gradient_ranker import GradientRanker
from rankwise.rankers.losses.listwise import TopOneCrossEntropy
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class PropensityListNet(GradientRanker):
    """Minimise λ/2 ‖w‖² − 1/U Σ_q Σ_i u_i log(exp(s_i) / Σ_k exp(s_k)), s_i = w · x_i.

    The labels are u_i, the weights that clicks gave to document i (`rankwise clicks convert`), U is
    their sum. This is the softmax cross entropy with inverse propensity weights. Not `listnet` with
    shares as targets, in which every query counts alike, however many clicks it had.

    Ai, Bi, Luo, Guo, Croft (2018). Unbiased learning to rank with unbiased propensity estimation.
    SIGIR, equation 10, with propensities that are given; Cao, Qin, Liu, Tsai, Li (2007). ICML.
    """

    name: ClassVar[str] = "rankwise.feedback:PropensityListNet"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Ai, Bi, Luo, Guo and Croft (2018), SIGIR"

    regularization: float = parameter(
        1e-3,
        "λ, the weight of ‖w‖²/2 beside the mean over weights",
        grid=(1e-5, 1e-4, 1e-3, 1e-2, 1e-1),
        lowest=1e-9,
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> TopOneCrossEntropy:
        refuse_weights(dataset, self.name)
        return TopOneCrossEntropy(dataset.labels / dataset.labels.sum(), dataset.query_offsets, 1)
