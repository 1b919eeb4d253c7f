"""Where a new method lands in a table, whom it beats there, and what would make that surer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.bootstrap import BootstrapInterval, resample_datasets
from rankwise.comparison.cells import IdealRule
from rankwise.comparison.pareto import Dominance
from rankwise.comparison.ranking import Comparison, RankedMethod, compare_table
from rankwise.comparison.resampling_remarks import describe_resampling
from rankwise.comparison.spread import Spread, measure_spread
from rankwise.comparison.verdicts import Verdicts
from rankwise.comparison.win_matrix import count_wins
from rankwise.errors import RankwiseError
from rankwise.native.distributions import student_quantile
from rankwise.results.merging import stack_results
from rankwise.results.table import ResultTable
from rankwise.tabular import Rows, Tabular, shortened

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

    `comparisons` are the new ones. `half_width` is that of the 95 % interval of NWN expected then
    (see `estimate_half_width`), None where nothing is known of how results vary.
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
    has no result yet, that which makes its place surest first; `half_width` is the expected one
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
        bounds = ("lower", "upper", "front_probability", "warning")
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
    drawn = resample_datasets(comparison, resamples, seed)
    intervals = {one.method: one for one in drawn.intervals}
    warnings = [intervals[name].warning for name in placed if name in intervals]
    said = describe_resampling(comparison, warnings, drawn.kind, drawn.confidence)
    comparison = replace(comparison, remarks=(*comparison.remarks, *said))
    spread = measure_spread(comparison)
    return Placements(
        comparison,
        tuple(_placement(comparison, name, intervals.get(name), spread) for name in placed),
    )


def estimate_half_width(weights: NDArray[np.float64], spread: Spread | None) -> float | None:
    """The expected half-width t_ν s / √n of the 95 % interval of NWN (see `spread`).

    s is the scatter pooled over all methods, and n the effective number of data sets whose ideals
    are `weights`.
    """
    if spread is None or not weights.any():
        return None
    effective = weights.sum() ** 2 / (weights**2).sum()
    quantile = student_quantile(spread.freedom, 0.975)
    return float(quantile * spread.pooled / np.sqrt(effective))


def _placement(
    comparison: Comparison, name: str, interval: BootstrapInterval | None, spread: Spread | None
) -> Placement:
    if name not in comparison.cells.methods:
        return Placement(name, None, len(comparison.rows), None, (), None, (), ())
    row = comparison.by_method.get(name)
    weights = _weights(comparison, name)
    return Placement(
        name,
        row,
        len(comparison.rows),
        interval,
        () if row is None else _neighbours(comparison, row),
        estimate_half_width(weights, spread),
        _gains(comparison, name, weights, spread),
        _unmatched(comparison, name),
    )


def _neighbours(comparison: Comparison, row: RankedMethod) -> tuple[HeadToHead, ...]:
    at = comparison.rows.index(row)
    before = comparison.rows[max(at - NEIGHBOURS, 0) : at]
    near = (*before, *comparison.rows[at + 1 : at + 1 + NEIGHBOURS])
    matrix = count_wins(comparison, [row.method, *(rival.method for rival in near)])
    return tuple(
        HeadToHead(rival, int(matrix.wins[0, i]), int(matrix.wins[i, 0]), int(matrix.ties[0, i]))
        for i, rival in enumerate(near, start=1)
    )


def _weights(comparison: Comparison, name: str) -> NDArray[np.float64]:
    """The ideal of the method on each data set, the versions of one taken together."""
    cells = comparison.cells
    mine = cells.method == cells.methods.index(name)
    ideal = cells.ideal(comparison.ideal)[mine].astype(np.float64)
    number = comparison.unversioned[cells.dataset[mine]]
    return np.bincount(number, ideal, len(cells.datasets)).astype(np.float64)


def _gains(
    comparison: Comparison, name: str, weights: NDArray[np.float64], spread: Spread | None
) -> tuple[DatasetGain, ...]:
    others, mine = _results_per_cell(comparison, name)
    reported = mine.any(axis=0)
    missing = np.where(~mine & reported, others, 0)
    found = []
    for dataset in np.flatnonzero(missing.sum(axis=1)):
        more = weights.copy()
        more[comparison.unversioned[dataset]] += missing[dataset].sum()
        found.append(
            DatasetGain(
                comparison.cells.datasets[dataset],
                tuple(comparison.cells.measures[m] for m in np.flatnonzero(missing[dataset])),
                int(missing[dataset].sum()),
                estimate_half_width(more, spread),
            )
        )
    return tuple(sorted(found, key=lambda one: (one.half_width or 0, -one.comparisons)))


def _unmatched(comparison: Comparison, name: str) -> tuple[tuple[str, str], ...]:
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
