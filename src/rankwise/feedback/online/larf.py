"""LARF: an automaton over sources of evidence that learns whose documents get visited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.feedback.logging_rankers import order_rows, rank_of_rows
from rankwise.feedback.online.learner import Floats, OnlineLearner
from rankwise.feedback.session_setting import SessionSetting
from rankwise.native import ADDRESS, DOUBLE, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.parameters import parameter

_learn = function(
    "rankwise_learn_larf",
    *(ADDRESS, INT64, INT64, INT64, DOUBLE, INT64S, INT64, DOUBLES_OUT, DOUBLES_OUT),
    returns=INT64,
)


@dataclass(frozen=True)
class LARF(OnlineLearner):
    """Chances p over features; a list is filled by drawing one and taking its next best document.

    A feature is rewarded when a document that it gave is visited: p_i ← p_i + a (1 − p_i), p_j ←
    (1 − a) p_j for all others. Documents are ranked by Σ_i p_i / (rank of the document by feature
    i).

    Only the abstract could be reached: that sources of evidence share a list, and that the share of
    a source grows when users review what it gave, is from there; the rest is guessed. With `scope`
    "query" every query has an automaton of its own, and one that gave no feedback gets the mean of
    all.

    Akbari Torkestani (2012a). An adaptive learning automata-based ranking function discovery
    algorithm. Journal of Intelligent Information Systems 39.
    """

    name: ClassVar[str] = "larf"
    paper: ClassVar[str] = "Akbari Torkestani (2012), Journal of Intelligent Information Systems 39"
    guesses: ClassVar[tuple[str, ...]] = (
        "how the list is merged, and the final ranking",
        "one automaton for all queries, or one a query",
        "what a user visits, and how many sessions there are",
        "the rate a; that nothing is punished",
        "large values of a feature are good evidence",
    )

    learning_rate: float = parameter(0.01, "a", lowest=1e-9, highest=1.0)
    scope: str = parameter("all", "what an automaton is for", choices=("all", "query"))

    def start(self, dataset: Dataset) -> Floats:
        """Equal chances of the features."""
        automata = dataset.n_queries if self.scope == "query" else 1
        return np.full(automata * dataset.n_features, 1.0 / max(1, dataset.n_features))

    def advance(
        self, setting: SessionSetting, state: Floats, seed: int, first: int, count: int
    ) -> Floats:
        """One list a session."""
        values = np.empty(count)
        orders = np.array([order_rows(setting.dataset, one) for one in _evidence(setting.dataset)])
        how = (self.learning_rate, orders, int(self.scope == "query"))
        self._refuse(_learn(setting.address, seed, first, count, *how, state, values))
        return values

    def score(self, state: Floats, feedback: Dataset, dataset: Dataset) -> Floats:
        """Σ_i p_i / rank_i."""
        shares = state.reshape(-1, feedback.n_features)
        known = self.scope == "query" and dataset is feedback
        mine = shares[dataset.query_of_rows] if known else shares.mean(0)[np.newaxis]
        total = np.zeros(dataset.n_documents)
        for number, values in enumerate(_evidence(dataset)):
            total += mine[:, number] / rank_of_rows(dataset, values)
        return total


def _evidence(dataset: Dataset) -> Floats:
    """(features, documents)."""
    return np.nan_to_num(dataset.to_dense().features).T
