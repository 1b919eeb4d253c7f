"""Made-up dense tables: methods of known strength on data sets of known difficulty.

A value of a query is clipped to [0, 1] from: how hard the query is, what the method gains on all
data sets (`strengths`), what it gains on this one, and noise of the query, the seed and the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.results.benchmark_runs import (
    SOURCE,
    DenseData,
    DenseQueries,
    DenseRun,
    DenseTable,
    Values,
)
from rankwise.results.result_table import ResultTable
from rankwise.results.store_summary import name_in_survey
from rankwise.results.task_records import Subject

MEASURES = ("MAP", "NDCG@1", "NDCG@3", "NDCG@5", "NDCG@10", "P@10", "ERR@10")
STRENGTHS = {
    "best-feature": -0.10,
    "ridge-regression": 0.0,
    "ranknet": 0.0,
    "listnet": 0.01,
    "adarank-map": -0.03,
    "coordinate-ascent": 0.02,
    "lambdamart": 0.04,
    "mart": 0.03,
}
RANDOM = ("ranknet", "listnet", "coordinate-ascent")


@dataclass(frozen=True)
class MadeData:
    """A data set of a made-up table."""

    collection: str
    dataset: str
    version: str | None
    tool: str
    queries: int
    level: float


DATA = (
    MadeData("LETOR 3.0", "OHSUMED", "QueryLevelNorm", "letor3", 105, 0.45),
    MadeData("LETOR 4.0", "MQ2007", None, "letor4", 400, 0.46),
    MadeData("LETOR 4.0", "MQ2008", None, "letor4", 300, 0.48),
    MadeData("", "cranfield", None, "definition", 200, 0.40),
)


def make_dense(
    seed: int = 0,
    strengths: Mapping[str, float] = STRENGTHS,
    data: Sequence[MadeData] = DATA,
    *,
    folds: int = 5,
    noise: float = 0.08,
    failures: Mapping[tuple[str, str], str] | None = None,
) -> DenseTable:
    """A dense table of rankers of these strengths; `failures` are by data set and ranker."""
    draw = np.random.default_rng(seed)
    runs: list[DenseRun] = []
    queries: list[DenseQueries] = []
    rows: list[dict[str, object]] = []
    for one in data:
        fold_of = np.arange(one.queries) % folds + 1
        hard = draw.normal(0.0, 0.15, one.queries)
        complete: dict[str, dict[str, Values]] = {}
        for ranker, strength in strengths.items():
            here = one.level + strength + draw.normal(0.0, 0.01)
            seeds = (0, 1, 2) if ranker in RANDOM else (0,)
            own = {
                measure: here + hard + draw.normal(0.0, noise, (len(seeds), one.queries))
                for measure in MEASURES
            }
            own = {measure: np.clip(values, 0.0, 1.0) for measure, values in own.items()}
            seconds = draw.uniform(0.5, 20.0)
            failure = (failures or {}).get((one.dataset, ranker), "")
            runs += [
                _make_run(one, ranker, seeds[s], fold, seconds, failure, own, fold_of == fold, s)
                for fold in range(1, folds + 1)
                for s in range(len(seeds))
            ]
            if not failure:
                name = name_in_survey(ranker)
                complete[name] = {m: values.mean(axis=0) for m, values in own.items()}
                rows += _list_results(one, name, complete[name], fold_of)
        queries.append(_make_queries(one, complete, fold_of))
    return DenseTable(
        ResultTable.from_rows(rows),
        tuple(runs),
        tuple(_make_data(one, folds) for one in data),
        tuple(queries),
    )


def _make_run(
    one: MadeData,
    ranker: str,
    seed: int,
    fold: int,
    seconds: float,
    failure: str,
    own: Mapping[str, Values],
    chosen: Values,
    place: int,
) -> DenseRun:
    failed = failure if fold == 1 else ""
    values = {} if failed else {m: float(v[place, chosen].mean()) for m, v in own.items()}
    return DenseRun(
        one.collection, one.dataset, one.version, name_in_survey(ranker), ranker, seed, fold, 6,
        round(seconds * one.queries / 100, 2), 200.0, {"regularization": 0.1}, failed, values,
    )  # fmt: skip


def _list_results(
    one: MadeData, method: str, values: Mapping[str, Values], fold_of: Values
) -> list[dict[str, object]]:
    folds = np.unique(fold_of)
    return [
        {
            "collection": one.collection, "dataset": one.dataset, "version": one.version,
            "method": method, "measure": measure, "tool": tool, "source": SOURCE,
            "value": float(np.mean([own[fold_of == fold].mean() for fold in folds])),
        }
        for measure, own in values.items()
        for tool in dict.fromkeys(("definition", one.tool))
    ]  # fmt: skip


def _make_queries(
    one: MadeData, complete: Mapping[str, Mapping[str, Values]], fold_of: Values
) -> DenseQueries:
    return DenseQueries(
        Subject(one.collection, one.dataset, one.version),
        tuple(complete),
        fold_of.astype(np.int64),
        tuple(str(1000 + number) for number in range(one.queries)),
        {m: np.array([own[m] for own in complete.values()]) for m in ("MAP", "NDCG@10")},
    )


def _make_data(one: MadeData, folds: int) -> DenseData:
    return DenseData(
        one.collection, one.dataset, one.version, one.queries, one.queries * 20, 46, 2, 0.2, folds
    )
