"""Sensitivity: how winning numbers move when one measure, data set or study is left out.

Tax, Bockting and Hiemstra (2015), section 5, print the Pareto optimal methods without one measure
(Table 4) and draw them without one data set (Figure 6). Leaving out a study is beyond the paper: it
shows which places rest on a single source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells, IdealRule, PartSums, sum_by_part
from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.winning_numbers import find_front
from rankwise.errors import RankwiseError
from rankwise.results.published.citations import split_sources
from rankwise.tables.notebook import Rows, Tabular


@dataclass(frozen=True)
class WithoutOne:
    """A method's winning numbers with one part of the table left out.

    `affected` says that the method has results in the part left out, or, where a study is left
    out, that its numbers change. `nwn` is None where nothing is left that could be won.
    """

    method: str
    left_out: str
    wn: int
    iwn: int
    nwn: float | None
    affected: bool


def leave_out_each_measure(
    comparison: Comparison, methods: Sequence[str] | None = None
) -> list[WithoutOne]:
    """Winning numbers across measures with each measure left out in turn (Table 4)."""
    cells = comparison.cells
    named = [(name, cells.measures.index(name)) for name in comparison.measures]
    return _without_parts(comparison, methods, cells.measure, named)


def leave_out_each_dataset(
    comparison: Comparison, methods: Sequence[str] | None = None
) -> list[WithoutOne]:
    """Winning numbers with each data set left out in turn (Figure 6).

    `affected` is False for the data sets a method was not tried on; the paper draws its bagplots
    from the others only.
    """
    cells = comparison.cells
    present = set(cells.dataset.tolist())
    named = [(name, code) for code, name in enumerate(cells.datasets) if code in present]
    return _without_parts(comparison, methods, cells.dataset, named)


def leave_out_each_study(
    comparison: Comparison, methods: Sequence[str] | None = None
) -> list[WithoutOne]:
    """Winning numbers with all results that name a study as their source left out in turn.

    A source may name several studies, separated by " | "; the row is left out with each of them.
    Rivals' results go too, so a method can change though none of its own results does.
    """
    rows_of = _rows_by_study(comparison)
    if not rows_of:
        raise RankwiseError(
            "leaving one study out needs a source for the results; the table names none"
        )
    chosen = _codes_of(comparison, methods)
    totals = _sum_wins_and_ideals(comparison.cells, comparison.ideal)
    found = []
    for study, rows in rows_of.items():
        wn, iwn = totals + _change_without(comparison, rows)
        changed = (wn != totals[0]) | (iwn != totals[1])
        gone = np.isin(comparison.cells.row, np.fromiter(rows, np.int64, len(rows)))
        nwn = _weighed_without(comparison, gone)
        found += [
            _make_without_one(comparison, i, study, int(wn[i]), int(iwn[i]), bool(changed[i]), nwn)
            for i in chosen
        ]
    return found


def _without_parts(
    comparison: Comparison,
    methods: Sequence[str] | None,
    part: NDArray[np.int64],
    named: Sequence[tuple[str, int]],
) -> list[WithoutOne]:
    sums = sum_by_part(comparison.cells, part, comparison.ideal)
    found = _subtracted(comparison, methods, sums, named)
    if comparison.weighing is None:
        return found
    code = dict(named)
    weighed = {name: _weighed_without(comparison, part == code[name]) for name in code}
    place = {name: number for number, name in enumerate(comparison.cells.methods)}
    return [
        replace(one, nwn=_known_nwn(weighed[one.left_out], place[one.method], one.iwn))
        for one in found
    ]


def _weighed_without(comparison: Comparison, gone: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    """The weighted NWN of all methods without some results; None where nothing is weighed."""
    if comparison.weighing is None:
        return None
    return comparison.weighing.weigh(comparison.cells.only(~gone), comparison.ideal)


def _known_nwn(weighed: NDArray[np.float64] | None, code: int, iwn: int) -> float | None:
    if weighed is None or iwn == 0 or np.isnan(weighed[code]):
        return None
    return float(weighed[code])


def _subtracted(
    comparison: Comparison,
    methods: Sequence[str] | None,
    parts: PartSums,
    named: Iterable[tuple[str, int]],
) -> list[WithoutOne]:
    """Cells do not depend on each other, so leaving some out only takes their sums away."""
    keys = zip(parts.method.tolist(), parts.part.tolist(), strict=True)
    losses = dict(zip(keys, zip(parts.wn.tolist(), parts.iwn.tolist(), strict=True), strict=True))
    chosen = _codes_of(comparison, methods)
    wn, iwn = _sum_wins_and_ideals(comparison.cells, comparison.ideal).tolist()
    found = []
    for name, code in named:
        for i in chosen:
            lost_wn, lost_iwn = losses.get((i, code), (0, 0))
            tried = (i, code) in losses
            found.append(
                _make_without_one(comparison, i, name, wn[i] - lost_wn, iwn[i] - lost_iwn, tried)
            )
    return found


def _sum_wins_and_ideals(cells: Cells, ideal: IdealRule) -> NDArray[np.int64]:
    return np.stack([cells.per_method(cells.wins), cells.per_method(cells.ideal(ideal))])


def _change_without(comparison: Comparison, rows: set[int]) -> NDArray[np.int64]:
    """What WN and IWN of all methods gain when `rows` go: only the cells they are in change."""
    cells = comparison.cells
    gone = np.isin(cells.row, np.fromiter(rows, np.int64, len(rows)))
    touched = cells.only(np.isin(cells.cell, np.unique(cells.cell[gone])))
    left = touched.only(~np.isin(touched.row, cells.row[gone]))
    return _sum_wins_and_ideals(left, comparison.ideal) - _sum_wins_and_ideals(
        touched, comparison.ideal
    )


def _rows_by_study(comparison: Comparison) -> dict[str, set[int]]:
    rows_of: dict[str, set[int]] = defaultdict(set)
    for row in sorted(comparison.cells.row.tolist()):
        for study in split_sources(comparison.table.source[row]):
            rows_of[study].add(row)
    return dict(rows_of)


def _codes_of(comparison: Comparison, methods: Sequence[str] | None) -> list[int]:
    """The codes of the named methods, or of all that have a place, best first."""
    place = {name: code for code, name in enumerate(comparison.cells.methods)}
    named = list(comparison.by_method) if methods is None else methods
    _check_placed(comparison, named)
    return [place[name] for name in named]


def _check_placed(comparison: Comparison, methods: Sequence[str]) -> None:
    for name in methods:
        if name not in comparison.by_method:
            raise RankwiseError(f"there is no method {name!r} with a place in this comparison")


def _make_without_one(
    comparison: Comparison,
    code: int,
    left_out: str,
    wn: int,
    iwn: int,
    affected: bool,
    weighed: NDArray[np.float64] | None = None,
) -> WithoutOne:
    plain = wn / iwn if iwn else None
    nwn = plain if weighed is None else _known_nwn(weighed, code, iwn)
    return WithoutOne(comparison.cells.methods[code], left_out, wn, iwn, nwn, affected)


Part = Literal["measure", "dataset", "study"]

_LEAVING: dict[str, Callable[[Comparison], list[WithoutOne]]] = {
    "measure": leave_out_each_measure,
    "dataset": leave_out_each_dataset,
    "study": leave_out_each_study,
}
PARTS: tuple[Part, ...] = ("measure", "dataset", "study")


@dataclass(frozen=True)
class LeftOutNumber:
    """A method's numbers without one part, and whether it is then on the front of NWN and IWN.

    `left_out` is None for the numbers with everything. `change` is what NWN gains.
    """

    method: str
    left_out: str | None
    wn: int
    iwn: int
    nwn: float | None
    change: float | None
    pareto: bool


@dataclass(frozen=True)
class Sensitivity(Tabular):
    """How a ranking moves without one part: the numbers of methods, and the front without each.

    `numbers` has for every method first its number with everything and then those that change.
    `fronts` are by what is left out, best NWN first, of all methods.
    """

    part: Part
    numbers: tuple[LeftOutNumber, ...]
    front: tuple[str, ...]
    fronts: dict[str, tuple[str, ...]]

    def __repr__(self) -> str:
        moved = sum(set(front) != set(self.front) for front in self.fronts.values())
        return (
            f"Sensitivity(each {self.part} left out: {len(self.fronts)} times, another front "
            f"{moved} times)"
        )

    def describe(self) -> list[str]:
        """A sentence for each part without which the front is another."""
        sentences = []
        for name, front in self.fronts.items():
            joined = [method for method in front if method not in self.front]
            left = [method for method in self.front if method not in front]
            moves = [f"{', '.join(joined)} on the front"] if joined else []
            moves += [f"{', '.join(left)} off the front"] if left else []
            if moves:
                sentences.append(f"without {name}: {'; '.join(moves)}")
        return sentences

    def _table(self) -> Rows:
        columns = ("method", "left_out", "wn", "iwn", "nwn", "change", "pareto")
        return columns, (tuple(getattr(one, name) for name in columns) for one in self.numbers)


def leave_out(
    comparison: Comparison, part: Part, methods: Sequence[str] | None = None
) -> Sensitivity:
    """Leave out each measure, data set or study in turn, and compare what remains.

    Told are the named methods, by default those on the Pareto front, with the parts in which they
    have results; where a study is left out, with those that change their numbers.
    """
    if part not in _LEAVING:
        raise RankwiseError(f"left out can be one {', '.join(PARTS)}; found {part!r}")
    chosen = list(comparison.front() if methods is None else methods)
    _check_placed(comparison, chosen)
    without: dict[str, list[WithoutOne]] = {}
    for one in _LEAVING[part](comparison):
        without.setdefault(one.left_out, []).append(one)
    fronts = {name: _find_front_without(comparison, ones) for name, ones in without.items()}
    numbers = [
        number
        for method in chosen
        for number in _list_numbers_without(comparison, method, without, fronts)
    ]
    return Sensitivity(part, tuple(numbers), comparison.front(), fronts)


def _find_front_without(comparison: Comparison, ones: Sequence[WithoutOne]) -> tuple[str, ...]:
    placed = [(one.method, one.iwn, one.nwn) for one in ones if one.nwn is not None]
    placed.sort(key=lambda one: (-one[2], -one[1], one[0]))
    iwn = np.array([one[1] for one in placed], dtype=np.float64)
    nwn = np.array([one[2] for one in placed], dtype=np.float64)
    free = find_front(iwn, nwn, comparison.dominance)
    return tuple(placed[i][0] for i in np.flatnonzero(free).tolist())


def _list_numbers_without(
    comparison: Comparison,
    method: str,
    without: dict[str, list[WithoutOne]],
    fronts: dict[str, tuple[str, ...]],
) -> list[LeftOutNumber]:
    whole = comparison.by_method[method]
    found = [LeftOutNumber(method, None, whole.wn, whole.iwn, whole.nwn, None, whole.pareto)]
    for name, ones in without.items():
        for one in ones:
            if one.method == method and one.affected:
                change = None if one.nwn is None else one.nwn - whole.nwn
                pareto = method in fronts[name]
                found.append(LeftOutNumber(method, name, one.wn, one.iwn, one.nwn, change, pareto))
    return found
