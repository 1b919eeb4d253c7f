"""What the dense table says of methods in one measure: losses, times and failures by data set.

The loss of method m on data set d is the share of the best value that it misses,

    loss(d, m) = (best(d) - value(d, m)) / best(d),    best(d) = max over m of value(d, m),

with values that are means over folds and seeds. A run that failed has the worst value that any
method has on that fold: whoever gets no model is not rewarded for it. A method that was not run on
a data set has no loss there.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import Advice, RankwiseError
from rankwise.rankers.registry import RANKERS, find_ranker

if TYPE_CHECKING:
    from rankwise.results.benchmark_runs import DenseData, DenseRun, DenseTable

Table = NDArray[np.float64]

FEWEST_DATASETS = 3
SHORTEST = 0.01
"""Seconds: the table has no finer ones."""


@dataclass(frozen=True, eq=False)
class MethodEvidence:
    """Methods on data sets in one measure, as arrays (data sets, methods).

    Attributes:
        measure: what is compared.
        datasets: their names.
        sizes: (data sets, 2): documents and features.
        highest_labels: one per data set, NaN where it is not known.
        methods: their names in print.
        rankers: their names here.
        families: pointwise, pairwise, listwise, wrapper.
        losses: the share of the best value that is missed; NaN where it was not run.
        failed: whether a run of it failed there.
        log_seconds: the mean over runs of the logarithm of the processor seconds of a tuned fold;
            NaN where none is known. Of runs that were ended for their time it is what they had.
        trainings: the median number of trainings of a tuned fold.
    """

    measure: str
    datasets: tuple[str, ...]
    sizes: Table
    highest_labels: Table
    methods: tuple[str, ...]
    rankers: tuple[str, ...]
    families: tuple[str, ...]
    losses: Table
    failed: NDArray[np.bool_]
    log_seconds: Table
    trainings: Table

    @property
    def was_run(self) -> NDArray[np.bool_]:
        """Where there is a loss."""
        return ~np.isnan(self.losses)

    def find_ranker(self, ranker: str) -> int | None:
        """The number of the method that is this ranker."""
        return self.rankers.index(ranker) if ranker in self.rankers else None


def gather_evidence(table: DenseTable, measure: str) -> MethodEvidence:
    """What the table says in a measure about methods that are registered here."""
    data = [one for one in table.data if one.documents and one.features]
    _check(table, data, measure)
    runs = [run for run in table.runs if run.ranker in RANKERS]
    rankers = dict(sorted({run.method: run.ranker for run in runs}.items()))
    families = {method: find_ranker(ranker).family for method, ranker in rankers.items()}
    cells = {(one.subject, method): _Cell([]) for one in data for method in rankers}
    for run in runs:
        if (run.subject, run.method) in cells:
            cells[run.subject, run.method].runs.append(run)
    names = _name_all(data)
    rows = [_fill([cells[one.subject, m] for m in rankers], measure) for one in data]
    present = [number for number, row in enumerate(rows) if not np.isnan(row[0]).all()]
    if len(present) < FEWEST_DATASETS:
        raise RankwiseError(
            f"the table must have {measure} on at least {FEWEST_DATASETS} data sets, found "
            f"{len(present)}",
            Advice("name another one by {}", "table", "DIR"),
        )
    known = [one for one in range(len(rankers)) if any(not np.isnan(row[0][one]) for row in rows)]
    kept = [[part[known] for part in rows[number]] for number in present]
    listed = list(rankers)
    return MethodEvidence(
        measure=measure,
        datasets=tuple(names[number] for number in present),
        sizes=np.array([(data[n].documents, data[n].features) for n in present], np.float64),
        highest_labels=np.array([_or_nan(data[n].highest_label) for n in present]),
        methods=tuple(listed[one] for one in known),
        rankers=tuple(rankers[listed[one]] for one in known),
        families=tuple(families[listed[one]] for one in known),
        losses=np.array([row[0] for row in kept]),
        failed=np.array([row[1] for row in kept], bool),
        log_seconds=np.array([row[2] for row in kept]),
        trainings=_median_trainings([row[3] for row in kept]),
    )


def _check(table: DenseTable, data: list[DenseData], measure: str) -> None:
    measures = list(dict.fromkeys(name for run in table.runs for name in run.values))
    if measure not in measures:
        raise RankwiseError(
            f"the measure must be one of the table, {', '.join(measures)}, found {measure!r}"
        )
    if len(data) < FEWEST_DATASETS:
        raise RankwiseError(
            f"the table must know documents and features of at least {FEWEST_DATASETS} data sets, "
            f"found {len(data)}",
            Advice("name another one by {}", "table", "DIR"),
        )


@dataclass(frozen=True)
class _Cell:
    """The runs of a method on a data set."""

    runs: list[DenseRun]

    @property
    def was_tried(self) -> bool:
        """Whether the data set was one for it: a refusal for want of relations is no failure."""
        return any(not _lacks_relations(run) for run in self.runs)


def _lacks_relations(run: DenseRun) -> bool:
    return bool(run.failure) and find_ranker(run.ranker).uses_relations


def _fill(cells: list[_Cell], measure: str) -> tuple[Table, Table, Table, Table]:
    """Losses, failures, times and trainings of all methods on one data set."""
    worst: dict[int, float] = defaultdict(lambda: math.inf)
    for run in _runs_of(cells):
        if measure in run.values:
            worst[run.fold] = min(worst[run.fold], run.values[measure])
    values = np.array([_mean_value(cell, measure, worst) for cell in cells])
    best = np.nanmax(values, initial=0.0)
    losses = (best - values) / best if best > 0 else np.where(np.isnan(values), np.nan, 0.0)
    failed = np.array([cell.was_tried and any(map(_is_failed, cell.runs)) for cell in cells])
    times = np.array([_mean_log_seconds(cell.runs) for cell in cells])
    trainings = np.array([_or_nan(_usual([run.trainings for run in cell.runs])) for cell in cells])
    return losses, failed, times, trainings


def _runs_of(cells: Iterable[_Cell]) -> Iterable[DenseRun]:
    return (run for cell in cells for run in cell.runs)


def _is_failed(run: DenseRun) -> bool:
    return bool(run.failure)


def _mean_value(cell: _Cell, measure: str, worst: dict[int, float]) -> float:
    """The mean over folds of the mean over seeds."""
    if not cell.was_tried:
        return math.nan
    folds: dict[int, list[float]] = defaultdict(list)
    for run in cell.runs:
        value = worst[run.fold] if run.failure else run.values.get(measure, worst[run.fold])
        if math.isfinite(value):
            folds[run.fold].append(value)
    return float(np.mean([np.mean(one) for one in folds.values()])) if folds else math.nan


def _mean_log_seconds(runs: list[DenseRun]) -> float:
    """Of runs that came to an end, or had to end for their time, which was at least so long."""
    counted = [run.seconds for run in runs if not run.failure or run.failure.startswith("time")]
    return float(np.mean(np.log(np.maximum(counted, SHORTEST)))) if counted else math.nan


def _median_trainings(rows: list[Table]) -> Table:
    columns = np.array(rows).T
    return np.array([_or_nan(_usual(column[~np.isnan(column)].tolist())) for column in columns])


def _usual(values: list[float] | list[int]) -> float | None:
    return float(np.median(values)) if values else None


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _name_all(data: list[DenseData]) -> list[str]:
    """The names of data sets; with the version where two have the same."""
    counts = Counter(one.name for one in data)
    return [
        one.name if counts[one.name] == 1 or not one.version else f"{one.name}/{one.version}"
        for one in data
    ]
