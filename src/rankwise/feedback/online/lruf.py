"""LRUF: an automaton a query that learns which documents get visited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.feedback.online.learner import Floats, OnlineLearner
from rankwise.feedback.session_setting import SessionSetting
from rankwise.native import ADDRESS, DOUBLE, DOUBLES_OUT, INT64, function
from rankwise.rankers.parameters import parameter

_learn = function(
    "rankwise_learn_lruf",
    *(ADDRESS, INT64, INT64, INT64, DOUBLE, DOUBLES_OUT, DOUBLES_OUT, DOUBLES_OUT),
    returns=INT64,
)


@dataclass(frozen=True)
class LRUF(OnlineLearner):
    """Every query has chances p over its documents, at first equal; a session draws a list from p.

    Of the visited documents f the feedback is g = 1/|f| Σ a / rank. Where g is at least the best of
    the query so far, each visited document i is rewarded: p_i ← p_i + a (1 − p_i), p_j ← (1 − a)
    p_j for all others. Documents are ranked by p.

    It has no features: about a query that gave no feedback it knows nothing, and all its documents
    tie. The published figures are of queries that gave the feedback.

    Akbari Torkestani (2012b). An adaptive learning to rank algorithm: learning automata approach.
    Decision Support Systems 54, as Tax's thesis (2014) retells it.
    """

    name: ClassVar[str] = "lruf"
    paper: ClassVar[str] = "Akbari Torkestani (2012), Decision Support Systems 54"
    guesses: ClassVar[tuple[str, ...]] = (
        "what a user visits, and how many sessions there are",
        "the rate a",
        "no document is swapped out below a threshold: all judged ones stay candidates",
    )

    learning_rate: float = parameter(0.01, "a", lowest=1e-9, highest=1.0)

    def start(self, dataset: Dataset) -> Floats:
        """Equal chances of the documents of each query, then the best feedback of each, 0."""
        lengths = dataset.query_lengths
        chances = np.repeat(1.0 / np.maximum(lengths, 1), lengths)
        return np.concatenate([chances, np.zeros(dataset.n_queries)])

    def advance(
        self, setting: SessionSetting, state: Floats, seed: int, first: int, count: int
    ) -> Floats:
        """One list a session."""
        values = np.empty(count)
        documents = setting.dataset.n_documents
        parts = state[:documents], state[documents:]
        rate = self.learning_rate
        self._refuse(_learn(setting.address, seed, first, count, rate, *parts, values))
        return values

    def score(self, state: Floats, feedback: Dataset, dataset: Dataset) -> Floats:
        """p of queries that gave feedback; nothing, for all documents alike, of others."""
        if dataset is feedback:
            return state[: feedback.n_documents]
        return np.zeros(dataset.n_documents)
