"""The values that verdicts rest on: of own methods and of the rivals in dense tables and stores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rankwise.comparison.gathering import Results, find_dense
from rankwise.comparison.verdicts import (
    LEAST_DATASETS,
    QueryKey,
    Verdicts,
    judge_by_datasets,
    judge_by_queries,
)
from rankwise.data.catalog.published import find_published_version, list_collections
from rankwise.measures.names import result_name
from rankwise.results.benchmark_runs import QUERY_MEASURES, QUERY_TOOL, DenseQueries
from rankwise.results.result_table import ResultTable
from rankwise.results.store.database_file import is_store
from rankwise.results.store_summary import read_store_queries
from rankwise.results.task_records import Subject

FIRST_MEASURE = "NDCG@10"
"""The measure of verdicts where none is named."""
Known = dict[str, dict[Subject, dict[QueryKey, float]]]
"""By method, data set, and fold and id of the query."""


def find_queries(*sources: Results) -> tuple[DenseQueries, ...]:
    """The values query by query of dense tables and stores; none of other results."""
    found: list[DenseQueries] = []
    for one in sources:
        dense = find_dense(one)
        if dense is not None:
            found += dense.queries
        elif isinstance(one, str | Path) and is_store(one):
            found += read_store_queries(one)
    return tuple(found)


def judge_methods(
    methods: Sequence[str],
    own: Sequence[DenseQueries],
    rivals: Sequence[DenseQueries],
    table: ResultTable,
    measures: Sequence[str] = (),
    level: float = 0.05,
) -> tuple[tuple[Verdicts, ...], list[str]]:
    """Verdicts on own methods against the methods of one protocol, and why some have none.

    Args:
        methods: those to judge.
        own: their values query by query, where these are known.
        rivals: the same of the methods of one protocol.
        table: the results of all methods, own ones and rivals, for those without such values.
        measures: the first of these with values is taken; else NDCG@10, else MAP.
        level: the probability of any wrong finding about a method.
    """
    wanted = [result_name(one) for one in measures] or [FIRST_MEASURE, *QUERY_MEASURES]
    found: list[Verdicts] = []
    said: list[str] = []
    names = dict.fromkeys(name for one in rivals for name in one.methods)
    for method in methods:
        verdicts = _judge_queries(method, own, rivals, wanted, level, said)
        if verdicts is None or not len(verdicts):
            verdicts = _judge_means(method, table, list(names), wanted, level)
        if len(verdicts):
            found.append(verdicts)
        else:
            said.append(
                f"no verdict on {method}: it has neither values of the queries of the table by the "
                f"tool {QUERY_TOOL} nor means on {LEAST_DATASETS} of its data sets; place a store, "
                "or scores with their data"
            )
    return tuple(found), said


def _judge_queries(
    method: str,
    own: Sequence[DenseQueries],
    rivals: Sequence[DenseQueries],
    wanted: Sequence[str],
    level: float,
    said: list[str],
) -> Verdicts | None:
    for measure in wanted:
        theirs = _index(rivals, measure)
        mine = _index(own, measure).get(method, {})
        whole = {
            subject: values
            for subject, values in mine.items()
            if _covers(method, subject, values, theirs, said)
        }
        if whole:
            return judge_by_queries(method, whole, theirs, measure, level)
    return None


def _covers(
    method: str,
    subject: Subject,
    values: Mapping[QueryKey, float],
    theirs: Known,
    said: list[str],
) -> bool:
    """Whether a method has all queries of the rivals on a data set, or it could choose them."""
    there = {query for known in theirs.values() for query in known.get(subject, ())}
    lacking = len(there - values.keys())
    if there and lacking:
        said.append(
            f"no verdict on {method} by {subject.dataset}: it lacks {lacking:,} of "
            f"{len(there):,} queries, by fold and id"
        )
    return bool(there) and not lacking


def _index(queries: Iterable[DenseQueries], measure: str) -> Known:
    found: Known = {}
    for one in queries:
        subject = _name_version(one.subject)
        keys = list(zip(one.folds.tolist(), one.queries, strict=True))
        for method, values in zip(one.methods, one.values.get(measure, ()), strict=False):
            own = found.setdefault(method, {}).setdefault(subject, {})
            own.update(zip(keys, values.tolist(), strict=True))
    return found


def _name_version(subject: Subject) -> Subject:
    """The data set in the version that is meant where none is named: that of published figures."""
    published = find_published_version(subject.collection, subject.dataset)
    known = subject.collection in list_collections()
    return subject._replace(version=subject.version or (published if known else None))


def _judge_means(
    method: str, table: ResultTable, rivals: Sequence[str], wanted: Sequence[str], level: float
) -> Verdicts:
    there = set(table.measures())
    measure = next((one for one in wanted if one in there), wanted[0])
    means: dict[str, dict[str, float]] = {}
    rows = table.where(measure=measure)
    for name, dataset, value in zip(rows.method, rows.dataset_names, rows.value, strict=True):
        means.setdefault(name, {})[dataset] = float(value)
    known = {name: means[name] for name in rivals if name in means and name != method}
    return judge_by_datasets(method, means.get(method, {}), known, measure, level)
