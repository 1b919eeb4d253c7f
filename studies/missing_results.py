"""Missing results: does a ranking from a sparse table recover the order of a whole one?

    python studies/missing_results.py [TABLE] [--pattern tax2015] [--draws 200] [--seed 0]
        [--measures MAP,NDCG@10] [-o FOLDER]

Tax, Bockting and Hiemstra (2015) compare 87 methods by a table that is nine tenths empty. Where a
dense table exists, the same holes can be made in it, and what is left compared with the whole.
TABLE is by default the shipped `rankwise_dense`; the pattern is `tax2015` or any table of results.
With -o tables and figures are written. The pages are docs/comparison.md and docs/findings/dense.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_seed
from rankwise.comparison.cells import Cells
from rankwise.comparison.comparing import Results, compare, gather_results
from rankwise.comparison.estimates import Estimates, Estimator, Floats, ResultSample
from rankwise.comparison.estimators import DEFAULT_ESTIMATOR, ESTIMATORS
from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.rank_tests import kendall_tau_b
from rankwise.comparison.significance_tests.paired_tests import mean_ranks
from rankwise.comparison.winning_numbers import Dominance, find_front
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, write_text
from rankwise.native.distributions import student_tail
from rankwise.reports.drawing.renderer import save
from rankwise.reports.figures import FRONT, OTHER, Axis, Bar, Bars, BarSeries, Figure, GroupedBars
from rankwise.results.dataset_names import fold_name
from rankwise.results.result_table import ResultTable
from rankwise.sanitize import list_some
from rankwise.tables import Table, format_cell, format_csv
from rankwise.tables.terminal import Column, Look, lay_out

KNOWN_PATTERNS = {"tax2015": "tax2015_results"}
"""Short names of shipped tables whose holes are of interest."""

TRADES_PER_METHOD = 10
_LISTED = 8

Filled = NDArray[np.bool_]
"""(methods, data sets, measures): whether there is a result."""


@dataclass(frozen=True, eq=False)
class DenseNames:
    """What the dense table has in every cell: its methods, data sets and measures, by full name."""

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    measures: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class HolePattern:
    """The holes of a sparse table, for the methods and measures that a dense table shares.

    Attributes:
        filled: where the sparse table has results, by its own data sets.
        datasets: these data sets.
        candidates: for each data set of the dense table the numbers of those of the pattern that
            it may take the place of.
        named: for each data set of the dense table, whether these were found by its name.
    """

    filled: Filled
    datasets: tuple[str, ...]
    candidates: tuple[tuple[int, ...], ...]
    named: tuple[bool, ...]

    @property
    def is_fixed(self) -> bool:
        """Whether there is only one way to lay the pattern."""
        return all(len(found) <= 1 for found in self.candidates)

    def lay(self, generator: np.random.Generator) -> Filled:
        """The holes of the dense table's data sets, each in the place of one of the pattern's.

        No two of them take the same place, those found by name choosing first; a data set that
        finds no place left has no results.
        """
        laid = np.zeros((self.filled.shape[0], len(self.candidates), self.filled.shape[2]), bool)
        taken: set[int] = set()
        # Of data sets that are alike in this, chance says who chooses first.
        order = generator.permutation(len(self.candidates))
        for place in sorted(order.tolist(), key=lambda one: not self.named[one]):
            free = [one for one in self.candidates[place] if one not in taken]
            if free:
                chosen = free[int(generator.integers(len(free)))]
                taken.add(chosen)
                laid[:, place] = self.filled[:, chosen]
        return laid


def read_pattern(pattern: Results) -> ResultTable:
    """The table of a pattern: a short name of `KNOWN_PATTERNS`, or what `gather_results` takes."""
    known = isinstance(pattern, str) and pattern in KNOWN_PATTERNS
    return gather_results(KNOWN_PATTERNS[str(pattern)] if known else pattern, conflicts="first")


def name_pattern(pattern: Results) -> str:
    """What to call a pattern."""
    return str(pattern) if isinstance(pattern, str | Path) else "the table given"


def match_pattern(sparse: ResultTable, dense: DenseNames) -> HolePattern:
    """The holes of `sparse` for the methods and measures of `dense`, all of which it must have.

    A data set of the dense table takes the place of that of the same full name; else of those
    whose short name is its own or the beginning of it, case and signs aside (a sample of
    MSLR-WEB10K stands for it); else of any that none is named like.
    """
    method, dataset, measure = sparse.codes()
    places = {name: number for number, name in enumerate(sparse.methods())}
    rows = np.array([places[name] for name in dense.methods], dtype=np.int64)
    kinds = {name: number for number, name in enumerate(sparse.measures())}
    columns = np.array([kinds[name] for name in dense.measures], dtype=np.int64)
    filled = np.zeros((len(places), len(sparse.datasets()), len(kinds)), dtype=bool)
    filled[method, dataset, measure] = True
    named = [_find_named(sparse, name) for name in dense.datasets]
    theirs = {one for found in named for one in found}
    others = tuple(one for one in range(len(sparse.datasets())) if one not in theirs)
    return HolePattern(
        filled[rows][:, :, columns],
        tuple(sparse.datasets()),
        tuple(found or others for found in named),
        tuple(bool(found) for found in named),
    )


def describe_places(holes: HolePattern, dense: DenseNames) -> list[str]:
    """Sentences about which data sets of the pattern those of the dense table stand for."""
    said = []
    by_chance = []
    for name, named, found in zip(dense.datasets, holes.named, holes.candidates, strict=True):
        if named:
            said.append(f"{name} for {' or '.join(holes.datasets[one] for one in found)}")
        else:
            by_chance.append(name)
    sentences = (
        [f"data sets stand for those of the pattern by name: {list_some(said, _LISTED)}"]
        if said
        else []
    )
    if by_chance:
        sentences.append(
            f"data sets that stand for others of the pattern, drawn anew each time: "
            f"{list_some(by_chance, _LISTED)}"
        )
    return sentences


def _find_named(sparse: ResultTable, name: str) -> tuple[int, ...]:
    """The data sets of the pattern that the dense table's data set of this name stands for."""
    known = sparse.datasets()
    if name in known:
        return (known.index(name),)
    short = dict(zip(sparse.dataset_names.tolist(), sparse.dataset.tolist(), strict=True))
    words = [fold_name(word) for word in _endings(name)]
    for fits in (str.__eq__, str.startswith):
        found = [
            number
            for number, full in enumerate(known)
            if any(fits(word, fold_name(short[full])) for word in words)
        ]
        if found:
            return tuple(found)
    return ()


def _endings(name: str) -> Iterator[str]:
    """The name without its first 0, 1, 2, … words: a collection may stand before the data set."""
    words = name.split()
    yield from (" ".join(words[start:]) for start in range(len(words)))


def shuffle_holes(filled: Filled, generator: np.random.Generator) -> Filled:
    """A random pattern with the margins of `filled`, its rows then dealt out to methods anew.

    Kept are exactly, for every row of the pattern, its number of data sets and of results, and for
    every data set its number of methods. Which methods have results on which data sets is drawn by
    trades: two rows share out anew at random the data sets that only one of them has (the
    curveball algorithm of Strona, Nappo, Boccacci, Fattorini and San-Miguel-Ayanz 2014, "A fast
    and unbiased procedure to randomize ecological binary matrices with fixed row and column
    totals", Nature Communications 5, 4114). The measures of a row's results move together, from
    one of its data sets to another, since measures of one data set are reported together.
    """
    on = np.asarray(filled.any(axis=2))
    traded = trade(on, TRADES_PER_METHOD * len(on), generator)
    found = np.zeros_like(filled)
    for row in range(len(on)):
        sets = filled[row][on[row]]
        found[row, np.flatnonzero(traded[row])] = sets[generator.permutation(len(sets))]
    return found[generator.permutation(len(found))]


def trade(on: NDArray[np.bool_], trades: int, generator: np.random.Generator) -> NDArray[np.bool_]:
    """The matrix after so many trades of two rows; the sums of rows and columns stay."""
    rows = [set(np.flatnonzero(row).tolist()) for row in on]
    for _ in range(trades if len(rows) > 1 else 0):
        first, second = generator.choice(len(rows), 2, replace=False).tolist()
        shared = rows[first] & rows[second]
        apart = sorted(rows[first] ^ rows[second])
        size = len(rows[first]) - len(shared)
        if not 0 < size < len(apart):
            continue
        dealt = generator.permutation(apart).tolist()
        rows[first], rows[second] = shared | set(dealt[:size]), shared | set(dealt[size:])
    found = np.zeros_like(on)
    for number, columns in enumerate(rows):
        found[number, sorted(columns)] = True
    return found


def find_dense_part(table: ResultTable, sparse: ResultTable) -> tuple[DenseNames, list[str]]:
    """The methods and measures of `table` that `sparse` has too, and the data sets where all of
    these methods have all of these measures; and sentences about what was left out.

    Data sets are left out one by one, always the one without which most results remain, while that
    leaves more; then methods that lack a result.
    """
    method, dataset, measure = table.codes()
    methods, datasets, measures = table.methods(), table.datasets(), table.measures()
    shared = [name for name in measures if name in set(sparse.measures())]
    common = [name for name in methods if name in set(sparse.methods())]
    for what, found, ours, theirs in (
        ("method", common, methods, sparse.methods()),
        ("measure", shared, measures, sparse.measures()),
    ):
        if not found:
            raise RankwiseError(
                f"a pattern of holes needs a {what} that the table has too; the table has "
                f"{list_some(ours, _LISTED)}, the pattern {list_some(theirs, _LISTED)}"
            )
    there = np.zeros((len(methods), len(datasets), len(measures)), dtype=bool)
    there[method, dataset, measure] = True
    rows = [methods.index(name) for name in common]
    columns = [measures.index(name) for name in shared]
    whole = np.asarray(there[rows][:, :, columns].all(axis=2))
    kept = _drop_datasets(whole)
    complete = np.flatnonzero(whole[:, kept].all(axis=1)).tolist()
    names = DenseNames(
        tuple(common[row] for row in complete),
        tuple(datasets[column] for column in kept),
        tuple(shared),
    )
    return names, _describe_left_out(names, methods, common, datasets, measures)


def _drop_datasets(whole: NDArray[np.bool_]) -> list[int]:
    columns = list(range(whole.shape[1]))

    def size(kept: list[int]) -> int:
        return int(whole[:, kept].all(axis=1).sum()) * len(kept) if kept else 0

    while len(columns) > 1:
        best = max(columns, key=lambda one: size([kept for kept in columns if kept != one]))
        without = [kept for kept in columns if kept != best]
        if size(without) <= size(columns):
            break
        columns = without
    return columns


def _describe_left_out(
    names: DenseNames, methods: list[str], common: list[str], datasets: list[str],
    measures: list[str],
) -> list[str]:  # fmt: skip
    said = []
    unknown = len(methods) - len(common)
    if unknown:
        said.append(
            f"{unknown} of {len(methods)} methods are left out: the pattern has none of their names"
        )
    lacking = [name for name in common if name not in names.methods]
    if lacking:
        said.append(f"left out for lack of results: {list_some(lacking, _LISTED)}")
    dropped = [name for name in datasets if name not in names.datasets]
    if dropped:
        said.append(
            f"left out, as too many methods have no results there: {list_some(dropped, _LISTED)}"
        )
    unused = [name for name in measures if name not in names.measures]
    if unused:
        said.append(f"left out, as the pattern has no such results: {list_some(unused, _LISTED)}")
    return said


LEVEL = 0.05
LEAST_METHODS = 3
"""With fewer methods in a draw there is no order to recover."""

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Truth:
    """What the dense table says of its methods: their order, and who is level with the best.

    `nwn` is over all cells, `value` the mean over all cells of the value (its sign turned where
    less is better). `level` are the best by NWN and those that a paired t-test over data sets, of
    the shares of rivals beaten, does not tell from it at .05; `shares` (methods, data sets) are
    these shares. `targets` has what each estimator
    says of the dense table: what its intervals should hold.
    """

    nwn: Floats
    value: Floats
    shares: Floats
    level: NDArray[np.bool_]
    targets: dict[str, Floats]


@dataclass(frozen=True, eq=False)
class Attempt:
    """What one estimator made of one draw, method by method: NaN where a method has no result.

    `error` is the distance of ranks among the methods with results, `width` that of the interval in
    standard deviations of the dense scores, `held` 1 or 0 for an interval that holds the target or
    not. `tau_unseen` is with the dense shares of rivals beaten on data sets that a method has no
    result on here, NaN where too few methods have such. `best_first` is 1 where the true best comes
    first, with n - 1 others 1/n.
    """

    tau: float
    tau_value: float
    tau_unseen: float
    best_first: float
    best_on_front: float
    front_overlap: float
    error: Floats
    width: Floats
    held: Floats


def find_truth(sample: ResultSample, estimators: Mapping[str, Estimator]) -> Truth:
    """What all estimators say of the dense table, and who is level with its best by NWN."""
    targets = {name: one.estimate(sample).score for name, one in estimators.items()}
    cells = sample.cells
    methods = len(cells.methods)
    results = np.maximum(np.bincount(cells.method, minlength=methods), 1)
    value = np.bincount(cells.method, cells.value, methods) / results
    nwn = _winning_numbers(sample)
    shares = _find_shares(sample)
    best = int(np.nanargmax(nwn))
    level = [one == best or not _differs(shares[best] - shares[one]) for one in range(methods)]
    return Truth(nwn, value, shares, np.array(level), targets)


def _winning_numbers(sample: ResultSample) -> Floats:
    cells = sample.cells
    wins, ideals = cells.per_method(cells.wins), cells.per_method(cells.ideal(sample.ideal))
    return np.where(ideals > 0, wins / np.maximum(ideals, 1), np.nan)


def _find_shares(sample: ResultSample) -> Floats:
    """(methods, data sets): the share of its rivals that a method beats, a tie for half.

    NaN for a number that no data set has, and for a method without results there.
    """
    cells = sample.cells
    shape = (len(cells.methods), sample.group_count)
    place = cells.method * shape[1] + sample.group
    counts = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    share = (cells.wins + cells.ties / 2) / cells.rivals
    sums = np.bincount(place, share, shape[0] * shape[1]).reshape(shape)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _differs(differences: Floats) -> bool:
    differences = differences[~np.isnan(differences)]
    n = len(differences)
    if n < 2:
        return False
    spread = float(differences.std(ddof=1))
    mean = abs(float(differences.mean()))
    if spread < _ROUNDING:
        return mean > _ROUNDING
    return 2.0 * student_tail(n - 1, mean / (spread / np.sqrt(n))) < LEVEL


def attempt(
    estimator: Estimator, sample: ResultSample, truth: Truth, dominance: Dominance
) -> Attempt | None:
    """Ask an estimator about a table with holes; None where too few methods have results."""
    ideals = sample.cells.per_method(sample.cells.ideal(sample.ideal))
    present = np.flatnonzero(ideals > 0)
    if len(present) < LEAST_METHODS:
        return None
    found = estimator.estimate(sample)
    score, nwn = found.score[present], truth.nwn[present]
    tau, tau_value = kendall_tau_b(score, nwn), kendall_tau_b(score, truth.value[present])
    front = find_front(ideals[present].astype(np.float64), score, dominance)
    best = int(np.argmax(nwn))
    first = score >= score.max() - _ROUNDING
    held, width = _ask_intervals(estimator, found, truth.targets[estimator.name], present)
    return Attempt(
        # Where an estimator finds all methods level it knows no order: as good as none.
        0.0 if tau is None else tau,
        0.0 if tau_value is None else tau_value,
        _predict_unseen(found.score, sample, truth),
        float(first[best]) / int(first.sum()),
        float(front[best]),
        _overlap(front, truth.level[present]),
        _spread_out(np.abs(mean_ranks(score) - mean_ranks(nwn)), present, len(truth.nwn)),
        width,
        held,
    )


def _predict_unseen(score: Floats, sample: ResultSample, truth: Truth) -> float:
    """τ_b of the scores with how the methods do on data sets that they have no result on."""
    unseen = truth.shares.copy()
    unseen[sample.cells.method, sample.group] = np.nan
    known = ~np.isnan(unseen)
    counts = known.sum(axis=1)
    wanted = np.where(known, unseen, 0.0).sum(axis=1) / np.maximum(counts, 1)
    asked = (counts > 0) & ~np.isnan(score)
    if asked.sum() < LEAST_METHODS:
        return np.nan
    tau = kendall_tau_b(score[asked], wanted[asked])
    return 0.0 if tau is None else tau


def _overlap(front: NDArray[np.bool_], level: NDArray[np.bool_]) -> float:
    """Jaccard's index of two sets; NaN where nobody that is level with the best is there."""
    return float((front & level).sum() / (front | level).sum()) if level.any() else np.nan


def _ask_intervals(
    estimator: Estimator, found: Estimates, target: Floats, present: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    wanted = target[present]
    scale = float(target[~np.isnan(target)].std()) or 1.0
    if estimator.relative:
        # Of relative scores only differences mean something: both have the mean 0 here.
        wanted = wanted - wanted.mean()
    lower, upper = found.lower[present], found.upper[present]
    inside = (lower <= wanted + _ROUNDING) & (wanted <= upper + _ROUNDING)
    held = np.where(np.isnan(lower), np.nan, inside.astype(np.float64))
    size = len(target)
    return _spread_out(held, present, size), _spread_out((upper - lower) / scale, present, size)


def _spread_out(values: Floats, present: NDArray[np.int64], size: int) -> Floats:
    found = np.full(size, np.nan)
    found[present] = values
    return found


def count_results(cells: Cells) -> NDArray[np.int64]:
    """How many results with a rival each method has."""
    return np.bincount(cells.method, minlength=len(cells.methods))


SIZES: tuple[tuple[int, int | None], ...] = ((1, 2), (3, 4), (5, 8), (9, 16), (17, None))
"""Numbers of results of a method that are told together."""


@dataclass(frozen=True)
class Recovery:
    """How well one estimator recovers the dense order under one kind of pattern.

    Attributes:
        estimator: its name.
        pattern: `laid` or `random`.
        draws: how many patterns were drawn.
        kendall: τ_b with the dense order by NWN over the methods that have results, the mean over
            draws; `kendall_low` and `kendall_high` hold the middle 95 % of the draws.
        kendall_value: the same with the dense order by mean value.
        kendall_unseen: the same with how methods do in the dense table on those data sets only
            that they have no result on in the draw: what is told of what was not seen. Without
            any difference between methods it is 0, where `kendall` is not, as the truth shares
            results with the draw. None where a draw leaves nothing unseen.
        gain: what `kendall` is above that of NWN on the same draws, and `gain_error` its standard
            error over draws.
        best_first: how often the true best, of those with results, comes first.
        best_on_front: how often it is on the Pareto front of the score against IWN.
        front_overlap: Jaccard's index of that front with the methods that the dense table cannot
            tell from its best.
        rank_error: the mean distance from the true rank.
        coverage: the share of intervals that hold what the same estimator says of the dense
            table; None where there are none.
        width: the mean width of intervals in standard deviations of the dense scores.
        intervals: the share of methods with results that have an interval.
    """

    estimator: str
    pattern: str
    draws: int
    kendall: float
    kendall_low: float
    kendall_high: float
    kendall_value: float
    kendall_unseen: float | None
    gain: float
    gain_error: float
    best_first: float
    best_on_front: float
    front_overlap: float | None
    rank_error: float
    coverage: float | None
    width: float | None
    intervals: float


@dataclass(frozen=True)
class RecoveryStep:
    """The same for methods with `first` to `last` results; `methods` is their number in a draw."""

    estimator: str
    pattern: str
    first: int
    last: int | None
    methods: float
    rank_error: float | None
    coverage: float | None
    width: float | None

    @property
    def sizes(self) -> str:
        """The numbers of results in words."""
        if self.last is None:
            return f"{self.first} or more"
        return str(self.first) if self.last == self.first else f"{self.first} to {self.last}"


def summarise(
    estimator: str, pattern: str, attempts: Sequence[Attempt], baseline: Sequence[Attempt]
) -> Recovery:
    """Sum up the attempts of one estimator; `baseline` are those of NWN on the same draws."""
    taus = np.array([one.tau for one in attempts])
    gains = taus - np.array([one.tau for one in baseline])
    low, high = np.quantile(taus, (0.025, 0.975)).tolist()
    error, held, width = _stack(attempts)
    return Recovery(
        estimator, pattern, len(attempts),
        float(taus.mean()), low, high,
        float(np.mean([one.tau_value for one in attempts])),
        _mean(np.array([one.tau_unseen for one in attempts])),
        float(gains.mean()), _standard_error(gains),
        float(np.mean([one.best_first for one in attempts])),
        float(np.mean([one.best_on_front for one in attempts])),
        _mean(np.array([one.front_overlap for one in attempts])),
        float(np.nanmean(error)),
        _mean(held), _mean(width),
        float((~np.isnan(held)).sum() / (~np.isnan(error)).sum()),
    )  # fmt: skip


def summarise_steps(
    estimator: str, pattern: str, attempts: Sequence[Attempt], results: Sequence[NDArray[np.int64]]
) -> list[RecoveryStep]:
    """Sum up the same by the number of results that a method had in the draw."""
    error, held, width = _stack(attempts)
    counts = np.stack(results)
    found = []
    for first, last in SIZES:
        within = (counts >= first) & (counts <= (last or counts.max(initial=0)))
        within &= ~np.isnan(error)
        methods = float(within.sum() / len(attempts))
        means = (_mean(error[within]), _mean(held[within]), _mean(width[within]))
        found.append(RecoveryStep(estimator, pattern, first, last, methods, *means))
    return found


def _stack(attempts: Sequence[Attempt]) -> tuple[Floats, Floats, Floats]:
    """(draws, methods) of the errors of ranks, of whether intervals held, of their widths."""
    return (
        np.stack([one.error for one in attempts]),
        np.stack([one.held for one in attempts]),
        np.stack([one.width for one in attempts]),
    )


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


Kind = Literal["laid", "random"]
KINDS: tuple[Kind, ...] = ("laid", "random")
LEAST_COVERAGE = 0.9

_WHERE = {"laid": "under the pattern", "random": "under random patterns of its margins"}


@dataclass(frozen=True)
class TrueMethod:
    """A method by the dense table: NWN, mean value, and whether it is level with the best."""

    method: str
    nwn: float
    mean_value: float
    level_with_best: bool


@dataclass(frozen=True)
class HoleStudy:
    """How well each estimator recovers the dense order under the holes of a pattern.

    Attributes:
        pattern: the name of the pattern.
        truth: the methods by the dense table, best NWN first.
        datasets: those of the dense table that are compared; `measures` are the measures.
        filled: the share of the dense cells that the laid pattern fills, in the mean of all draws.
        results: how many results a method has that has any, in the mean of the same draws.
        recoveries: one for each kind of pattern and estimator: `laid` is the pattern itself,
            `random` has its margins (see `shuffle_holes`).
        steps: the same by the number of results that a method has.
        draws: how many were asked for; `seed` and `confidence` too are as asked for.
        remarks: sentences about what was done and what was left out.
    """

    pattern: str
    truth: tuple[TrueMethod, ...]
    datasets: tuple[str, ...]
    measures: tuple[str, ...]
    filled: float
    results: float
    recoveries: tuple[Recovery, ...]
    steps: tuple[RecoveryStep, ...]
    draws: int
    seed: int
    confidence: float
    remarks: tuple[str, ...]

    def of_kind(self, kind: Kind) -> tuple[Recovery, ...]:
        """The estimators under one kind of pattern, in the order of the registry."""
        return tuple(one for one in self.recoveries if one.pattern == kind)

    def describe(self) -> list[str]:
        """What the figures say, in sentences."""
        said = []
        for kind in KINDS:
            found = self.of_kind(kind)
            said.append(f"{_WHERE[kind]}, {_describe_best(found)}")
            short = [one for one in found if (one.coverage or 1.0) < LEAST_COVERAGE]
            if short:
                named = ", ".join(f"{one.estimator} {one.coverage:.2f}" for one in short)
                claimed, least = 100 * self.confidence, 100 * LEAST_COVERAGE
                said.append(
                    f"{_WHERE[kind]}, intervals that claim {claimed:g} % hold what the dense "
                    f"table says less than {least:g} % of the time: {named}"
                )
        return said


def _describe_best(found: tuple[Recovery, ...]) -> str:
    nwn = next(one for one in found if one.estimator == "nwn")
    best = max(found, key=lambda one: one.kendall)
    start = f"NWN recovers the dense order with a mean Kendall's τ of {nwn.kendall:.2f}"
    if best is nwn:
        return f"{start}, and no other estimator comes nearer"
    nearest = f"{start}; {best.estimator} comes nearest with {best.kendall:.2f}"
    if best.draws == 1:
        return f"{nearest}, in a single draw"
    return (
        f"{nearest}, {best.gain:.3f} ± {1.96 * best.gain_error:.3f} more on the same "
        f"{best.draws} draws"
    )


DENSE_TABLE = "rankwise_dense"
"""What holes are laid over where nothing is named: the shipped table without holes."""


def lay_holes(
    comparison: Comparison | None = None,
    pattern: Results = "tax2015",
    *,
    draws: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
) -> HoleStudy:
    """Lay the holes of a sparse table over a dense one, and ask every estimator what is left.

    `comparison` is of the dense table, by default that of the shipped `rankwise_dense`; `pattern`
    is `tax2015` (the 1,050 results of Tax, Bockting and Hiemstra 2015) or any table of results.
    Compared are the methods that both have by name, in the measures that both have, on the data
    sets of the dense table; a method that lacks a result there is left out. The truth is the order
    of these methods by NWN over all cells. Each draw then

    - puts every data set of the dense table in the place of one of the pattern's, by name where
      there is one (see `match_pattern`) and by chance elsewhere, and keeps the results that the
      pattern has there (`laid`);
    - draws a pattern with the same margins, and deals its rows to methods by chance (`random`, see
      `shuffle_holes`), so that it matters how much is missing, and not of whom.

    A pattern of 19 data sets over a table of 7 keeps the share of cells that are filled, but a
    method then has results on fewer data sets than in the pattern; `results` says how many.

    The dense table is a sample itself, and all draws are taken from it: errors over draws speak of
    patterns, not of other data sets. The truth shares results with what is compared with it, so
    that intervals, which allow for other data sets, hold it more often than they claim where much
    is filled. The same seed gives the same figures.
    """
    if draws < 1:
        raise RankwiseError(f"holes must be drawn at least once; found {draws} draws")
    if not 0 < confidence < 1:
        raise RankwiseError(f"the confidence must lie between 0 and 1; found {confidence}")
    dense = compare(DENSE_TABLE) if comparison is None else comparison
    sparse = read_pattern(pattern)
    names, left_out = find_dense_part(dense.table.where(measure=dense.measures), sparse)
    _check_size(names)
    holes = match_pattern(sparse, names)
    made = _Draws(dense, names, confidence)
    generator = np.random.default_rng(check_seed(seed))
    for number in range(draws):
        laid = holes.lay(generator)
        # A pattern that can be laid in one way only says the same each time.
        if number == 0 or not holes.is_fixed:
            made.add("laid", laid)
        made.add("random", shuffle_holes(laid, generator))
    return _sum_up(
        made, name_pattern(pattern), draws, seed, (*left_out, *describe_places(holes, names))
    )


def _check_size(names: DenseNames) -> None:
    if len(names.methods) < LEAST_METHODS or len(names.datasets) < 2:
        raise RankwiseError(
            f"holes can be laid over a table in which at least {LEAST_METHODS} methods of the "
            "pattern have results in all its measures on the same 2 data sets; found "
            f"{len(names.methods)} such methods on {len(names.datasets)} data sets"
        )


class _Draws:
    """The attempts of all estimators, by kind of pattern."""

    def __init__(self, dense: Comparison, names: DenseNames, confidence: float) -> None:
        cells, self.names = dense.cells, names
        self.dominance: Dominance = dense.dominance
        kept = np.ones(len(cells), dtype=bool)
        columns = (
            (cells.method, cells.methods, names.methods),
            (cells.dataset, cells.datasets, names.datasets),
            (cells.measure, cells.measures, names.measures),
        )
        for codes, known, chosen in columns:
            kept &= _find_places(known, chosen)[codes] >= 0
        self.dense = ResultSample(cells.only(kept), dense.unversioned, dense.ideal, confidence)
        self.truth = find_truth(self.dense, ESTIMATORS)
        whole = self.dense.cells
        self._places = (
            _find_places(whole.methods, names.methods)[whole.method],
            _find_places(whole.datasets, names.datasets)[whole.dataset],
            _find_places(whole.measures, names.measures)[whole.measure],
        )
        self.attempts: dict[Kind, dict[str, list[Attempt]]] = {
            kind: {name: [] for name in ESTIMATORS} for kind in KINDS
        }
        self.results: dict[Kind, list[NDArray[np.int64]]] = {kind: [] for kind in KINDS}

    def add(self, kind: Kind, filled: Filled) -> None:
        """Ask all estimators about the results that are filled; none where there are too few."""
        sample = replace(self.dense, cells=self.dense.cells.only(filled[self._places]))
        found = {
            name: attempt(one, sample, self.truth, self.dominance)
            for name, one in ESTIMATORS.items()
        }
        known = {name: one for name, one in found.items() if one is not None}
        if len(known) == len(found):
            self.results[kind].append(count_results(sample.cells))
            for name, one in known.items():
                self.attempts[kind][name].append(one)


def _find_places(known: tuple[str, ...], chosen: tuple[str, ...]) -> NDArray[np.int64]:
    """For each known name its place among the chosen ones, or -1."""
    places = {name: number for number, name in enumerate(chosen)}
    return np.array([places.get(name, -1) for name in known], dtype=np.int64)


def _sum_up(
    made: _Draws, pattern: str, draws: int, seed: int, remarks: tuple[str, ...]
) -> HoleStudy:
    recoveries, steps = [], []
    for kind in KINDS:
        attempts, results = made.attempts[kind], made.results[kind]
        if not results:
            raise RankwiseError(
                f"of the methods and data sets of the table the pattern {pattern!r} leaves fewer "
                f"than {LEAST_METHODS} methods with a rival, in all of {draws} draws; there is no "
                "order to recover"
            )
        for name, found in attempts.items():
            recoveries.append(summarise(name, kind, found, attempts[DEFAULT_ESTIMATOR]))
            steps += summarise_steps(name, kind, found, results)
    counts = np.stack(made.results["laid"])
    cells = len(made.names.datasets) * len(made.names.measures)
    return HoleStudy(
        pattern, _tell_truth(made.truth, made.dense.cells.methods),
        made.names.datasets, made.names.measures,
        float(counts.sum() / (len(counts) * len(made.names.methods) * cells)),
        float(counts[counts > 0].mean()),
        tuple(recoveries), tuple(steps), draws, seed, made.dense.confidence, remarks,
    )  # fmt: skip


def _tell_truth(truth: Truth, methods: tuple[str, ...]) -> tuple[TrueMethod, ...]:
    found = [
        TrueMethod(method, *numbers)
        for method, *numbers in zip(
            methods, truth.nwn.tolist(), truth.value.tolist(), truth.level.tolist(), strict=True
        )
        if numbers[0] == numbers[0]
    ]
    return tuple(sorted(found, key=lambda one: (-one.nwn, one.method)))


_KIND_NAMES = {"laid": "the pattern", "random": "random patterns with its margins"}
_KIND_WORDS = {"laid": "pattern", "random": "random"}
_KIND_MARKS = {"laid": FRONT, "random": OTHER}


def make_hole_figures(found: HoleStudy) -> tuple[Figure, ...]:
    """Kendall's tau of every estimator, and the error of ranks by the number of results."""
    return make_recovery_bars(found), make_error_bars(found)


def make_recovery_bars(found: HoleStudy) -> Bars:
    """τ with the dense order by estimator and kind of pattern; whiskers hold 95 % of the draws."""
    bars = tuple(_make_recovery_bar(one) for kind in KINDS for one in found.of_kind(kind))
    low = min(0.0, *(one.kendall_low for one in found.recoveries))
    return Bars(
        "holes-kendall",
        "How well the dense order is recovered",
        f"Kendall's τ between the order of {len(found.truth)} methods from a table with holes and "
        f"their order by NWN in the whole table ({len(found.datasets)} data sets, "
        f"{', '.join(found.measures)}), the mean over draws; whiskers hold the middle 95 % of the "
        f"draws. The pattern {found.pattern} fills {found.filled:.0%} of the cells.",
        Axis("Kendall's τ with the dense order", low, 1.0),
        bars,
        meanings=tuple((_KIND_MARKS[kind], _KIND_NAMES[kind]) for kind in KINDS),
    )


def _make_recovery_bar(one: Recovery) -> Bar:
    return Bar(
        f"{one.estimator}, {_KIND_WORDS[one.pattern]}",
        one.kendall, one.kendall_low, one.kendall_high, _KIND_MARKS[one.pattern],
        f"τ {one.kendall:.3f}, 95 % of {one.draws} draws from {one.kendall_low:.3f} to "
        f"{one.kendall_high:.3f}",
    )  # fmt: skip


def make_error_bars(found: HoleStudy) -> GroupedBars:
    """The mean distance from the true rank under random patterns, by number of results."""
    steps = [one for one in found.steps if one.pattern == "random" and one.rank_error is not None]
    groups = tuple(dict.fromkeys(one.sizes for one in steps))
    errors = {(one.estimator, one.sizes): one.rank_error for one in steps}
    series = tuple(
        BarSeries(one.title, tuple(errors.get((name, group)) for group in groups))
        for name, one in ESTIMATORS.items()
    )
    highest = max((one.rank_error or 0.0 for one in steps), default=0.0) or 1.0
    return GroupedBars(
        "holes-rank-error",
        "Error of ranks by number of results",
        "The mean distance between the rank of a method from a table with holes and its rank in "
        "the whole table, by the number of results that it has; random patterns with the margins "
        f"of {found.pattern}. Ranks are among the methods that have results; in a random order of "
        "n methods the distance is about n / 3.",
        Axis("Distance from the true rank", 0.0, highest),
        groups,
        series,
    )


_RECOVERED_COLUMNS = {
    "estimator": "Estimator",
    "pattern": "Pattern",
    "draws": "Draws",
    "kendall": "τ",
    "kendall_low": "from",
    "kendall_high": "to",
    "kendall_value": "τ (mean value)",
    "kendall_unseen": "τ (unseen)",
    "gain": "τ above NWN",
    "gain_error": "±",
    "best_first": "Best first",
    "best_on_front": "Best on front",
    "front_overlap": "Front overlap",
    "rank_error": "Rank error",
    "coverage": "Coverage",
    "width": "Width",
    "intervals": "With interval",
}
_STEP_COLUMNS = {
    "estimator": "Estimator",
    "pattern": "Pattern",
    "sizes": "Results",
    "methods": "Methods",
    "rank_error": "Rank error",
    "coverage": "Coverage",
    "width": "Width",
}


def make_recovery_table(found: HoleStudy) -> Table:
    """One row for each kind of pattern and estimator."""
    rows = tuple(tuple(getattr(one, key) for key in _RECOVERED_COLUMNS) for one in found.recoveries)
    return Table(tuple(_RECOVERED_COLUMNS), tuple(_RECOVERED_COLUMNS.values()), rows)


def make_steps_table(found: HoleStudy) -> Table:
    """One row for each kind of pattern, estimator and number of results."""
    rows = tuple(tuple(getattr(one, key) for key in _STEP_COLUMNS) for one in found.steps)
    return Table(tuple(_STEP_COLUMNS), tuple(_STEP_COLUMNS.values()), rows)


def make_truth_table(found: HoleStudy) -> Table:
    """The methods by the dense table, best NWN first."""
    keys = ("method", "nwn", "mean_value", "level_with_best")
    titles = ("Method", "NWN", "Mean value", "Level with the best")
    rows = tuple(tuple(getattr(one, key) for key in keys) for one in found.truth)
    return Table(keys, titles, rows)


def make_error_table(found: HoleStudy, pattern: Kind = "random") -> Table:
    """The errors of ranks under one kind of pattern: estimators down, numbers of results across."""
    steps = [one for one in found.steps if one.pattern == pattern and one.rank_error is not None]
    sizes = tuple(dict.fromkeys(one.sizes for one in steps))
    errors = {(one.estimator, one.sizes): one.rank_error for one in steps}
    names = dict.fromkeys(one.estimator for one in steps)
    rows = tuple((name, *(errors.get((name, size)) for size in sizes)) for name in names)
    return Table(("estimator", *sizes), ("Estimator", *sizes), rows)


def print_study(found: HoleStudy) -> None:
    """How well estimators recover the dense order, as tables and in sentences."""
    table = make_recovery_table(found)
    for title, keys in _PART_COLUMNS.items():
        columns = [table.keys.index(key) for key in (*_TEXT_COLUMNS, *keys)]
        _print_table(table, title.format(_summarize_holes(found)), columns, 3)
    errors = make_error_table(found)
    title = "Rank error by the number of results, random patterns"
    _print_table(errors, title, range(len(errors.keys)), 1)
    for sentence in found.describe():
        print(f"{sentence[:1].upper()}{sentence[1:]}.")
    for remark in found.remarks:
        print(remark, file=sys.stderr)


_TEXT_COLUMNS = ("estimator", "pattern")
_PART_COLUMNS = {
    "{}": ("kendall", "kendall_value", "kendall_unseen", "gain", "gain_error", "rank_error"),
    "The best, and intervals": (
        "best_first", "best_on_front", "front_overlap", "coverage", "width", "intervals",
    ),
}  # fmt: skip


def _summarize_holes(found: HoleStudy) -> str:
    return (
        f"The order of {len(found.truth)} methods on {len(found.datasets)} data sets, recovered "
        f"from {found.filled:.0%} of {', '.join(found.measures)}"
    )


def _print_table(table: Table, title: str, columns: Sequence[int], digits: int) -> None:
    laid_out = [
        Column(table.titles[place], table.keys[place] not in _TEXT_COLUMNS, place == 0)
        for place in columns
    ]
    rows = [
        [f"{cell:.{digits}f}" if isinstance(cell, float) else format_cell(cell)
         for cell in (row[place] for place in columns)]
        for row in table.rows
    ]  # fmt: skip
    print("\n".join(lay_out(laid_out, rows, title, Look(100))))


def write_study(found: HoleStudy, folder: Path) -> None:
    """`holes.csv`, `holes-by-results.csv`, `holes-truth.csv` and both figures."""
    home = make_folder(folder)
    for name, table in (
        ("holes", make_recovery_table(found)),
        ("holes-by-results", make_steps_table(found)),
        ("holes-truth", make_truth_table(found)),
    ):
        write_text(home / f"{name}.csv", format_csv(table))
    for figure in make_hole_figures(found):
        save(figure, home, ("png", "svg"))


def main(argv: Sequence[str] | None = None) -> None:
    """Lay holes over a table, print what comes out, and write it."""
    parser = argparse.ArgumentParser(description="What missing results do to rankings.")
    parser.add_argument("table", nargs="?", default=DENSE_TABLE)
    parser.add_argument("--pattern", default="tax2015", help="tax2015, or any table of results")
    parser.add_argument("--measures", default="", help="compare by these only")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, help="write tables and figures here")
    given = parser.parse_args(argv)
    dense = compare(given.table, measures=given.measures)
    found = lay_holes(dense, given.pattern, draws=given.draws, seed=given.seed)
    print_study(found)
    if given.output is not None:
        write_study(found, given.output)


if __name__ == "__main__":
    main()
