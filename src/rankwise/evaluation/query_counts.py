"""How many queries a figure is a mean of, and how many of them are empty or short."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.catalog.entries import find_entry
from rankwise.data.scores.evaluation_input import Given, HowJudged
from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import Advice, RankwiseError
from rankwise.measures.computing import gains_of
from rankwise.measures.evaluation import are_relevant
from rankwise.measures.likeness import simplify
from rankwise.measures.measure import Measure
from rankwise.measures.reconciliation import QueryCounts


class QueryCounting:
    """Counts of queries for a measure, which says what is relevant and where lists are cut."""

    def __init__(self, known: QueryCounts | None, judged: JudgedScores | None) -> None:
        self._known = known
        self._judged = judged

    def __call__(self, measure: Measure) -> QueryCounts | None:
        """The counts for a measure; None where they are not known."""
        if self._judged is None:
            threshold = simplify(measure, (self._known or _NOTHING).labels).threshold
            return None if threshold not in (None, 1.0) else self._known
        return count_queries(self._judged, measure)


_NOTHING = QueryCounts(1, 0)


def count_queries(judged: JudgedScores, measure: Measure) -> QueryCounts:
    """What a measure needs to know of the queries: how many are empty, how many of others short."""
    labels = judged.labels
    levels = tuple(np.unique(labels[~np.isnan(labels)]).tolist())
    relevant = mark_relevant(labels, measure)
    per_query = np.add.reduceat(np.append(relevant, False), judged.query_offsets[:-1])
    per_query = np.where(judged.lengths > 0, per_query, 0)
    short = (judged.lengths < (measure.cutoff or 0)) & (per_query > 0)
    empty = int((per_query == 0).sum())
    return QueryCounts(judged.n_queries, empty, int(short.sum()), levels)


def mark_relevant(labels: NDArray[np.float64], measure: Measure) -> NDArray[np.bool_]:
    """Which documents a measure takes for relevant: those with a gain, or that its threshold has.

    Without either these are the documents with labels above 0.
    """
    if measure.gain is not None:
        return gains_of(labels, measure) > 0
    read = labels if measure.table is None else np.where(labels > measure.table, 0.0, labels)
    return read > 0 if measure.threshold is None else are_relevant(read, measure)


def count_by(
    data: Any,
    dataset: str | None,
    fold: int | None,
    queries: int | None,
    empty: int | None,
    how: HowJudged,
) -> QueryCounting:
    """Counts from what is at hand: judgements, a data set of the catalogue, or given numbers."""
    if data is not None:
        return QueryCounting(None, Given(data, how).without_scores())
    if queries is not None and empty is not None:
        return QueryCounting(QueryCounts(queries, empty), None)
    if (queries is None) != (empty is None):
        raise RankwiseError(
            "how many queries there are and how many are empty must be given together, found one",
            Advice("say {}", "queries"),
            Advice("say {}", "empty"),
        )
    if dataset is None:
        return QueryCounting(None, None)
    entry = find_entry(dataset)
    number = 1 if fold is None and entry.folds == 1 else fold
    found = None if number is None else entry.test_counts.get(str(number))
    if found is None:
        known = ", ".join(entry.test_counts) or "none"
        raise RankwiseError(
            f"the empty test queries of {entry.title} must be known, found those of fold {known}",
            Advice("name such a {}", "fold"),
            Advice("say {}, and how many are empty", "queries"),
            Advice("give the data themselves"),
        )
    return QueryCounting(
        QueryCounts(found.queries, found.empty, None, tuple(map(float, entry.label_levels))), None
    )
