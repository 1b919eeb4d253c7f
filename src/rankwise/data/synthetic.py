"""A small made-up data set that behaves like LETOR's: for demos and tests, never for results."""

from __future__ import annotations

import numpy as np

from rankwise.arguments import check_seed
from rankwise.data.dataset import Dataset
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError

FEATURE_NAMES = (
    "title tf",
    "title BM25",
    "title LMIR",
    "body tf",
    "body BM25",
    "body LMIR",
    "whole BM25",
    "query idf",
    "page rank",
    "in-links",
    "length",
    "noise",
)


def make_dataset(n_queries: int = 100, seed: int = 0) -> Dataset:
    """Queries of 5 to 60 documents with 12 features, labels 0 to 2 and NULL where no word matches.

    Every document has a hidden relevance r ~ N(m_q, 1), m_q ~ N(0, 0.4²). Matching features are
    noisy functions of r (BM25-like ones tighter than counts); `query idf` is constant within a
    query; `page rank`, `in-links` and `length` know r a little; `noise` not at all. Labels cut
    r + N(0, 0.7²) at 0.9 and 1.7. Title features are NULL in three documents of ten.
    """
    if n_queries < 1:
        raise RankwiseError(f"a made-up data set needs at least one query, found {n_queries}")
    rng = np.random.default_rng(check_seed(seed))
    lengths = rng.integers(5, 61, n_queries)
    queries = np.repeat(np.arange(n_queries), lengths)
    relevance = rng.normal(size=len(queries)) + 0.4 * rng.normal(size=n_queries)[queries]
    labels = np.digitize(relevance + 0.7 * rng.normal(size=len(queries)), (0.9, 1.7))
    return Dataset(
        features=_features(relevance, queries, n_queries, rng),
        labels=labels.astype(np.float64),
        query_offsets=np.append(0, np.cumsum(lengths)),
        query_ids=TextColumn.from_texts(str(1001 + q) for q in range(n_queries)),
        document_ids=TextColumn.from_texts(f"D{row:05d}" for row in range(len(queries))),
        feature_names=FEATURE_NAMES,
    )


def _features(
    relevance: np.ndarray[tuple[int], np.dtype[np.float64]],
    queries: np.ndarray[tuple[int], np.dtype[np.int64]],
    n_queries: int,
    rng: np.random.Generator,
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Columns in the order of `FEATURE_NAMES`, rounded to six decimals as files are."""
    rows = len(queries)

    def noisy(weight: float, spread: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return weight * relevance + spread * rng.normal(size=rows)

    columns = [
        np.maximum(np.rint(noisy(0.8, 1.2) + 1.0), 0.0),
        np.exp(noisy(0.4, 0.6)) * 5.0,
        noisy(1.0, 1.5) - 20.0,
        np.maximum(np.rint(noisy(2.0, 4.0) + 6.0), 0.0),
        np.exp(noisy(0.45, 0.6)) * 8.0,
        noisy(1.2, 1.6) - 30.0,
        np.exp(noisy(0.5, 0.6)) * 10.0,
        rng.uniform(5.0, 40.0, n_queries)[queries],
        np.exp(noisy(0.2, 1.0)) * 1e-5,
        np.maximum(np.rint(np.exp(noisy(0.2, 1.3))), 0.0),
        np.rint(np.exp(noisy(0.05, 0.7) + 5.0)),
        rng.random(rows),
    ]
    features = np.round(np.column_stack(columns), 6)
    unmatched = rng.random(rows) < 0.3
    features[unmatched, 0] = 0.0
    features[unmatched, 1:3] = np.nan
    return features
