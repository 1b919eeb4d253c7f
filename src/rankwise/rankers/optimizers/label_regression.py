"""Least squares on labels by the way that suits the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.sparse_features import WIDE
from rankwise.rankers.optimizers.least_squares import LeastSquares
from rankwise.rankers.optimizers.sparse_least_squares import SparseLeastSquares
from rankwise.rankers.scorers.linear import Linear


def regress(
    dataset: Dataset,
    targets: NDArray[np.float64],
    penalty: float = 0.0,
    *,
    centre_in_query: bool,
    scale_large: bool,
    weights: NDArray[np.float64] | None = None,
) -> tuple[Linear, dict[str, Any]]:
    """The weights of `LeastSquares.solution`, and facts: the rank, where it is known.

    Sparse data, and dense ones whose triangle would be larger than most memories, are solved by
    conjugate gradients, which find no rank.
    """
    if weights is not None and not weights.all():
        dataset, targets, weights = _without_idle_queries(dataset, targets, weights)
    wide = dataset.sparse is not None or dataset.n_features > WIDE
    if wide:
        problem = SparseLeastSquares.of(
            dataset,
            targets,
            centre_in_query=centre_in_query,
            scale_large=scale_large,
            weights=weights,
        )
        return problem.solution(penalty), {"rank": None}
    scorer, rank = LeastSquares.of(
        dataset,
        targets,
        centre_in_query=centre_in_query,
        scale_large=scale_large,
        weights=weights,
    ).solution(penalty)
    return scorer, {"rank": rank}


def _without_idle_queries(
    dataset: Dataset, targets: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[Dataset, NDArray[np.float64], NDArray[np.float64]]:
    """Without the queries that weigh nothing, which have no weighted mean; weights of mean 1."""
    totals = np.add.reduceat(weights, dataset.query_offsets[:-1])
    rows = np.repeat(totals > 0.0, dataset.query_lengths)
    kept = weights[rows]
    shares = kept * (len(kept) / kept.sum())
    return dataset.select_queries(np.flatnonzero(totals)), targets[rows], shares
