"""A method that is known by its scores only, query by query, as verdicts on it need it."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from rankwise.evaluation.evaluating import evaluate
from rankwise.evaluation.given import HowJudged
from rankwise.evaluation.own_results import find_parts
from rankwise.literature.dense_table import QUERY_MEASURES, QUERY_TOOL, DenseQueries
from rankwise.results.store_records import Subject


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
    for part in parts:
        found = evaluate(part.data, part.scores, list(QUERY_MEASURES), QUERY_TOOL, **how)
        ids = list(found[QUERY_MEASURES[0]].query_ids)
        queries += ids
        folds += [part.fold or 1] * len(ids)
        for measure, own in values.items():
            own += found[measure].values.tolist()
    arrays = {measure: np.array([own]) for measure, own in values.items()}
    subject = Subject(source.collection, source.dataset, source.version)
    numbers = np.array(folds, dtype=np.int64)
    return (DenseQueries(subject, (name,), numbers, tuple(queries), arrays),)
