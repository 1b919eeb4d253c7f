"""Sensitivity: how winning numbers move when one measure, data set or study is left out.

Tax, Bockting and Hiemstra (2015), section 5: Table 4 leaves out measures, Figure 6 data sets.
Leaving out a study is beyond the paper: it shows which places rest on a single source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells, IdealRule, PartSums, sum_by_part
from rankwise.comparison.ranking import Comparison
from rankwise.errors import RankwiseError
from rankwise.results.published.citations import split_sources


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
    totals = _totals(comparison.cells, comparison.ideal)
    found = []
    for study, rows in rows_of.items():
        wn, iwn = totals + _change_without(comparison, rows)
        changed = (wn != totals[0]) | (iwn != totals[1])
        gone = np.isin(comparison.cells.row, np.fromiter(rows, np.int64, len(rows)))
        nwn = _weighed_without(comparison, gone)
        found += [
            _fact(comparison, i, study, int(wn[i]), int(iwn[i]), bool(changed[i]), nwn)
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
        replace(one, nwn=_number(weighed[one.left_out], place[one.method], one.iwn))
        for one in found
    ]


def _weighed_without(comparison: Comparison, gone: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    """The weighted NWN of all methods without some results; None where nothing is weighed."""
    if comparison.weighing is None:
        return None
    return comparison.weighing.weigh(comparison.cells.only(~gone), comparison.ideal)


def _number(weighed: NDArray[np.float64] | None, code: int, iwn: int) -> float | None:
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
    wn, iwn = _totals(comparison.cells, comparison.ideal).tolist()
    found = []
    for name, code in named:
        for i in chosen:
            lost_wn, lost_iwn = losses.get((i, code), (0, 0))
            tried = (i, code) in losses
            found.append(_fact(comparison, i, name, wn[i] - lost_wn, iwn[i] - lost_iwn, tried))
    return found


def _totals(cells: Cells, ideal: IdealRule) -> NDArray[np.int64]:
    return np.stack([cells.per_method(cells.wins), cells.per_method(cells.ideal(ideal))])


def _change_without(comparison: Comparison, rows: set[int]) -> NDArray[np.int64]:
    """What WN and IWN of all methods gain when `rows` go: only the cells they are in change."""
    cells = comparison.cells
    gone = np.isin(cells.row, np.fromiter(rows, np.int64, len(rows)))
    touched = cells.only(np.isin(cells.cell, np.unique(cells.cell[gone])))
    left = touched.only(~np.isin(touched.row, cells.row[gone]))
    return _totals(left, comparison.ideal) - _totals(touched, comparison.ideal)


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
    for name in named:
        if name not in comparison.by_method:
            raise RankwiseError(f"there is no method {name!r} with a place in this comparison")
    return [place[name] for name in named]


def _fact(
    comparison: Comparison,
    code: int,
    left_out: str,
    wn: int,
    iwn: int,
    affected: bool,
    weighed: NDArray[np.float64] | None = None,
) -> WithoutOne:
    plain = wn / iwn if iwn else None
    nwn = plain if weighed is None else _number(weighed, code, iwn)
    return WithoutOne(comparison.cells.methods[code], left_out, wn, iwn, nwn, affected)
