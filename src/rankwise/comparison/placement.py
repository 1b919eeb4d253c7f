"""The place of new methods among others, from results of any kind: what `rankwise place` does.

Where a new method lands in a table, whom it beats there, and what would make that surer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import IdealRule, PartSums
from rankwise.comparison.comparing import (
    DEFAULT_TABLE,
    Results,
    choose_results,
    load_results,
    tell_own_runs,
)
from rankwise.comparison.method_ranking import Comparison, RankedMethod, compare_table
from rankwise.comparison.paired_comparisons import Verdicts, find_queries, judge_methods
from rankwise.comparison.resampling import (
    BootstrapInterval,
    Floats,
    Spread,
    compute_spread,
    describe_resampling,
    resample_datasets,
    spread_shares,
    sum_by_dataset,
)
from rankwise.comparison.strengths import count_wins
from rankwise.comparison.winning_numbers import Dominance
from rankwise.errors import RankwiseError
from rankwise.measures.measure import measure_list, result_name
from rankwise.native.distributions import normal_quantile
from rankwise.results.benchmark_runs import DenseQueries
from rankwise.results.comparability import keep_alike
from rankwise.results.dataset_names import describe_strangers, match_datasets
from rankwise.results.result_table import (
    ResultTable,
    merge_results,
    separate_versions_of,
    stack_results,
)
from rankwise.tables.notebook import Rows, Tabular, shortened


def place(
    own: Results,
    *tables: Results,
    methods: str | Sequence[str] = (),
    measures: str | Sequence[str] = (),
    ideal: IdealRule = "observed",
    dominance: Dominance = "weak",
    resamples: int = 1000,
    seed: int = 0,
    credible: bool = False,
    queries: Sequence[DenseQueries] = (),
    level: float = 0.05,
) -> Placements:
    """Add the methods in `own` to the results in `tables`, compare all, and say where they land.

    `own` and `tables` are files, stores, names of shipped tables, `ResultTable`s or data frames, as
    in `compare`; without tables the 87 methods of Tax, Bockting and Hiemstra (2015) are
    taken, and with `credible` only their results without a mark (see `rankwise.results`). Of
    `own` the named `methods` are placed, or all. A method must have another name than those of the
    tables. Placed are methods in the named `measures`, or in all; how often a method is on the
    front comes from `resamples` draws of the data sets with `seed` (see `resample_datasets`).

    Data sets may be called by any name that is clear (`mq2008`). What cannot be compared with the
    results of the tables, by another tool, over fewer folds or of another version, is left out;
    `remarks` say what was. A method of which nothing is left has no place.

    Among methods of one protocol, a dense table (`rankwise_dense`, a folder of `condense_store`) or
    a store, `verdicts` say which of them the method is better than, worse than or not separable
    from: by paired tests over queries where `own` is a store or `queries` are given (see
    `tabulate_queries`), else over data sets (`rankwise.comparison.paired_comparisons`). All
    findings about a method are right together with probability 1 - `level`.
    """
    measures = [str(one) for one in measure_list(measures) or ()]
    methods = [methods] if isinstance(methods, str) else methods
    mine = _choose_own_methods(load_results(own, measures, alone=False), methods, own)
    given = tables or (DEFAULT_TABLE,)
    names = [str(one) if isinstance(one, str) else f"table {n}" for n, one in enumerate(given, 1)]
    others = merge_results([load_results(one, measures, alone=False) for one in given], names=names)
    others = tell_own_runs(choose_results(others, credible=credible))
    mine, others = separate_versions_of(match_datasets(mine, [others]), others)
    names, strangers = mine.methods(), describe_strangers(mine, others)
    others = keep_alike(others)
    mine = keep_alike(mine, others)
    chosen = [result_name(measure) for measure in measures] or None
    found = place_in_table(mine, others, chosen, ideal, dominance, resamples, seed, names)
    said = found.comparison.remarks
    verdicts: tuple[Verdicts, ...] = ()
    told = (*mine.remarks, *others.remarks, *strangers, *said)
    if rivals := find_queries(*given):
        known = queries or find_queries(own)
        table = found.comparison.table
        verdicts, unjudged = judge_methods(names, known, rivals, table, measures, level)
        told = (*told, *unjudged)
    whole = replace(found.comparison, remarks=tuple(dict.fromkeys(told)))
    return replace(found, comparison=whole, verdicts=verdicts)


def _choose_own_methods(own: ResultTable, methods: Sequence[str], source: Results) -> ResultTable:
    absent = [name for name in methods if name not in own.methods()]
    if absent:
        named = source if isinstance(source, str) else "the table"
        known = ", ".join(shortened(name, 40) for name in own.methods()[:10]) or "none"
        raise RankwiseError(
            f"{named} has no method called {shortened(absent[0], 40)}; the methods in it: {known}"
        )
    return own.where(method=methods) if methods else own


CONFIDENCE = 0.95
NEIGHBOURS = 3
SHOWN_PLACEMENTS = 4


@dataclass(frozen=True)
class HeadToHead:
    """A rival near in rank, and the cells in which both have a result."""

    rival: RankedMethod
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class DatasetGain:
    """What results on one more data set would add, in the measures the method already reports.

    `comparisons` are the new ones. `half_width` is half the length of the 95 % interval of NWN
    expected then, None where nothing is known of how results vary.
    """

    dataset: str
    measures: tuple[str, ...]
    comparisons: int
    half_width: float | None


@dataclass(frozen=True)
class Placement:
    """A method's place among the methods of a table.

    `place` and `interval` are None for a method that shares no data set and measure with any rival.
    `neighbours` are the nearest in rank, better ones first. `gains` are data sets where the method
    has no result yet, that which makes its place surest first; `half_width` is that of `interval`,
    without them. `unmatched` are its data sets and measures in which nobody else has a result.
    """

    method: str
    place: RankedMethod | None
    ranked: int
    interval: BootstrapInterval | None
    neighbours: tuple[HeadToHead, ...]
    half_width: float | None
    gains: tuple[DatasetGain, ...]
    unmatched: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Placements(Tabular):
    """Where new methods land: one placement each, and the comparison with all methods.

    `verdicts` are those on methods that were placed among others of one protocol.
    """

    comparison: Comparison
    placements: tuple[Placement, ...]
    verdicts: tuple[Verdicts, ...] = ()

    def __len__(self) -> int:
        return len(self.placements)

    def __iter__(self) -> Iterator[Placement]:
        return iter(self.placements)

    def __getitem__(self, method: str) -> Placement:
        """The placement of a method."""
        for placement in self.placements:
            if placement.method == method:
                return placement
        raise KeyError(method)

    def __repr__(self) -> str:
        landed = ", ".join(
            f"{shortened(one.method, 40)} {f'rank {one.place.rank}' if one.place else 'no rank'}"
            for one in self.placements[:SHOWN_PLACEMENTS]
        )
        more = ", …" if len(self) > SHOWN_PLACEMENTS else ""
        return f"Placements({landed}{more}; {len(self.comparison.rows)} methods ranked)"

    def find_verdicts(self, method: str) -> Verdicts | None:
        """The verdicts on a method, if there are any."""
        return next((one for one in self.verdicts if one.method == method), None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about what was left out, and where intervals rest on too little."""
        return self.comparison.remarks

    def _table(self) -> Rows:
        numbers = ("rank", "nwn", "wn", "iwn", "distinct_datasets", "pareto", "rank2")
        bounds = ("lower", "upper", "front_share", "warning")
        return ("method", *numbers, *bounds, "ranked"), (
            (
                one.method,
                *(getattr(one.place, name, None) for name in numbers),
                *(getattr(one.interval, name, None) for name in bounds),
                one.ranked,
            )
            for one in self.placements
        )


def place_in_table(
    own: ResultTable,
    table: ResultTable,
    measures: Sequence[str] | None = None,
    ideal: IdealRule = "observed",
    dominance: Dominance = "weak",
    resamples: int = 1000,
    seed: int = 0,
    names: Sequence[str] | None = None,
) -> Placements:
    """Add the methods of `own` to `table`, compare all, and say where each of them lands.

    A method of `own` must have another name than every method of the table, because two methods
    of one name would become one. `names` are the methods to place, where some may have no result.
    """
    placed = own.methods() if names is None else list(names)
    if not placed:
        raise RankwiseError("there is no result to place; give at least one row of your method")
    known = set(table.methods())
    for name in placed:
        if name in known:
            raise RankwiseError(
                f"the table already has a method called {name}; give yours another name, "
                "or choose the methods to place"
            )
    comparison = compare_table(stack_results([table, own]), measures, ideal, dominance)
    drawn = resample_datasets(comparison, resamples, seed, beforehand=placed)
    intervals = {one.method: one for one in drawn.intervals}
    warnings = [intervals[name].warning for name in placed if name in intervals]
    said = describe_resampling(comparison, warnings, drawn.kind, drawn.confidence)
    comparison = replace(comparison, remarks=(*comparison.remarks, *said))
    sums = sum_by_dataset(comparison)
    spread = compute_spread(sums, len(comparison.cells.methods))
    return Placements(
        comparison,
        tuple(_placement(comparison, name, intervals.get(name), sums, spread) for name in placed),
    )


@dataclass(frozen=True, eq=False)
class MethodShares:
    """What a method won, and could have won, on each data set; versions of one are one."""

    won: Floats
    weight: Floats

    def half_width(self, spread: Spread | None) -> float | None:
        """Half the length of the 95 % interval of NWN; None where none can be given."""
        number = np.zeros(len(self.won), dtype=np.int64)
        own = spread_shares(number, self.won, self.weight, 1)
        if spread is None or own is None:
            return None
        alike = replace(own, pooled=spread.pooled, freedom=spread.freedom)
        reach = float(alike.half_widths(CONFIDENCE)[0])
        nwn = float(self.won.sum() / self.weight.sum())
        return None if np.isnan(reach) else (min(nwn + reach, 1.0) - max(nwn - reach, 0.0)) / 2.0

    def expect_half_width(
        self, dataset: int, comparisons: float, spread: Spread | None
    ) -> float | None:
        """The mean of what it will be with more comparisons on a data set.

        The share won there is that of the data set's other versions, or normal around NWN: with the
        larger of the pooled scatter and the method's own, and what NWN itself errs by.
        """
        if spread is None or not self.weight.any():
            return None
        if self.weight[dataset]:
            shares = [float(self.won[dataset] / self.weight[dataset])]
        else:
            own = spread_shares(np.zeros(len(self.won), dtype=np.int64), self.won, self.weight, 1)
            scatter = max(spread.pooled, 0.0 if own is None else float(np.nan_to_num(own.own[0])))
            nwn = float(self.won.sum() / self.weight.sum())
            effective = float(self.weight.sum() ** 2 / (self.weight**2).sum())
            reach = scatter * np.sqrt(1.0 + 1.0 / effective)
            shares = [min(max(nwn + reach * one, 0.0), 1.0) for one in _NORMAL]
        found = []
        for share in shares:
            won, weight = self.won.copy(), self.weight.copy()
            won[dataset] += share * comparisons
            weight[dataset] += comparisons
            found.append(MethodShares(won, weight).half_width(spread))
        known = [one for one in found if one is not None]
        return float(np.mean(known)) if known else None


_STEPS = 40
_NORMAL = [normal_quantile((step + 0.5) / _STEPS) for step in range(_STEPS)]
"""Numbers that stand for a normal distribution: the middles of equally likely parts."""


def _placement(
    comparison: Comparison,
    name: str,
    interval: BootstrapInterval | None,
    sums: PartSums,
    spread: Spread | None,
) -> Placement:
    if name not in comparison.cells.methods:
        return Placement(name, None, len(comparison.rows), None, (), None, (), ())
    row = comparison.by_method.get(name)
    shares = _sum_shares(comparison, name, sums)
    return Placement(
        name,
        row,
        len(comparison.rows),
        interval,
        () if row is None else _neighbours(comparison, row),
        shares.half_width(spread) if row is not None else None,
        _rank_dataset_gains(comparison, name, shares, spread),
        _find_unmatched(comparison, name),
    )


def _sum_shares(comparison: Comparison, name: str, sums: PartSums) -> MethodShares:
    mine = sums.method == comparison.cells.methods.index(name)
    won, weight = np.zeros((2, len(comparison.cells.datasets)))
    won[sums.part[mine]] = sums.wn[mine]
    weight[sums.part[mine]] = sums.iwn[mine]
    return MethodShares(won, weight)


def _neighbours(comparison: Comparison, row: RankedMethod) -> tuple[HeadToHead, ...]:
    at = comparison.rows.index(row)
    before = comparison.rows[max(at - NEIGHBOURS, 0) : at]
    near = (*before, *comparison.rows[at + 1 : at + 1 + NEIGHBOURS])
    matrix = count_wins(comparison, [row.method, *(rival.method for rival in near)])
    return tuple(
        HeadToHead(rival, int(matrix.wins[0, i]), int(matrix.wins[i, 0]), int(matrix.ties[0, i]))
        for i, rival in enumerate(near, start=1)
    )


def _rank_dataset_gains(
    comparison: Comparison, name: str, shares: MethodShares, spread: Spread | None
) -> tuple[DatasetGain, ...]:
    others, mine = _results_per_cell(comparison, name)
    reported = mine.any(axis=0)
    missing = np.where(~mine & reported, others, 0)
    found = []
    for dataset in np.flatnonzero(missing.sum(axis=1)):
        comparisons = int(missing[dataset].sum())
        found.append(
            DatasetGain(
                comparison.cells.datasets[dataset],
                tuple(comparison.cells.measures[m] for m in np.flatnonzero(missing[dataset])),
                comparisons,
                shares.expect_half_width(int(comparison.unversioned[dataset]), comparisons, spread),
            )
        )
    return tuple(sorted(found, key=lambda one: (one.half_width or 0, -one.comparisons)))


def _find_unmatched(comparison: Comparison, name: str) -> tuple[tuple[str, str], ...]:
    others, mine = _results_per_cell(comparison, name)
    return tuple(
        (comparison.cells.datasets[dataset], comparison.cells.measures[measure])
        for dataset, measure in np.argwhere(mine & (others == 0))
    )


def _results_per_cell(
    comparison: Comparison, name: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """How many other methods have a result, and whether the method has one: data set × measure.

    Counted from the table: a lone result is in no cell, yet would be a rival of a second one.
    """
    cells, (method, dataset, measure) = comparison.cells, comparison.table.codes()
    compared = np.isin(measure, [cells.measures.index(one) for one in comparison.measures])
    own = method == cells.methods.index(name)
    others = np.zeros((len(cells.datasets), len(cells.measures)), dtype=np.int64)
    np.add.at(others, (dataset[compared & ~own], measure[compared & ~own]), 1)
    mine = np.zeros(others.shape, dtype=bool)
    mine[dataset[compared & own], measure[compared & own]] = True
    return others, mine
