"""PDGD: pairs that clicks prefer, weighted so that no position favours one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.feedback.online.learner import Floats, LinearLearner
from rankwise.feedback.session_setting import SessionSetting
from rankwise.native import ADDRESS, DOUBLE, DOUBLES_OUT, INT64, function
from rankwise.rankers.parameters import parameter

_learn = function(
    "rankwise_learn_pdgd",
    *(ADDRESS, INT64, INT64, INT64, DOUBLE, DOUBLE, DOUBLES_OUT, DOUBLES_OUT),
    returns=INT64,
)


@dataclass(frozen=True)
class PDGD(LinearLearner):
    """w ← w + η Σ_{(i,j)} ρ_ij e^{s_i} e^{s_j} / (e^{s_i} + e^{s_j})² (x_i − x_j), s = w · x.

    Lists are drawn by Plackett-Luce: documents one after the other in proportion to e^s. A clicked
    document i is preferred to every one not clicked j up to the one after the last click.
    ρ_ij = P(R*) / (P(R) + P(R*)), R* being the list R with i and j exchanged.

    Linear, as in the paper's comparison with Dueling Bandit; η = 0.1 falls by a factor of 0.9999977
    a session, as in the authors' code.

    Oosterhuis, de Rijke (2018). Differentiable unbiased online learning to rank. CIKM.
    """

    name: ClassVar[str] = "pdgd"
    paper: ClassVar[str] = "Oosterhuis and de Rijke (2018), CIKM"

    learning_rate: float = parameter(0.1, "η", lowest=1e-9)
    decay: float = parameter(
        0.9999977, "what η is multiplied by each session", lowest=1e-9, highest=1.0
    )

    def advance(
        self, setting: SessionSetting, state: Floats, seed: int, first: int, count: int
    ) -> Floats:
        """One gradient step a session."""
        values = np.empty(count)
        steps = (self.learning_rate, self.decay)
        self._refuse(_learn(setting.address, seed, first, count, *steps, state, values))
        return values
