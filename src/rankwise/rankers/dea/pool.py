"""Weak rankers from optimal weights: a pool of candidates from every document of a training set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.processors import processors
from rankwise.rankers.boosting.performance import Pool, performance_matrix
from rankwise.rankers.dea.label_outputs import LOGARITHMIC
from rankwise.rankers.dea.programs import LABEL_MODELS, NO_PROGRAM, optimal_weights
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# The authors' own runs drop candidates whose weights sum to less (errata of Jiang and Lin 2014).
SMALLEST_SUM = 0.5
# Weights are equal when they agree to so many decimals: solvers stop within about 1e-10.
_EQUAL_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class Candidates:
    """Optimal weights as weak rankers h(x) = w · x.

    Attributes:
        weights: (candidates, features), in units of the features.
        homes: the number of the query whose documents a candidate comes from.
        documents: the row of the document whose program gave it.
        programs: how many linear programs were solved.
        without_program: documents that asked nothing, as all their features are 0.
        left_out: documents of positive label whose constraint is left out of `ccr-o`.
    """

    weights: Floats
    homes: Integers
    documents: Integers
    programs: int
    without_program: int
    left_out: int

    def __len__(self) -> int:
        return len(self.weights)

    def distinct(self) -> Candidates:
        """The first of equal candidates, in their order; homes of the others are forgotten."""
        chosen = _first_of_equals(self.weights)
        return Candidates(
            self.weights[chosen],
            self.homes[chosen],
            self.documents[chosen],
            self.programs,
            self.without_program,
            self.left_out,
        )


def candidates(
    train: Dataset, model: str = "ccr-i", solver: str = "compiled", phi: str = LOGARITHMIC
) -> Candidates:
    """Solve the programs of all documents, query by query on all processors.

    Features are brought to [0, 1] within each query first, as LETOR's QueryLevelNorm is, on which
    the paper's figures rest and which this leaves as it is: with a feature that is constant and
    positive, every document would be efficient by that feature alone, and a negative one has no
    place in the models. Weights come back in units of the features. Of the weights of one query,
    those that sum to less than 0.5 in units of the range are left out, as are equal ones.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(processors()) as executor:
        found = list(
            executor.map(lambda q: _of_query(train, q, model, solver, phi), range(train.n_queries))
        )
    if not any(len(one) for one in found):
        raise RankwiseError(
            "data envelopment analysis needs a query whose documents differ in some feature"
            + (" and have a positive label" if model in LABEL_MODELS else "")
            + f", found none in {train.n_queries}"
        )
    return _joined(found)


def feature_weighted(pool: Pool, train: Dataset, measure: TrainingMeasure) -> Pool:
    """The same weak rankers, combined feature by feature: Eq. 15 of Jiang and Lin (2014).

    A weak ranker h_t that uses the features k in K_t is chosen and counts as before, but joins as
    Σ_k β_tk f_k with β_tk ∝ Σ_i E(x_i, y_i, f_k) for k in K_t. The paper leaves the factor open:
    here Σ_k β_tk = β_t, with every feature in units of its range in the training data.
    """
    worth = performance_matrix(np.eye(train.n_features), train, measure).mean(axis=1)
    ranges = np.ptp(train.features, axis=0)
    shares = np.where(pool.weights > 0.0, worth, 0.0)
    totals = shares.sum(axis=1, keepdims=True)
    units = np.where(ranges > 0.0, ranges, 1.0)
    # Where no feature of a candidate earns anything, its own weights are all there is.
    weights = np.where(totals > 0.0, shares / np.where(totals > 0.0, totals, 1.0), pool.weights)
    return Pool(weights / units, pool.performance, pool.numbers)


def _of_query(train: Dataset, number: int, model: str, solver: str, phi: str) -> Candidates:
    query = train.query(number)
    lowest, ranges = query.features.min(axis=0), np.ptp(query.features, axis=0)
    units = np.where(ranges > 0.0, ranges, 1.0)
    brought = (query.features - lowest) / units
    solved = optimal_weights(brought, query.labels, model, solver, phi)
    tried = np.flatnonzero(solved.weights.sum(axis=1) >= SMALLEST_SUM)
    chosen = tried[_first_of_equals(solved.weights[tried])]
    return Candidates(
        weights=solved.weights[chosen] / units,
        homes=np.full(len(chosen), number),
        documents=train.query_offsets[number] + solved.homes[chosen],
        programs=solved.programs,
        without_program=int(np.count_nonzero(solved.homes == NO_PROGRAM)),
        left_out=solved.left_out,
    )


def _joined(parts: Sequence[Candidates]) -> Candidates:
    return Candidates(
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.homes for part in parts]),
        np.concatenate([part.documents for part in parts]),
        sum(part.programs for part in parts),
        sum(part.without_program for part in parts),
        sum(part.left_out for part in parts),
    )


def _first_of_equals(weights: Floats) -> Integers:
    """Rows that equal no earlier one, relative to their largest weight."""
    largest = weights.max(axis=1, keepdims=True, initial=0.0)
    scale = np.where(largest > 0.0, largest, 1.0)
    keys = np.round(np.hstack([weights / scale, np.log(scale)]), _EQUAL_DECIMALS) + 0.0
    seen: dict[bytes, int] = {}
    for number, key in enumerate(np.ascontiguousarray(keys)):
        seen.setdefault(key.tobytes(), number)
    return np.array(list(seen.values()), dtype=np.int64)
