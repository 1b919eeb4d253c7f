"""Boosting over a pool of linear weak rankers: what AdaRank and DEARank share.

Per round t, with P_t the weights of the queries and E the training measure (DEARank's Algorithm 1
and Eqs. 8 and 9, which are AdaRank's):

    h_t = argmax over h of sum_i P_t(i) E(x_i, y_i, h)
    b_t = 1/2 ln((1 + r_t) / (1 - r_t)),   r_t = sum_i P_t(i) E(x_i, y_i, h_t)
    F_t = F_{t-1} + b_t h_t

| reweighting | P_{t+1}(i), up to the sum |
|---|---|
| published | exp(-E(x_i, y_i, F_t)) |
| multiplicative | P_t(i) exp(-b_t E(x_i, y_i, F_t)) |

| domination | a weak ranker that is chosen twice running |
|---|---|
| none | is chosen twice running |
| queue | is taken out with its first choice and waits in a queue; see `boost` |

Xu and Li (2007), AdaRank, SIGIR; Jiang and Lin (2014), DEARank, Machine Learning 96; the queue is
after Cartright, Seo and Lease (2009), UMass at the TREC 2009 Million Query track.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.boosting.performance import Pool
from rankwise.rankers.ranker import Round, Watch, never_stop
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.followed_measure import FollowedMeasure
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]

REWEIGHTINGS = ("published", "multiplicative")
DOMINATIONS = ("none", "queue")

# A perfect weak ranker has r = 1 and would count infinitely.
_HIGHEST_EDGE = 1.0 - 1e-12
_UNCHANGED_CHOICES = 5


@dataclass(frozen=True)
class BoostingRules:
    """How boosting goes on.

    Attributes:
        rounds: how often a weak ranker may join, those that are taken out again included.
        reweighting: `published` or `multiplicative`.
        domination: `none` or `queue`.
        stop_at_drop: no progress is made when the training measure drops by so much or more
            against the round before; the round is taken back. None: never.
    """

    rounds: int = 200
    reweighting: str = "published"
    domination: str = "none"
    stop_at_drop: float | None = None


@dataclass(frozen=True, eq=False)
class RoundSelection:
    """The rule that chooses the round: the mean of the figures of some measures on some data."""

    dataset: Dataset
    measures: tuple[FollowedMeasure, ...]

    @classmethod
    def of(cls, dataset: Dataset, measures: Sequence[tuple[str, str]]) -> RoundSelection:
        """The mean of these measures, each as its tool has it, on `dataset`."""
        prepared = (TrainingMeasure.of(dataset, measure, tool) for measure, tool in measures)
        return cls(dataset, tuple(map(FollowedMeasure, prepared)))

    def value(self, weights: Floats, train: Dataset, scores: Floats) -> float:
        """What the linear function with these weights, and these scores of `train`, reaches."""
        if self.dataset is not train:
            scores = Linear(weights).score(self.dataset.features)
        return sum(measure.mean(scores) for measure in self.measures) / len(self.measures)


@dataclass(frozen=True, eq=False)
class Boosted:
    """The chosen ensemble as one weight vector, and how it came about.

    Attributes:
        weights: sum of b_t w_t over the rounds that make the ensemble.
        chosen: the weak ranker of each of these rounds, as a row of the pool.
        coefficients: b_t of each.
        round: the round whose ensemble this is.
        rounds: how many rounds were run.
        training: the training measure of the ensemble.
        selection: what the rule that chose the round saw.
    """

    weights: Floats
    chosen: tuple[int, ...]
    coefficients: tuple[float, ...]
    round: int
    rounds: int
    training: float
    selection: float

    def facts(self) -> dict[str, Any]:
        """What a model file says about the training."""
        return {
            "round": self.round,
            "rounds": self.rounds,
            "weak_rankers": len(set(self.chosen)),
            "training": self.training,
            "selection": self.selection,
        }


def boost(
    pool: Pool,
    train: Dataset,
    measure: TrainingMeasure,
    selection: RoundSelection,
    rules: BoostingRules,
    watch: Watch = never_stop,
) -> Boosted:
    """Run the rounds and return the ensemble that `selection` finds best, the first among equals.

    With the queue: a weak ranker chosen twice running is taken out, both times, with the weights
    of the queries as they were before, and waits. When no progress is made (the training measure
    drops, or every weak ranker waits) those waiting come back, first in first out, one each time
    boosting comes to a halt, and are not sent to the queue again; from the first return on, one
    that is chosen five times running while the training measure stays the same is set aside until
    another one is chosen.
    """
    _check_range(pool, measure)
    run = _Run(pool, train, measure, rules)
    best: tuple[float, int, _Ensemble] | None = None
    number = 0
    while number < rules.rounds:
        number += 1
        ensemble = run.next_round()
        if ensemble is None:
            break
        value = selection.value(ensemble.weights, train, ensemble.scores)
        if best is None or value > best[0]:
            best = value, number, ensemble
        if watch(Round(number, rules.rounds, ensemble.training, value)):
            break
    return _boosted(best, number)


@dataclass(frozen=True, eq=False)
class _Ensemble:
    """F_t, its scores of the training data, its values and the weights of the queries it leaves.

    Immutable, so taking back is easy.
    """

    weights: Floats
    scores: Floats
    values: Floats
    distribution: Floats
    training: float = -np.inf
    chosen: tuple[int, ...] = ()
    coefficients: tuple[float, ...] = ()


class _Run:
    """The state of boosting between rounds."""

    def __init__(
        self, pool: Pool, train: Dataset, measure: TrainingMeasure, rules: BoostingRules
    ) -> None:
        self._pool = pool
        self._train = train
        self._measure = FollowedMeasure(measure)
        self._rules = rules
        uniform = np.full(measure.n_queries, 1.0 / measure.n_queries)
        self._ensemble = _Ensemble(
            np.zeros(pool.weights.shape[1]), np.zeros(train.n_documents), np.empty(0), uniform
        )
        self._before = self._ensemble
        self._edges = np.empty(0), np.empty(0)
        self._last: int | None = None
        self._unchanged = 0
        self._free = np.ones(len(pool), dtype=np.bool_)
        self._queue: list[int] = []
        self._returning = rules.domination == "none"

    def next_round(self) -> _Ensemble | None:
        """The ensemble after one more choice; None where boosting has come to its end."""
        while True:
            candidate = self._best_free()
            if candidate is None:
                if not self._give_back():
                    return None
            elif candidate == self._last and not self._returning:
                self._withdraw(candidate)
            else:
                grown = self._grown(candidate)
                if not self._drops(grown):
                    return self._accept(candidate, grown)
                if not self._give_back():
                    return None

    def _best_free(self) -> int | None:
        """Eq. 8 over the weak rankers that neither wait nor are set aside."""
        if not self._free.any():
            return None
        return int(np.argmax(np.where(self._free, self._edges_now(), -np.inf)))

    def _edges_now(self) -> Floats:
        """Σ_i P_t(i) E(x_i, y_i, h) of every weak ranker; kept while P_t stays as it is."""
        distribution, edges = self._edges
        if distribution is not self._ensemble.distribution:
            distribution = self._ensemble.distribution
            # Not BLAS, whose order of summation may depend on the number of threads.
            edges = np.einsum("cq,q->c", self._pool.performance, distribution)
            self._edges = distribution, edges
        return edges

    def _grown(self, candidate: int) -> _Ensemble:
        """Eq. 9, the sum, and the new weights of the queries."""
        now = self._ensemble
        edge = _dot(now.distribution, self._pool.performance[candidate])
        edge = min(edge, _HIGHEST_EDGE)
        coefficient = 0.5 * float(np.log((1.0 + edge) / (1.0 - edge)))
        weights = now.weights + coefficient * self._pool.weights[candidate]
        scores = Linear(weights).score(self._train.features)
        values = self._measure.per_query(scores)
        return _Ensemble(
            weights,
            scores,
            values,
            self._reweighted(values, coefficient),
            float(values.mean()),
            (*now.chosen, candidate),
            (*now.coefficients, coefficient),
        )

    def _reweighted(self, values: Floats, coefficient: float) -> Floats:
        if self._rules.reweighting == "published":
            if values is self._ensemble.values:
                return self._ensemble.distribution
            unscaled = np.exp(-values)
        else:
            unscaled = self._ensemble.distribution * np.exp(-coefficient * values)
        scaled: Floats = unscaled / unscaled.sum()
        return scaled

    def _drops(self, grown: _Ensemble) -> bool:
        drop = self._rules.stop_at_drop
        return drop is not None and self._ensemble.training - grown.training >= drop

    def _accept(self, candidate: int, grown: _Ensemble) -> _Ensemble:
        same = candidate == self._last and grown.training == self._ensemble.training
        self._unchanged = self._unchanged + 1 if same else 0
        if candidate != self._last:
            self._free[:] = True
            self._free[self._queue] = False
        if self._unchanged >= _UNCHANGED_CHOICES and self._rules.domination == "queue":
            self._free[candidate] = False
            self._unchanged = 0
        self._before, self._ensemble, self._last = self._ensemble, grown, candidate
        return grown

    def _withdraw(self, candidate: int) -> None:
        """Take both choices back, with the weights of the queries, and let the ranker wait."""
        self._ensemble = self._before
        self._queue.append(candidate)
        self._free[candidate] = False

    def _give_back(self) -> bool:
        """Let the first of those waiting come back; false where none waits."""
        if not self._queue:
            return False
        self._returning = True
        self._free[self._queue.pop(0)] = True
        return True


def _check_range(pool: Pool, measure: TrainingMeasure) -> None:
    highest = float(np.abs(pool.performance).max())
    if highest > 1.0 + 1e-9:
        raise RankwiseError(
            f"boosting needs a measure between -1 and 1, found {measure.measure} with a value of "
            f"{highest:g}; choose a normalized one such as NDCG@5"
        )


def _dot(one: Floats, other: Floats) -> float:
    return float(np.einsum("q,q->", one, other))


def _boosted(best: tuple[float, int, _Ensemble] | None, rounds: int) -> Boosted:
    if best is None:
        raise RankwiseError("boosting needs at least one round, found none")
    value, number, ensemble = best
    return Boosted(
        ensemble.weights,
        ensemble.chosen,
        ensemble.coefficients,
        number,
        rounds,
        ensemble.training,
        value,
    )
