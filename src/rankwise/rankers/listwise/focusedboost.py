"""FocusedBoost: AdaRank within the top of a query, RankBoost between the top and the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.boosting.exponential_loss import ExponentialLoss
from rankwise.rankers.boosting.performance import performance_matrix
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import LabelLevels, refuse_equal_labels
from rankwise.rankers.training.rounds import Judge, best_round
from rankwise.rankers.training.top_documents import TopDocuments
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]


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
    (`rankwise.rankers.training.top_documents`) are not. Where no top has two labels, β is 0. The
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
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        judge = Judge.of(train, validation, self.measure, self.tool)
        training = FocusedBoosting(train, self.top, self.focus)
        return best_round(training, judge, rounds=self.rounds, patience=self.patience, watch=watch)


class FocusedBoosting:
    """The rounds of FocusedBoost: the sum of weak rankers so far, and the next one."""

    def __init__(self, train: Dataset, size: int, focus: float) -> None:
        top = TopDocuments.of(train, size)
        self._pairs = ExponentialLoss(LabelLevels.of(top.against))
        self._lowest, self._spans = _spans(train)
        self._scaled = np.ascontiguousarray(((train.features - self._lowest) / self._spans).T)
        self._inside = _Inside.of(top, size)
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
class _Inside:
    """The tops that have two labels, and the measure of their order."""

    rows: NDArray[np.int64]
    documents: Dataset
    measure: TrainingMeasure

    @classmethod
    def of(cls, top: TopDocuments, size: int) -> _Inside | None:
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
