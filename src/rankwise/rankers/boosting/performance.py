"""Pools of linear weak rankers, and how each of them does on each training query.

Scores exist for one query and one candidate at a time, or where the measure is not C's alone for
one block of candidates, so that a pool of 100,000 needs room for its weights and its performance
matrix, never for candidates times documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.ranking import raise_if_failed
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S, UINT8S_OUT, function
from rankwise.processors import processors
from rankwise.rankers.scorers.scorer import matrix_of
from rankwise.rankers.training.prepared_measure import PreparedMeasure
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]

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
    numbers: NDArray[np.int64]

    @classmethod
    def of(
        cls, weights: Floats, train: Dataset, measure: TrainingMeasure, best: int | None = None
    ) -> Pool:
        """All candidates that tell documents apart, or the `best` of them by mean performance."""
        matrix = np.empty((len(weights), measure.n_queries)) if best is None else None
        means = _mean_performance(weights, train, measure, matrix)
        numbers = _chosen(means, best)
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
        kept = _chosen(self.performance.mean(axis=1), best)
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


def _chosen(means: Floats, best: int | None) -> NDArray[np.int64]:
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
    blocks = list(_blocks(candidates, size))
    threads = min(len(blocks) // _BLOCKS_WORTH_A_THREAD, processors())
    if threads <= 1:
        for block in blocks:
            work(block)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as executor:
        for _ in executor.map(work, blocks):
            pass


def _blocks(candidates: int, size: int) -> Iterator[slice]:
    return (slice(first, first + size) for first in range(0, candidates, size))
