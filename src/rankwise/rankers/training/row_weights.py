"""What rows and queries count: by weights of the data, by pairs, or every query the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError

Floats = NDArray[np.float64]


def weigh_by_pairs(dataset: Dataset) -> Floats:
    """v_i = n n_q / |P|, with which least squares in queries are least squares of pairs.

    For errors e, Σ_{i<j} (e_i − e_j)² = n_q Σ_i (e_i − ē)² in a query of n_q documents, so that
    1/n Σ_i v_i (e_i − ē)² is the mean over all |P| = Σ_q n_q (n_q − 1) / 2 pairs of one query.
    """
    lengths = dataset.query_lengths.astype(np.float64)
    pairs = float((lengths * (lengths - 1.0) / 2.0).sum())
    return np.repeat(lengths * (dataset.n_documents / pairs), dataset.query_lengths)


def weigh_queries_equally(dataset: Dataset) -> Floats:
    """v_i = n / (|Q| n_q), with which 1/n Σ_i v_i e_i² is the mean over queries of their means."""
    lengths = dataset.query_lengths.astype(np.float64)
    shares = dataset.n_documents / (dataset.n_queries * lengths)
    return np.repeat(shares, dataset.query_lengths)


def weights_of_queries(dataset: Dataset, ranker: str) -> Floats | None:
    """One weight a query, for rankers that weigh no single documents; None where all weigh 1."""
    weights = dataset.weights
    if weights is None:
        return None
    firsts = dataset.query_offsets[:-1]
    found = weights[firsts]
    wrong = np.flatnonzero(weights != np.repeat(found, dataset.query_lengths))
    if len(wrong):
        query = dataset.query_ids[int(dataset.query_of_rows[wrong[0]])]
        raise RankwiseError(
            f"{ranker} weighs whole queries: all documents of a query must have one weight, found "
            f"several in query {query!r}"
        )
    return np.asarray(found)
