"""A method that is known by its scores only, query by query, as verdicts on it need it."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from rankwise.data.reading import read
from rankwise.data.scores.evaluation_input import HowJudged
from rankwise.data.shared_queries import QueryPrints, number_queries
from rankwise.evaluation.evaluating import evaluate
from rankwise.evaluation.own_results import find_parts
from rankwise.results.benchmark_runs import QUERY_MEASURES, QUERY_TOOL, DenseQueries
from rankwise.results.task_records import Subject


def tabulate_queries(
    data: Any,
    scores: Any,
    name: str = "mine",
    *,
    dataset: str | None = None,
    collection: str | None = None,
    **how: Unpack[HowJudged],
) -> tuple[DenseQueries, ...]:
    """The values of a method on every query, for `place` among methods of one protocol.

    The arguments are those of `tabulate_scores`. Values are of MAP and NDCG@10 by their
    definition, as a dense table has them.
    """
    source, parts = find_parts(data, scores, dataset, collection)
    folds: list[int] = []
    queries: list[str] = []
    values: dict[str, list[float]] = {measure: [] for measure in QUERY_MEASURES}
    prints: list[QueryPrints] = []
    for part in parts:
        if len(parts) > 1:
            prints.append(QueryPrints.of(read(part.data)))
        found = evaluate(part.data, part.scores, list(QUERY_MEASURES), QUERY_TOOL, **how)
        ids = list(found[QUERY_MEASURES[0]].query_ids)
        queries += ids
        folds += [part.fold or 1] * len(ids)
        for measure, own in values.items():
            own += found[measure].values.tolist()
    # A query that several folds test counts once, where it stands first, with its mean.
    same = number_queries(prints) if prints else np.arange(len(queries))
    first = np.unique(same, return_index=True)[1]
    arrays = {
        measure: (np.bincount(same, own) / np.bincount(same))[None]
        for measure, own in values.items()
    }
    subject = Subject(source.collection, source.dataset, source.version)
    numbers = np.array(folds, dtype=np.int64)[first]
    names = tuple(queries[number] for number in first)
    return (DenseQueries(subject, (name,), numbers, names, arrays),)
