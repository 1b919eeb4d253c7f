"""Probabilistic interleaving: rankers draw documents, and all ways to the list are weighed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.feedback.interleaving.method import Floats, InterleavingMethod
from rankwise.feedback.logging_rankers import rank_of_rows
from rankwise.feedback.session_setting import SessionSetting
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, function

_probabilistic = function(
    "rankwise_probabilistic_interleaving",
    *(ADDRESS, INT64, INT64, DOUBLES, DOUBLES, DOUBLES_OUT),
    returns=INT64,
)


@dataclass(frozen=True)
class Probabilistic(InterleavingMethod):
    """E[sign(clicks of one − clicks of the other)] over all assignments that the list may have had.

    At every position a coin chooses the ranker, which draws a document with chances in proportion
    to 1 / rank^τ, τ = 3, among those that are left. Given the list, the document at a position is
    the first ranker's with chance P₁(d) / (P₁(d) + P₂(d)), independently of other positions.

    Hofmann, Whiteson, de Rijke (2011). A probabilistic method for inferring preferences from
    clicks. CIKM.
    """

    name = "probabilistic"
    paper = "Hofmann, Whiteson and de Rijke (2011), CIKM"

    decay: float = 3.0

    def outcomes(
        self, setting: SessionSetting, one: Floats, other: Floats, sessions: int, seed: int
    ) -> Floats:
        """From −1 to 1 a session."""
        found = np.empty(sessions)
        chances = (
            rank_of_rows(setting.dataset, scores).astype(np.float64) ** -self.decay
            for scores in (one, other)
        )
        self._refuse(_probabilistic(setting.address, seed, sessions, *chances, found))
        return found
