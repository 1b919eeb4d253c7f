"""Logging rankers, whose lists users see, and the split between feedback and judged queries.

A logging ranker is trained on a few queries, or is one feature, or chance. The queries whose users
give feedback and those on which the result is judged are never the same unless somebody asks for
it. True labels judge: means of measures by a tool, and means over seeds with their intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, read_folds
from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged
from rankwise.models.model import Model
from rankwise.models.model_file import load_model
from rankwise.native.distributions import student_quantile
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
        return _score_by_feature(dataset, str(logging).partition(":")[2])
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


def _score_by_feature(dataset: Dataset, text: str) -> Floats:
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


FEEDBACK_PARTS = ("train", "test")


@dataclass(frozen=True, eq=False)
class FeedbackSplit:
    """The queries whose users give feedback, and others on which what was learned is judged."""

    number: int
    feedback: Dataset
    held_out: Dataset

    def __post_init__(self) -> None:
        shared = sorted(set(self.feedback.query_ids) & set(self.held_out.query_ids))
        if shared:
            raise RankwiseError(
                "queries that give feedback must not be among those held out, found "
                f"{shared[0]!r} in both (fold {self.number})"
            )


def split_feedback(
    data: str | Path | Sequence[Fold], feedback: str = "train", folds: Sequence[int] | None = None
) -> list[FeedbackSplit]:
    """A split for each fold: its training part gives feedback and its test part is held out.

    With `feedback="test"` it is the other way round: figures on the feedback queries are then those
    of methods that learn from the labels which score them.
    """
    if feedback not in FEEDBACK_PARTS:
        raise RankwiseError(
            f"feedback comes from the part {' or '.join(FEEDBACK_PARTS)}, found {feedback!r}"
        )
    found = read_folds(data) if isinstance(data, str | Path) else list(data)
    known = {fold.number for fold in found}
    for number in folds or ():
        if number not in known:
            raise RankwiseError(f"the data must have fold {number}, found {sorted(known)}")
    return [
        FeedbackSplit(fold.number, fold.train, fold.test)
        if feedback == "train"
        else FeedbackSplit(fold.number, fold.test, fold.train)
        for fold in found
        if not folds or fold.number in folds
    ]


def judge(dataset: Dataset, scores: Floats, measures: Sequence[str], tool: str) -> dict[str, float]:
    """The means of measures as a tool computes them; tied documents count as in random order.

    So a learner that has nothing to say about a query gets what chance gets, not what the order of
    a file gives.
    """
    judged = JudgedScores(dataset.labels, scores, dataset.query_offsets, list(dataset.query_ids))
    return evaluate_judged(judged, measures, tool, ties="expected").means()


class SeedInterval(NamedTuple):
    """A mean over seeds with the 95 % interval of Student's t, NaN where there is one seed."""

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float] | Floats) -> SeedInterval:
    """The mean of independent runs, and where that of many runs would be."""
    found = np.asarray(values, dtype=np.float64)
    mean = float(found.mean())
    if len(found) < 2:
        return SeedInterval(mean, float("nan"), float("nan"))
    error = float(found.std(ddof=1) / np.sqrt(len(found)))
    reach = student_quantile(len(found) - 1, 0.975) * error
    return SeedInterval(mean, mean - reach, mean + reach)
