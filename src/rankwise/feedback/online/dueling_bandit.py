"""Dueling Bandit Gradient Descent: a step towards a random neighbour that users prefer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.feedback.online.learner import Floats, LinearLearner
from rankwise.feedback.session_setting import SessionSetting
from rankwise.native import ADDRESS, DOUBLE, DOUBLES_OUT, INT64, function
from rankwise.rankers.parameters import parameter

_learn = function(
    "rankwise_learn_dueling_bandit",
    *(ADDRESS, INT64, INT64, INT64, DOUBLE, DOUBLE, DOUBLES_OUT, DOUBLES_OUT),
    returns=INT64,
)


@dataclass(frozen=True)
class DuelingBandit(LinearLearner):
    """w ← w + α u where users prefer w + δ u to w; u is drawn from all directions of length 1.

    The lists of both are interleaved by team draft; the candidate is preferred where its documents
    get more clicks. δ = 1 and α = 0.01 are the settings of Yue and Joachims that later comparisons
    keep.

    Yue, Joachims (2009). Interactively optimizing information retrieval systems as a dueling
    bandits problem. ICML. Hofmann, Whiteson, de Rijke (2013). Information Retrieval 16.
    """

    name: ClassVar[str] = "dueling-bandit"
    paper: ClassVar[str] = "Yue and Joachims (2009), ICML"

    exploration: float = parameter(1.0, "δ, how far away the candidate is", lowest=1e-9)
    learning_rate: float = parameter(0.01, "α, how far a win moves w", lowest=1e-9)

    def advance(
        self, setting: SessionSetting, state: Floats, seed: int, first: int, count: int
    ) -> Floats:
        """One duel a session."""
        values = np.empty(count)
        steps = (self.exploration, self.learning_rate)
        self._refuse(_learn(setting.address, seed, first, count, *steps, state, values))
        return values
