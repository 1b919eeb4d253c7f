"""On which data sets a method cannot be told from the best one there, and which from the first.

On one data set the best method is tested against each other one by Student's t of the paired
differences over queries, or over folds where the table has no values of queries; one-sided, with
p-values adjusted by Holm's procedure over the methods, so that a method that is as good as the best
is called worse on at most one data set in twenty. Of many such methods some will be.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance import holm
from rankwise.native.distributions import student_tail

if TYPE_CHECKING:
    from rankwise.results.benchmark_runs import DenseTable
    from rankwise.results.task_records import Subject

Table = NDArray[np.float64]

LEVEL = 0.05


def count_among_best(
    table: DenseTable, measure: str, methods: tuple[str, ...]
) -> tuple[NDArray[np.int64], int]:
    """On how many data sets each method is not told from the best, and of how many."""
    counts, told = np.zeros(len(methods), np.int64), 0
    for one in table.data:
        values = _find_values(table, one.subject, measure, methods)
        if values.shape[1] > 1 and not np.isnan(values).all():
            counts += find_among_best(values)
            told += 1
    return counts, told


def find_among_best(values: Table) -> NDArray[np.bool_]:
    """Which methods (rows) the queries or folds (columns) do not tell from the best.

    A method with NaN, which has no values here, is not among them.
    """
    whole = ~np.isnan(values).any(axis=1)
    numbers = np.flatnonzero(whole)
    means = values[numbers].mean(axis=1)
    best = values[numbers[int(np.argmax(means))]]
    others = holm([find_p_value(best - values[number]) for number in numbers])
    among = np.zeros(len(values), bool)
    among[numbers] = others >= LEVEL
    return among


def find_undecided(losses: Table, first: int) -> NDArray[np.bool_]:
    """Which methods the data sets (rows) do not tell from the first one.

    The first is chosen by these very losses, and any other method could have been: each p-value
    counts once for each of them, before it is adjusted as above. So where all methods are equal,
    one is called worse than the first in at most one table of twenty.
    """
    numbers = [one for one in range(losses.shape[1]) if one != first]
    undecided = np.ones(losses.shape[1], bool)
    if numbers:
        tests = [find_p_value(losses[:, one] - losses[:, first]) for one in numbers]
        undecided[numbers] = holm([min(1.0, len(numbers) * one) for one in tests]) >= LEVEL
    return undecided


def find_p_value(differences: Table) -> float:
    """The p-value of the mean difference being 0 or below, by Student's t."""
    count = len(differences)
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    if deviation <= 1e-12 * abs(mean) or deviation == 0.0:
        # All alike: only their signs say something.
        return 1.0 if mean <= 0 else 0.5**count
    return student_tail(count - 1, mean / (deviation / math.sqrt(count)))


def _find_values(
    table: DenseTable, subject: Subject, measure: str, methods: tuple[str, ...]
) -> Table:
    """Rows of methods: values of queries, or of folds."""
    queries = table.find_queries(subject)
    if queries is None or measure not in queries.values:
        return _tabulate_folds(table, subject, measure, methods)
    given = queries.values[measure]
    own = dict(zip(queries.methods, given, strict=True))
    nothing = np.full(given.shape[1], np.nan)
    values = np.array([own.get(method, nothing) for method in methods])
    empty = np.isnan(given).all(axis=0)
    return values[:, ~empty]


def _tabulate_folds(
    table: DenseTable, subject: Subject, measure: str, methods: tuple[str, ...]
) -> Table:
    """Means over seeds by fold; NaN where a run failed."""
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    folds: dict[int, None] = {}
    for run in table.of(subject):
        folds[run.fold] = None
        found[run.method, run.fold].append(run.values.get(measure, math.nan))
    return np.array(
        [[np.mean(found.get((method, fold), [math.nan])) for fold in folds] for method in methods]
    ).reshape(len(methods), len(folds))
