"""Online learners, which choose what users are shown and learn from what they click.

A learner has a state, sessions that change it, and scores from it. PDGD weighs the pairs that
clicks prefer so that no position favours one of them; Dueling Bandit Gradient Descent steps
towards a random neighbour that users prefer; LARF is an automaton over sources of evidence that
learns whose documents get visited; LRUF is an automaton a query that learns which documents get
visited.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.feedback.logging_rankers import order_rows, rank_of_rows
from rankwise.feedback.simulation import SessionSetting
from rankwise.native import ADDRESS, DOUBLE, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.parameters import (
    Parameter,
    check_parameters,
    parameter,
    parameters_of,
    parameters_of_fields,
    parse_value,
    refuse_unknown,
)
from rankwise.registry import Registry

ONLINE_LEARNERS: Registry[type[OnlineLearner]] = Registry(
    "online learner",
    {
        "pdgd": "rankwise.feedback.online_learning:PDGD",
        "dueling-bandit": "rankwise.feedback.online_learning:DuelingBandit",
        "lruf": "rankwise.feedback.online_learning:LRUF",
        "larf": "rankwise.feedback.online_learning:LARF",
    },
)


def find_online_learner(name: str) -> type[OnlineLearner]:
    """The class of a registered name; a misspelt one suggests the nearest."""
    return ONLINE_LEARNERS[name]


def make_online_learner(
    learner: str | OnlineLearner, settings: Iterable[str] = ()
) -> OnlineLearner:
    """The learner of a name, with settings written `name=value`; those it lacks are refused."""
    if isinstance(learner, OnlineLearner):
        return learner
    found = find_online_learner(learner)
    declared = {one.name: one for one in parameters_of(found)}
    values: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise RankwiseError(f"a setting must be written name=value, found {setting!r}")
        refuse_unknown(found, [name])
        values[name] = parse_value(declared[name], text, found.name)
    return found(**values)


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OnlineLearner(ABC):
    """A method with its settings; all that it learns is in a state, an array.

    `guesses` are the parts of a method that its paper leaves open, or that could not be reached,
    and this implementation filled in.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    guesses: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_parameters(self, self.name)

    @classmethod
    def declared_parameters(cls) -> tuple[Parameter, ...]:
        """The settings, in order."""
        return parameters_of_fields(cls)

    @abstractmethod
    def start(self, dataset: Dataset) -> Floats:
        """The state before the first session with the queries of `dataset`."""

    @abstractmethod
    def advance(
        self, setting: SessionSetting, state: Floats, seed: int, first: int, count: int
    ) -> Floats:
        """Sessions `first` to `first` + `count`, which change the state; NDCG of what was shown."""

    @abstractmethod
    def score(self, state: Floats, feedback: Dataset, dataset: Dataset) -> Floats:
        """Scores of the documents of `dataset` by what was learned on the queries of `feedback`."""

    @staticmethod
    def _refuse(code: int) -> None:
        if code < 0:
            raise MemoryError("the compiled core could not get the memory to learn")


@dataclass(frozen=True)
class LinearLearner(OnlineLearner):
    """A learner whose state is w of w · x, from 0 on."""

    def start(self, dataset: Dataset) -> Floats:
        """w = 0."""
        return np.zeros(dataset.n_features)

    def score(self, state: Floats, feedback: Dataset, dataset: Dataset) -> Floats:
        """w · x."""
        return np.nan_to_num(dataset.to_dense().features) @ state


_learn_pdgd = function(
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
        self._refuse(_learn_pdgd(setting.address, seed, first, count, *steps, state, values))
        return values


_learn_dueling_bandit = function(
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
        self._refuse(
            _learn_dueling_bandit(setting.address, seed, first, count, *steps, state, values)
        )
        return values


_learn_larf = function(
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
        orders = np.array(
            [order_rows(setting.dataset, one) for one in _source_values(setting.dataset)]
        )
        how = (self.learning_rate, orders, int(self.scope == "query"))
        self._refuse(_learn_larf(setting.address, seed, first, count, *how, state, values))
        return values

    def score(self, state: Floats, feedback: Dataset, dataset: Dataset) -> Floats:
        """Σ_i p_i / rank_i."""
        shares = state.reshape(-1, feedback.n_features)
        known = self.scope == "query" and dataset is feedback
        mine = shares[dataset.query_of_rows] if known else shares.mean(0)[np.newaxis]
        total = np.zeros(dataset.n_documents)
        for number, values in enumerate(_source_values(dataset)):
            total += mine[:, number] / rank_of_rows(dataset, values)
        return total


def _source_values(dataset: Dataset) -> Floats:
    """(features, documents)."""
    return np.nan_to_num(dataset.to_dense().features).T


_learn_lruf = function(
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
        self._refuse(_learn_lruf(setting.address, seed, first, count, rate, *parts, values))
        return values

    def score(self, state: Floats, feedback: Dataset, dataset: Dataset) -> Floats:
        """p of queries that gave feedback; nothing, for all documents alike, of others."""
        if dataset is feedback:
            return state[: feedback.n_documents]
        return np.zeros(dataset.n_documents)
