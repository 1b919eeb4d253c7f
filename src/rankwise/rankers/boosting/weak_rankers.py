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

A Pool holds weak rankers and how each of them does on each training query. Scores exist for one
query and one candidate at a time, or where the measure is not C's alone for one block of
candidates, so that a pool of 100,000 needs room for its weights and its performance matrix, never
for candidates times documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.document_order import raise_if_failed
from rankwise.measures.prepared import PreparedMeasure
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.scorer import matrix_of
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S, UINT8S_OUT, function
from rankwise.native.arrays import Floats, Integers
from rankwise.processes import processors
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Round, Watch, never_stop
from rankwise.rankers.training.training_measure import FollowedMeasure, TrainingMeasure

REWEIGHTINGS = ("published", "multiplicative")


def reweighting() -> Any:
    """How queries weigh after a round of boosting."""
    return parameter(
        "published",
        "weights of the queries: exp(-E(F)) anew, or P exp(-b E(F)) from round to round",
        grid=REWEIGHTINGS,
        choices=REWEIGHTINGS,
    )


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


# Scores of one block: a megabyte stays in the cache of each processor.
_SCORES_IN_A_BLOCK = 125_000
# Candidates that pass over a query together: their weights and figures stay in the cache, too.
_CANDIDATES_IN_A_BLOCK = 128
# With fewer blocks than this a thread takes longer to start than to work.
_BLOCKS_WORTH_A_THREAD = 4

_score_candidates = function(
    "rankwise_score_candidates",
    *(DOUBLES, INT64, INT64, INT64S, INT64, INT64S, DOUBLES, INT64, DOUBLES_OUT),
    returns=INT64,
)
_measure_candidates = function(
    "rankwise_measure_candidates",
    *(ADDRESS, DOUBLES, INT64, INT64, INT64S, INT64, INT64S, DOUBLES, INT64),
    *(DOUBLES_OUT, UINT8S_OUT),
    returns=INT64,
)


@dataclass(frozen=True, eq=False)
class Pool:
    """Weak rankers h(x) = w · x and their performance on the training queries.

    Attributes:
        weights: (candidates, features).
        performance: (candidates, queries): E(x_i, y_i, h), the measure of each candidate on each
            query.
        numbers: the rows of the weights that were given; candidates that order nothing are left
            out, since the order of the file, not they, would earn their performance.
    """

    weights: Floats
    performance: Floats
    numbers: Integers

    @classmethod
    def of(
        cls, weights: Floats, train: Dataset, measure: TrainingMeasure, best: int | None = None
    ) -> Pool:
        """All candidates that tell documents apart, or the `best` of them by mean performance."""
        matrix = np.empty((len(weights), measure.n_queries)) if best is None else None
        means = _mean_performance(weights, train, measure, matrix)
        numbers = _chosen_rows(means, best)
        chosen = np.ascontiguousarray(weights[numbers], dtype=np.float64)
        if matrix is None:
            matrix = performance_matrix(chosen, train, measure)
        elif len(numbers) < len(weights):
            matrix = matrix[numbers]
        return cls(chosen, matrix, numbers)

    def __len__(self) -> int:
        return len(self.weights)

    def keep_best(self, best: int) -> Pool:
        """What `of` makes with `best`, from the figures that are already there."""
        kept = _chosen_rows(self.performance.mean(axis=1), best)
        return Pool(self.weights[kept], self.performance[kept], self.numbers[kept])


def performance_matrix(weights: Floats, train: Dataset, measure: TrainingMeasure) -> Floats:
    """(candidates, queries): the measure of every linear candidate on every query.

    Blocks of candidates are shared out to threads; no figure depends on the split.
    """
    matrix = np.empty((len(weights), measure.n_queries))
    _mean_performance(weights, train, measure, matrix)
    return matrix


def linear_scores(dataset: Dataset, weights: Floats) -> Floats:
    """(candidates, documents): the scores of every candidate, to the bit as `Linear` gives them."""
    matrix = matrix_of(dataset.features, weights.shape[1])
    out = np.empty((len(weights), len(matrix)))
    if _score_candidates(matrix, *matrix.shape, *_sparse_rows(weights), out):
        raise ValueError("every weight must belong to a candidate and to a feature")
    return out


def _sparse_rows(weights: Floats) -> tuple[object, ...]:
    """Where the weights of each candidate begin, how many candidates, columns, weights, entries."""
    candidates, columns = map(np.ascontiguousarray, np.nonzero(weights))
    starts = np.searchsorted(candidates, np.arange(len(weights) + 1))
    return starts, len(weights), columns, weights[candidates, columns], len(columns)


def _mean_performance(
    weights: Floats, train: Dataset, measure: TrainingMeasure, matrix: Floats | None
) -> Floats:
    """The mean over the queries; NaN for a candidate that ties all documents of every query.

    Fills `matrix` with the performance on every query where there is one.
    """
    means = np.empty(len(weights))
    prepared = measure.prepared() if measure.compares_scores_as_they_are else None
    size = _CANDIDATES_IN_A_BLOCK
    if prepared is None:
        size = max(1, _SCORES_IN_A_BLOCK // max(1, train.n_documents))

    def work(block: slice) -> None:
        if prepared is None:
            values, tells = _measured_scores(weights[block], train, measure)
        else:
            values, tells = _measured_at_once(weights[block], train, measure, prepared)
        means[block] = np.where(tells, values.mean(axis=1), np.nan)
        if matrix is not None:
            matrix[block] = values

    _over_blocks(work, len(weights), size)
    return means


def _measured_at_once(
    weights: Floats, train: Dataset, measure: TrainingMeasure, prepared: PreparedMeasure
) -> tuple[Floats, NDArray[np.bool_]]:
    """(candidates, queries) the measure, and which candidates tell documents apart, by C alone."""
    features = matrix_of(train.features, weights.shape[1])
    values = np.empty((len(weights), measure.n_queries))
    tells = np.zeros(len(weights), dtype=np.uint8)
    raise_if_failed(
        _measure_candidates(
            prepared.address, features, *features.shape, *_sparse_rows(weights), values, tells
        )
    )
    found = measure.without_skipped(values)
    return np.where(np.isfinite(found), found, 0.0), tells > 0


def _measured_scores(
    weights: Floats, train: Dataset, measure: TrainingMeasure
) -> tuple[Floats, NDArray[np.bool_]]:
    """As `_measured_at_once`, from all scores of the block, for any measure."""
    scores = linear_scores(train, weights)
    tells = np.zeros(len(weights), dtype=np.bool_)
    inner = np.ones(train.n_documents, dtype=np.bool_)
    inner[train.query_offsets[:-1]] = False
    for number, row in enumerate(scores):
        tells[number] = bool(np.any((row[1:] != row[:-1]) & inner[1:]))
    return measure.matrix(scores), tells


def _chosen_rows(means: Floats, best: int | None) -> Integers:
    numbers = np.flatnonzero(~np.isnan(means))
    if len(numbers) == 0:
        raise RankwiseError(
            "a weak ranker must tell two documents of a query apart, found none among "
            f"{len(means)}: all features are constant within every training query"
        )
    if best is None:
        return numbers
    return np.sort(numbers[np.argsort(-means[numbers], kind="stable")[:best]])


def _over_blocks(work: Callable[[slice], None], candidates: int, size: int) -> None:
    """Run `work` on blocks of `size` candidates, on all processors that this process may use."""
    blocks = list(_blocks_of_candidates(candidates, size))
    threads = min(len(blocks) // _BLOCKS_WORTH_A_THREAD, processors())
    if threads <= 1:
        for block in blocks:
            work(block)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as executor:
        for _ in executor.map(work, blocks):
            pass


def _blocks_of_candidates(candidates: int, size: int) -> Iterator[slice]:
    return (slice(first, first + size) for first in range(0, candidates, size))
