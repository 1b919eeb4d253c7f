"""Rankers whose lists are shown while a log is made: trained on little, one feature, or chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.models.model_file import load_model
from rankwise.rankers.registry import make_ranker

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
LoggingRanker = str | Path | Model | Floats

DEFAULT_SHARE = 0.05


def logging_scores(
    dataset: Dataset,
    logging: LoggingRanker,
    *,
    share: float = DEFAULT_SHARE,
    seed: int = 0,
    judged: Dataset | None = None,
) -> Floats:
    """One score a document, by which the lists of a log are ordered.

    `logging` is a model, or the file of one; `feature:N`, the values of a feature (from 1, `-N` for
    small ones first); `random`; the name of a ranker, which is trained with the true labels of
    `share` of the queries, at least one that has a relevant document, drawn by the seed (the
    production ranker of Joachims et al. 2017); or the scores themselves. `judged` are the data
    whose labels it learns from, where they are not these.
    """
    if isinstance(logging, Model):
        return logging.score(dataset)
    if isinstance(logging, np.ndarray):
        if logging.shape != (dataset.n_documents,):
            raise RankwiseError(
                f"a logging ranker gives one score a document ({dataset.n_documents}), found "
                f"{logging.shape}"
            )
        return np.asarray(logging, dtype=np.float64)
    if logging == "random":
        return np.random.default_rng([seed, 1]).random(dataset.n_documents)
    if str(logging).startswith("feature:"):
        return _feature(dataset, str(logging).partition(":")[2])
    if Path(logging).is_file():
        return load_model(logging).score(dataset)
    few = few_queries(dataset if judged is None else judged, share, seed)
    return make_ranker(str(logging)).fit(few, seed=seed).score(dataset)


def order_rows(dataset: Dataset, scores: Floats) -> Integers:
    """The rows of each query by falling score, equal ones in the order of the data."""
    rows = np.arange(dataset.n_documents, dtype=np.int64)
    return np.lexsort((rows, -scores, dataset.query_of_rows)).astype(np.int64)


def rank_of_rows(dataset: Dataset, scores: Floats) -> Integers:
    """The rank of every document in its query, from 1."""
    order = order_rows(dataset, scores)
    ranks = np.empty(dataset.n_documents, np.int64)
    starts = np.repeat(dataset.query_offsets[:-1], dataset.query_lengths)
    ranks[order] = np.arange(dataset.n_documents) - starts + 1
    return ranks


def several(logging: LoggingRanker | Sequence[LoggingRanker]) -> list[LoggingRanker]:
    """One or more logging rankers as a list."""
    if isinstance(logging, str | Path | Model | np.ndarray):
        return [logging]
    return list(logging)


def _feature(dataset: Dataset, text: str) -> Floats:
    number = text.removeprefix("-")
    if not number.isdecimal() or not 1 <= int(number) <= dataset.n_features:
        raise RankwiseError(
            f"a logging feature must be a number from 1 to {dataset.n_features}, found {text!r}"
        )
    values = np.nan_to_num(dataset.to_dense().features[:, int(number) - 1])
    return -values if text.startswith("-") else values


def few_queries(dataset: Dataset, share: float, seed: int) -> Dataset:
    """The share of the queries that a logging ranker is trained on, with different labels each."""
    starts = dataset.query_offsets[:-1]
    highest = np.maximum.reduceat(dataset.labels, starts)
    lowest = np.minimum.reduceat(dataset.labels, starts)
    useful = np.flatnonzero(highest > lowest)
    if len(useful) == 0:
        raise RankwiseError("a logging ranker learns from different labels, found no such query")
    count = min(len(useful), max(1, round(share * dataset.n_queries)))
    return dataset.select_queries(
        np.sort(np.random.default_rng([seed, 2]).choice(useful, count, replace=False))
    )
