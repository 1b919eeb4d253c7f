"""What the dense table says of methods in one measure, and ways to order them by it.

The evidence is losses, times and failures by data set. The loss of method m on data set d is the
share of the best value that it misses,

    loss(d, m) = (best(d) - value(d, m)) / best(d),    best(d) = max over m of value(d, m),

with values that are means over folds and seeds. A run that failed has the worst value that any
method has on that fold: whoever gets no model is not rewarded for it. A method that was not run on
a data set has no loss there.

An order for new data gives a number per method from its losses on known data sets, the smallest
first. Where a method was not run on a data set it gets the median loss there, which neither helps
nor hurts it.

On which data sets a method cannot be told from the best one there, and which from the first, is
tested. On one data set the best method is tested against each other one by Student's t of the
paired differences over queries, or over folds where the table has no values of queries; one-sided,
with p-values adjusted by Holm's procedure over the methods, so that a method that is as good as the
best is called worse on at most one data set in twenty. Of many such methods some will be.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance_tests import holm
from rankwise.errors import Advice, RankwiseError
from rankwise.native.distributions import student_tail
from rankwise.rankers.registry import RANKERS, find_ranker

if TYPE_CHECKING:
    from rankwise.results.benchmark_runs import DenseData, DenseRun, DenseTable
    from rankwise.results.task_records import Subject


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
    _check_table(table, data, measure)
    runs = [run for run in table.runs if run.ranker in RANKERS]
    rankers = dict(sorted({run.method: run.ranker for run in runs}.items()))
    families = {method: find_ranker(ranker).family for method, ranker in rankers.items()}
    cells = {(one.subject, method): _Cell([]) for one in data for method in rankers}
    for run in runs:
        if (run.subject, run.method) in cells:
            cells[run.subject, run.method].runs.append(run)
    names = _name_all(data)
    rows = [_tabulate_dataset([cells[one.subject, m] for m in rankers], measure) for one in data]
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


def _check_table(table: DenseTable, data: list[DenseData], measure: str) -> None:
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


def _tabulate_dataset(cells: list[_Cell], measure: str) -> tuple[Table, Table, Table, Table]:
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


DECIMALS = 12
"""Numbers that agree to so many decimals are equal: the rest is rounding."""


@dataclass(frozen=True, eq=False)
class OrderQuestion:
    """What is known when methods are ordered.

    Attributes:
        losses: (data sets, methods), NaN where a method was not run.
        families: of the methods.
        facts: (data sets, facts): logarithms of what the data sets are like.
        target: (facts,): the same of the new data; NaN what is not known of them.
    """

    losses: Table
    families: tuple[str, ...]
    facts: Table
    target: Table

    def filled(self) -> Table:
        """The losses, medians where there are none."""
        missing = np.isnan(self.losses)
        # Asked for thousands of times when data sets are left out in turn.
        if not missing.any():
            return self.losses
        medians = np.nanmedian(self.losses, axis=1, keepdims=True)
        filled: Table = np.where(missing, medians, self.losses)
        return filled


Way = Callable[[OrderQuestion], Table]


def mean_loss(question: OrderQuestion) -> Table:
    """(1 / D) Σ_d loss(d, m) over D data sets."""
    means: Table = question.filled().mean(axis=0)
    return means


def median_loss(question: OrderQuestion) -> Table:
    """The median over data sets of loss(d, m)."""
    return np.median(question.filled(), axis=0)


def scaled_loss(question: OrderQuestion) -> Table:
    """The mean of loss(d, m) / (median over methods of loss(d, ·)).

    Data sets on which all methods do nearly the same then count as much as those on which they
    differ.
    """
    losses = question.filled()
    medians = np.median(losses, axis=1, keepdims=True)
    scaled: Table = (losses / np.where(medians > 0, medians, 1.0)).mean(axis=0)
    return scaled


def mean_rank(question: OrderQuestion) -> Table:
    """The mean over data sets of the rank, equal losses sharing the mean of theirs."""
    losses = question.filled().round(DECIMALS)
    below = (losses[:, :, None] > losses[:, None, :]).sum(axis=2)
    equal = (losses[:, :, None] == losses[:, None, :]).sum(axis=2)
    ranks: Table = (below + (equal + 1) / 2).mean(axis=0)
    return ranks


def shrunk_loss(question: OrderQuestion) -> Table:
    """f(m) + w · (a(m) - f(m)): the mean loss a, drawn to the mean f of the method's family.

    In the model loss(d, m) = δ(d) + φ(family of m) + α(m) + ε(d, m), with α and ε of variances τ²
    and σ², w = τ² / (τ² + σ² / D). Both variances are estimated by moments. Were all methods
    drawn to one mean, the order would be that of the mean loss.
    """
    losses = question.filled()
    count, width = losses.shape
    means = losses.mean(axis=0)
    left = losses - losses.mean(axis=1, keepdims=True) - (means - means.mean())
    noise = float((left**2).sum()) / max(1, (count - 1) * (width - 1)) / count
    families = np.array(question.families)
    centres = np.array([means[families == family].mean() for family in families])
    spread = float(((means - centres) ** 2).sum()) / max(1, width - len(set(families)))
    signal = max(0.0, spread - noise)
    weight = signal / (signal + noise) if signal + noise > 0 else 1.0
    shrunk: Table = centres + weight * (means - centres)
    return shrunk


def similar_loss(question: OrderQuestion) -> Table:
    """Σ_d k(d) loss(d, m) / Σ_d k(d): data sets that are like the new data count more.

    k(d) = exp(-‖z(d) - z‖² / 2h²), with z the logarithms of documents, features and highest label
    divided by their standard deviation over data sets, and h² the median of the squared distances
    between data sets.
    """
    known = ~(np.isnan(question.target) | np.isnan(question.facts).any(axis=0))
    facts, target = question.facts[:, known], question.target[known]
    scale = facts.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    facts, target = facts / scale, target / scale
    apart = ((facts[:, None, :] - facts[None, :, :]) ** 2).sum(axis=2)
    pairs = apart[np.triu_indices(len(facts), 1)]
    width = (float(np.median(pairs)) if len(pairs) else 0.0) or 1.0
    squares = ((facts - target) ** 2).sum(axis=1)
    # From the nearest on: data far from all would otherwise have no weights at all.
    weights = np.exp(-(squares - squares.min()) / (2.0 * width))
    weighed: Table = weights @ question.filled() / weights.sum()
    return weighed


ORDERS: dict[str, Way] = {
    "mean-loss": mean_loss,
    "median-loss": median_loss,
    "scaled-loss": scaled_loss,
    "mean-rank": mean_rank,
    "shrunk-loss": shrunk_loss,
    "similar-data": similar_loss,
}
USUAL_ORDER = "mean-loss"


def find_order(name: str) -> Way:
    """The way to order of this name."""
    if name not in ORDERS:
        raise RankwiseError(f"the order must be one of {', '.join(ORDERS)}, found {name!r}")
    return ORDERS[name]


def sort_methods(numbers: Table) -> list[int]:
    """The places of the smallest numbers first; equal ones stay as they stand."""
    return [int(one) for one in np.argsort(numbers.round(DECIMALS), kind="stable")]


LEVEL = 0.05


def count_among_best(
    table: DenseTable, measure: str, methods: tuple[str, ...]
) -> tuple[NDArray[np.int64], int]:
    """On how many data sets each method is not told from the best, and of how many."""
    counts, told = np.zeros(len(methods), np.int64), 0
    for one in table.data:
        values = _find_query_values(table, one.subject, measure, methods)
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


def _find_query_values(
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
