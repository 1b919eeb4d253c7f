"""FocusedRank learns by one loss within the top of each query and one of the top against the rest.

| ranker | within the top | between the top and the rest |
|---|---|---|
| FocusedNet | ListNet | RankNet |
| FocusedBoost | AdaRank | RankBoost |
| FocusedSVM | SVM-MAP's hinge | RankSVM's hinge |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.boosting.rankboost import ExponentialLoss
from rankwise.rankers.boosting.weak_rankers import performance_matrix
from rankwise.rankers.gradient.gradient_ranker import BestStepRanker, hidden_layers
from rankwise.rankers.linear.cutting_plane_ranker import CuttingPlaneRanker
from rankwise.rankers.linear.svm_map import average_precision_hinge
from rankwise.rankers.losses.lambdas import LogisticPairs
from rankwise.rankers.losses.listwise import Loss, TopOneCrossEntropy
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.cutting_plane import Risk
from rankwise.rankers.parameters import convention, parameter, regularization, scale_large, tol
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.training.model_selection import Judge, best_round
from rankwise.rankers.training.preferences import LabelLevels, refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure


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
    (`rankwise.rankers.boosting.focused`). Not `listnet` and not `ranknet`, its two halves.

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
    regularization: float = regularization(1e-3, "the loss", highest=None)
    hidden_layers: str = hidden_layers(grid=("none", "10"))
    rounds: int = parameter(300, "rounds (steps, or passes over the data) at most", lowest=1)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> FocusedLoss:
        return FocusedLoss.of(dataset, self.top, self.focus)


@dataclass(frozen=True)
class FocusedBoost(Ranker):
    """F = Σ_t α_t h_t, lowering β/|Q| Σ_q exp(−E_q(F)) + (1 − β)/|P| Σ_P exp(F(x0) − F(x1)).

    E_q is the NDCG of the documents in the top of query q among themselves, Q the queries whose
    top has two labels; P holds the pairs of one query with x1 in the top and x0 outside. h is a
    feature brought to [0, 1] over the training data, or 1 less it. In round t

        P_t(q) ∝ exp(−E_q(F)),   D_t(x0, x1) ∝ exp(F(x0) − F(x1)),
        e(h) = β Σ_q P_t(q) (2 E_q(h) − 1) + (1 − β) Σ_P D_t (h(x1) − h(x0)),
        h_t = argmax e,   α_t = ½ ln((1 + e) / (1 − e)).

    With β = 0 this is RankBoost on features, with β = 1 AdaRank within the top, but for E on the
    scale from −1 to 1 of RankBoost's edge, so that the two can be added. The frame is the paper's;
    how its two updates are mixed, the weak rankers, and which documents are the top
    (`rankwise.rankers.boosting.focused`) are not. Where no top has two labels, β is 0. The
    round is chosen on validation. Not `adarank-ndcg` and not `rankboost`.

    Niu, Guo, Lan, Cheng (2012). Top-k learning to rank: labeling, ranking and evaluation. SIGIR.
    """

    name: ClassVar[str] = "focusedboost"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Niu, Guo, Lan and Cheng (2012), SIGIR"
    uses_measure: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "all that tie for the k-th label are in the top, none of the lowest label",
        "one weak ranker a round, chosen by the sum of both edges",
        "weak rankers are single features, up or down",
    )

    focus: float = parameter(
        0.2,
        "β, what the order within the top weighs",
        grid=(0.1, 0.2, 0.5),
        lowest=0.0,
        highest=1.0,
    )
    top: int = parameter(10, "k, the documents of a query that belong at its top", lowest=1)
    rounds: int = parameter(500, "rounds at most; the best one is chosen on validation", lowest=1)
    patience: int = parameter(
        100, "rounds without a better one after which training ends", lowest=1
    )
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Linear]:
        refuse_equal_labels(training.train, self.name)
        judge = Judge.of(training, self.measure, self.tool)
        steps = FocusedBoosting(training.train, self.top, self.focus)
        return best_round(
            steps, judge, rounds=self.rounds, patience=self.patience, watch=training.watch
        )


class FocusedBoosting:
    """The rounds of FocusedBoost: the sum of weak rankers so far, and the next one."""

    def __init__(self, train: Dataset, size: int, focus: float) -> None:
        top = TopDocuments.of(train, size)
        self._pairs = ExponentialLoss(LabelLevels.of(top.against))
        self._lowest, self._spans = _spans(train)
        self._scaled = np.ascontiguousarray(((train.features - self._lowest) / self._spans).T)
        self._inside = _InsideTop.of(top, size)
        self._focus = focus if self._inside is not None else 0.0
        self._totals = np.zeros(train.n_features)
        self._performance = self._inner_performance()

    def step(self) -> float:
        """Let the best weak ranker join; the loss of the pairs before it does."""
        # Not BLAS, whose order of summation may depend on the number of threads.
        scores = np.einsum("jd,j->d", self._scaled, self._totals)
        loss, potentials = self._pairs.potentials(scores)
        rises = np.einsum("jd,d->j", self._scaled, potentials)
        edges = (1.0 - self._focus) * np.concatenate([rises, -rises])
        if self._inside is not None:
            edges += self._focus * self._inner_edges(scores)
        chosen = int(np.argmax(edges))
        edge = min(float(edges[chosen]), _HIGHEST_EDGE)
        column, falls = chosen % len(rises), chosen >= len(rises)
        weight = 0.5 * float(np.log((1.0 + edge) / (1.0 - edge)))
        self._totals[column] += -weight if falls else weight
        return loss

    def scorer(self) -> Linear:
        """The sum so far, in the features as they are; what is the same for all is left out."""
        return Linear(self._totals / self._spans)

    def _inner_edges(self, scores: Floats) -> Floats:
        """Σ_q P_t(q) (2 E_q(h) − 1) of every weak ranker."""
        inside = self._inside
        if inside is None:
            return np.zeros(2 * len(self._totals))
        weights = np.exp(-inside.measure.per_query(np.ascontiguousarray(scores[inside.rows])))
        means: Floats = np.einsum("hq,q->h", self._performance, weights / weights.sum())
        return 2.0 * means - 1.0

    def _inner_performance(self) -> Floats:
        """(weak rankers, queries): E of every feature, rising then falling."""
        inside = self._inside
        if inside is None:
            return np.empty((0, 0))
        identity = np.eye(len(self._totals))
        found = performance_matrix(
            np.vstack([identity, -identity]), inside.documents, inside.measure
        )
        # A feature that is the same everywhere ranks nothing, whatever the ties are worth.
        constant = np.ptp(self._scaled, axis=1) == 0.0
        return np.where(np.tile(constant, 2)[:, np.newaxis], 0.0, found)


_HIGHEST_EDGE = 1.0 - 1e-9


@dataclass(frozen=True, eq=False)
class _InsideTop:
    """The tops that have two labels, and the measure of their order."""

    rows: Integers
    documents: Dataset
    measure: TrainingMeasure

    @classmethod
    def of(cls, top: TopDocuments, size: int) -> _InsideTop | None:
        if top.inside is None:
            return None
        starts = top.inside.query_offsets[:-1]
        labels = top.inside.labels
        told = np.maximum.reduceat(labels, starts) > np.minimum.reduceat(labels, starts)
        if not told.any():
            return None
        documents = top.inside.select_queries(np.flatnonzero(told))
        measure = TrainingMeasure.of(documents, f"NDCG@{size}", ties="expected")
        return cls(top.rows[np.repeat(told, top.inside.query_lengths)], documents, measure)


def _spans(train: Dataset) -> tuple[Floats, Floats]:
    """The lowest value of every feature, and how far above it the highest is; 1 for a constant."""
    starts = train.query_offsets[:-1]
    highest = np.maximum.reduceat(train.features, starts, axis=0)
    lowest = np.minimum.reduceat(train.features, starts, axis=0)
    if not (highest > lowest).any():
        raise RankwiseError(
            "a weak ranker must tell two documents of a query apart, found none among "
            f"{train.n_features} features: all are constant within every training query"
        )
    spans = highest.max(axis=0) - lowest.min(axis=0)
    return lowest.min(axis=0), np.where(spans > 0.0, spans, 1.0)


@dataclass(frozen=True)
class FocusedSVM(CuttingPlaneRanker):
    """Minimise λ/2 ‖w‖² + β/|Q| Σ_q H_q + (1 − β)/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j)).

    P holds the pairs of one query with i in its top T_q and j outside. H_q is `svm-map`'s hinge on
    the documents of T_q alone, max_π [1 − AP(π) + w · (Ψ(π) − Ψ(π*))], for which those above the
    lowest label of T_q are relevant; Q are the queries whose top has two labels. Both are convex
    and share the cutting planes, so that how near to the minimum training ends is proven.

    The frame is the paper's, made for judgements that order the top k. Which documents are the
    top, and relevant within it, is not: see `rankwise.rankers.boosting.focused`. Not
    `svm-map` and not `ranksvm-struct`, its two halves.

    Niu, Guo, Lan, Cheng (2012). Top-k learning to rank: labeling, ranking and evaluation. SIGIR.
    """

    name: ClassVar[str] = "focusedsvm"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Niu, Guo, Lan and Cheng (2012), SIGIR"
    takes_sparse: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "all that tie for the k-th label are in the top, none of the lowest label",
        "within the top those above its lowest label are relevant",
    )

    focus: float = parameter(
        0.2, "β, what the order within the top weighs", grid=(0.2, 0.5), lowest=0.0, highest=1.0
    )
    top: int = parameter(10, "k, the documents of a query that belong at its top", lowest=1)
    regularization: float = regularization(0.01, "the hinges", grid=(1e-3, 1e-2, 1e-1))
    gap: float = tol(1e-3, lowest=1e-10)
    rounds: int = parameter(2000, "cutting planes at most", lowest=1)
    scale_large: bool = scale_large()

    def _problem(self, train: Dataset) -> tuple[float, Risk, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        return self.regularization, focused_risk(train, self.top, self.focus), {}


def focused_risk(dataset: Dataset, size: int, focus: float) -> Risk:
    """The two hinges with their weights, and a subgradient in the scores."""
    top = TopDocuments.of(dataset, size)
    pairs = PreferencePairs.of(top.against, "focusedsvm")
    inside = None if top.inside is None else _inner_risk(top.inside)

    def risk(scores: Floats) -> tuple[float, Floats]:
        value, slopes = pairs.hinge(scores)
        value, slopes = (1.0 - focus) * value, (1.0 - focus) * slopes
        if inside is not None:
            own, own_slopes = inside(np.ascontiguousarray(scores[top.rows]))
            value += focus * own
            slopes[top.rows] += focus * own_slopes
        return value, slopes

    return risk


def _inner_risk(inside: Dataset) -> Risk | None:
    """The mean structural hinge over the queries whose top has two labels; None without any."""
    starts = inside.query_offsets[:-1]
    lowest = np.minimum.reduceat(inside.labels, starts)
    used = int(np.count_nonzero(np.maximum.reduceat(inside.labels, starts) > lowest))
    if used == 0:
        return None
    relevant = inside.labels > np.repeat(lowest, inside.query_lengths)

    def risk(scores: Floats) -> tuple[float, Floats]:
        hinges, slopes = average_precision_hinge(scores, relevant, inside.query_offsets)
        return float(hinges.sum()) / used, slopes / used

    return risk


@dataclass(frozen=True, eq=False)
class FocusedLoss:
    """β · (a loss of the scores within the top) + (1 − β) · (a loss of the top against the rest).

    Attributes:
        rows: of the documents in the top.
        inside: the loss of their scores; None where no query has a top.
        against: the loss of all scores.
        focus: β.
    """

    rows: Integers
    inside: Loss | None
    against: Loss
    focus: float

    @classmethod
    def of(cls, dataset: Dataset, size: int, focus: float) -> FocusedLoss:
        """ListNet's cross entropy inside, RankNet's logistic pairs against."""
        top = TopDocuments.of(dataset, size)
        inside = None if top.inside is None else TopOneCrossEntropy.of(top.inside, "softmax")
        return cls(top.rows, inside, LogisticPairs.of(top.against), focus)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        value, slopes = self.against.at(scores)
        value, slopes = (1.0 - self.focus) * value, (1.0 - self.focus) * slopes
        if self.inside is not None:
            own, own_slopes = self.inside.at(np.ascontiguousarray(scores[self.rows]))
            value += self.focus * own
            slopes[self.rows] += self.focus * own_slopes
        return value, slopes


@dataclass(frozen=True, eq=False)
class TopDocuments:
    """The top of every query, apart from its rest.

    Document i of query q is in the top if y_i ≥ y_(k), the k-th highest label of q (its lowest
    where q has fewer documents), and y_i is above the lowest label of q. Labels of few levels
    leave the k-th place open: all documents that tie for it are in the top, so that no order of
    the file is taught.

    Attributes:
        rows: of the documents in the top, in their order.
        inside: these documents alone; queries without a top are left out. None where none has one.
        against: all documents, those in the top with the label 1, the others with 0.
    """

    rows: Integers
    inside: Dataset | None
    against: Dataset

    @classmethod
    def of(cls, dataset: Dataset, size: int) -> TopDocuments:
        """The top of `size` documents, and those that tie with the last of them."""
        starts, lengths = dataset.query_offsets[:-1], dataset.query_lengths
        falling = dataset.labels[np.lexsort((-dataset.labels, dataset.query_of_rows))]
        last = falling[starts + np.minimum(size, lengths) - 1]
        lowest = falling[starts + lengths - 1]
        labels = dataset.labels
        inside = (labels >= np.repeat(last, lengths)) & (labels > np.repeat(lowest, lengths))
        against = replace(
            dataset, features=as_features(dataset.stored), labels=inside.astype(np.float64)
        )
        rows = np.flatnonzero(inside)
        return cls(rows, _only_documents(dataset, rows) if len(rows) else None, against)


def _only_documents(dataset: Dataset, rows: Integers) -> Dataset:
    queries, lengths = np.unique(dataset.query_of_rows[rows], return_counts=True)
    return Dataset(
        features=as_features(dataset.stored[rows]),
        labels=dataset.labels[rows],
        query_offsets=np.append(0, np.cumsum(lengths)),
        query_ids=TextColumn.from_texts(dataset.query_ids[int(query)] for query in queries),
    )
