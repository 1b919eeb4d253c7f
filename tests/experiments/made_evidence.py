"""Made-up dense tables: values and times by a law that a test chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from rankwise.results.benchmark_runs import DenseData, DenseQueries, DenseRun, DenseTable
from rankwise.results.result_table import ResultTable
from rankwise.results.task_records import Subject

SIZES = (
    (16_140, 45), (69_623, 46), (15_211, 46), (6_000, 44), (3_500, 44), (9_000, 40), (120_000, 136),
)  # fmt: skip
RANKERS = (
    "ridge-regression", "lambdamart", "listnet", "ranksvm", "rankboost", "coordinate-ascent",
)  # fmt: skip

Value = Callable[[int, str], float]
"""The value of a ranker on the data set of a number."""


def make_table(
    value: Value,
    *,
    rankers: Sequence[str] = RANKERS,
    sizes: Sequence[tuple[int, int]] = SIZES,
    seconds: Value = lambda number, ranker: 1.0,
    failures: Mapping[tuple[int, str], str] | None = None,
    absent: Sequence[tuple[int, str]] = (),
    noise: float = 0.0,
    query_noise: float | None = None,
    folds: int = 5,
    seed: int = 0,
    names: Mapping[str, str] | None = None,
) -> DenseTable:
    """A table of rankers on data sets: `noise` is that of folds, `failures` are of all folds."""
    rng = np.random.default_rng(seed)
    runs: list[DenseRun] = []
    for number in range(len(sizes)):
        for ranker in rankers:
            drawn = rng.normal(0.0, noise, folds) if noise else np.zeros(folds)
            if (number, ranker) in absent:
                continue
            failure = (failures or {}).get((number, ranker), "")
            runs += [
                DenseRun(
                    "Made", f"D{number}", None, (names or {}).get(ranker, ranker), ranker, 0, fold,
                    4, seconds(number, ranker), 10.0, {}, failure,
                    {} if failure else {"NDCG@10": float(value(number, ranker) + drawn[fold - 1])},
                )
                for fold in range(1, folds + 1)
            ]  # fmt: skip
    data = tuple(
        DenseData("Made", f"D{number}", None, 100, *size, 2, 0.3, folds)
        for number, size in enumerate(sizes)
    )
    queries = (
        ()
        if query_noise is None
        else _make_queries(value, rankers, sizes, query_noise, rng, names or {})
    )
    rows = [
        {"collection": "Made", "dataset": run.dataset, "method": run.method, "measure": name,
         "value": str(one)}
        for run in runs if run.fold == 1 for name, one in run.values.items()
    ]  # fmt: skip
    return DenseTable(ResultTable.from_rows(rows), tuple(runs), data, queries)


def _make_queries(
    value: Value,
    rankers: Sequence[str],
    sizes: Sequence[tuple[int, int]],
    noise: float,
    rng: np.random.Generator,
    names: Mapping[str, str],
) -> tuple[DenseQueries, ...]:
    return tuple(
        DenseQueries(
            Subject("Made", f"D{number}", None),
            tuple(names.get(ranker, ranker) for ranker in rankers),
            np.repeat(np.arange(1, 6), 20),
            tuple(map(str, range(100))),
            {
                "NDCG@10": np.array(
                    [value(number, ranker) + rng.normal(0.0, noise, 100) for ranker in rankers]
                )
            },
        )
        for number in range(len(sizes))
    )
