"""Values that look like errors in copying: repeated values, identical rows, outliers.

Coincidences happen, and more often the fewer decimals are printed. Each is reported only where its
probability, estimated from the rivals' values in the same columns, is small.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rankwise.results.comparability import count_decimals
from rankwise.results.published.suspicion import FINEST_PRINT, Cell, Official, Suspicion, name_cells
from rankwise.results.result_table import ResultTable

FAR = 3.5
"""Robust standard deviations beyond which a value is far off (Iglewicz and Hoaglin 1993)."""

_PROBABILITY = 0.01
_PROBABILITY_IN_SOURCE = 0.05
_FEWEST_RIVALS = 5

Column = tuple[str, str]
Columns = dict[Column, dict[str, float]]


def find_repeated_values(table: ResultTable) -> list[Suspicion]:
    """One method and source, one value in two neighbouring cells.

    Neighbours are the same measure on two data sets, and two cut-offs of one measure on one data
    set. With u the unit of print and m, s the median and robust deviation of the rivals'
    differences between the two cells, its probability is about u s / (π (s² + m²)): a Cauchy
    density, for its heavy tails. It is reported where that probability times the number of
    neighbours among the method's values in that source is at most 5 %, and five rivals have both
    cells.
    """
    columns = _columns(table)
    findings = []
    for rows in _figures(table):
        step = _step(table.value[rows])
        neighbours = sum(1 for _ in _neighbours(table, rows))
        for first, second in _neighbours(table, rows):
            if table.value[first] == table.value[second]:
                probability = _coincidence(table, columns, first, second, step)
                if probability * neighbours <= _PROBABILITY_IN_SOURCE:
                    findings.append(_twice(table, first, second, probability))
    return findings


def find_identical_rows(table: ResultTable) -> list[Suspicion]:
    """Two methods with the same values in most of the columns they share, too many for chance.

    Two independent values of a column with robust deviation s agree in print with probability
    u / (2 s √π). The probability of e agreements among c shared columns is at most C(c, e) times
    the product of those; it is reported where that, times the number of pairs of methods, is below
    1 %.
    """
    columns = _columns(table)
    rates = {column: _agreement_rate(values.values()) for column, values in columns.items()}
    held = _columns_of_methods(columns)
    pairs = math.comb(len(held), 2)
    findings = []
    for (one, other), equal in _agreements(columns).items():
        shared = len(held[one] & held[other])
        probability = math.comb(shared, len(equal)) * math.prod(rates[column] for column in equal)
        if len(equal) >= max(2, shared / 2) and probability * pairs <= _PROBABILITY:
            findings.append(
                Suspicion(
                    "rows identical",
                    _rows_of(table, {one, other}, set(equal)),
                    f"{one} and {other} have the same value in {len(equal)} of the {shared} "
                    f"columns they share, first {_named(equal[0])}",
                )
            )
    return findings


def find_outliers(table: ResultTable, official: dict[Cell, Official]) -> list[Suspicion]:
    """A value beyond all its rivals, the nearest more than 3.5 robust deviations away.

    The deviation is that of the rivals, of which a column needs five. Official values are never
    reported. One suspicion per method, source and data set.
    """
    columns = _columns(table)
    far: dict[tuple[str, str | None, str], list[tuple[float, int]]] = defaultdict(list)
    for row, cell in enumerate(name_cells(table)):
        if not _is_official(float(table.value[row]), official.get(cell)):
            distance = _distance(table, columns, row)
            if abs(distance) > 0:
                far[table.method[row], table.source[row], cell[0]].append((distance, row))
    return [
        _far(table, columns, sorted(group, key=lambda pair: -abs(pair[0])))
        for group in far.values()
    ]


def _columns(table: ResultTable) -> Columns:
    """For each data set and measure the first value of each method."""
    columns: Columns = defaultdict(dict)
    for (dataset, method, measure), value in zip(
        name_cells(table), table.value.tolist(), strict=True
    ):
        columns[dataset, measure].setdefault(method, value)
    return columns


def _column(table: ResultTable, row: int) -> Column:
    return table.dataset_names[row], table.measure[row]


def _figures(table: ResultTable) -> Iterable[list[int]]:
    """The rows of each method in each source."""
    figures: dict[tuple[str, str | None], list[int]] = defaultdict(list)
    for row, key in enumerate(zip(table.method, table.source, strict=True)):
        figures[key].append(row)
    return figures.values()


def _neighbours(table: ResultTable, rows: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of rows that differ in the data set or in the cut-off of the measure, not in both."""
    shelves: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in rows:
        dataset, measure = _column(table, row)
        shelves["measure", measure].append(row)
        shelves["data set", f"{dataset} {measure.partition('@')[0]}"].append(row)
    for shelf in shelves.values():
        for first, second in combinations(shelf, 2):
            if _column(table, first) != _column(table, second):
                yield first, second


def _coincidence(
    table: ResultTable, columns: Columns, first: int, second: int, step: float
) -> float:
    one, other = columns[_column(table, first)], columns[_column(table, second)]
    rivals = [name for name in one if name in other and name != table.method[first]]
    if len(rivals) < _FEWEST_RIVALS:
        return 1.0
    differences = np.array([one[name] - other[name] for name in rivals])
    middle, spread = float(np.median(differences)), _deviation(differences, step)
    return step * spread / (math.pi * (spread**2 + middle**2))


def _twice(table: ResultTable, first: int, second: int, probability: float) -> Suspicion:
    return Suspicion(
        "value twice",
        (first, second),
        f"{table.method[first]} has {table.value[first]:g} twice, "
        f"{_named(_column(table, first))} and {_named(_column(table, second))}; "
        f"by chance about once in {1 / probability:,.0f}",
    )


def _agreement_rate(values: Iterable[float]) -> float:
    known = np.array(list(values))
    if len(known) < _FEWEST_RIVALS:
        return 1.0
    step = _step(known)
    return step / (2 * _deviation(known, step) * math.sqrt(math.pi))


def _agreements(columns: Columns) -> dict[tuple[str, str], list[Column]]:
    equal: dict[tuple[str, str], list[Column]] = defaultdict(list)
    for column, values in columns.items():
        holders: dict[float, list[str]] = defaultdict(list)
        for method, value in values.items():
            holders[value].append(method)
        for methods in holders.values():
            for one, other in combinations(sorted(methods), 2):
                equal[one, other].append(column)
    return equal


def _columns_of_methods(columns: Columns) -> dict[str, set[Column]]:
    held: dict[str, set[Column]] = defaultdict(set)
    for column, values in columns.items():
        for method in values:
            held[method].add(column)
    return held


def _rows_of(table: ResultTable, methods: set[str], columns: set[Column]) -> tuple[int, ...]:
    return tuple(
        row
        for row in range(len(table))
        if table.method[row] in methods and _column(table, row) in columns
    )


def _distance(table: ResultTable, columns: Columns, row: int) -> float:
    """The robust z-score of a value far from all rivals, 0 for any other."""
    value, rivals = float(table.value[row]), _rivals(table, columns, row)
    if len(rivals) < _FEWEST_RIVALS:
        return 0.0
    nearest = max(value - rivals.max(), rivals.min() - value)
    spread = _deviation(rivals, _step(rivals))
    return float((value - np.median(rivals)) / spread) if nearest > FAR * spread else 0.0


def _rivals(table: ResultTable, columns: Columns, row: int) -> NDArray[np.float64]:
    values = columns[_column(table, row)]
    return np.array([value for method, value in values.items() if method != table.method[row]])


def _far(table: ResultTable, columns: Columns, group: list[tuple[float, int]]) -> Suspicion:
    distance, row = group[0]
    rivals = _rivals(table, columns, row)
    more = f" (and {len(group) - 1} more measures there)" if len(group) > 1 else ""
    return Suspicion(
        "far off",
        tuple(sorted(member for _, member in group)),
        f"{table.method[row]} has {table.value[row]:g} {_named(_column(table, row))}, its "
        f"{len(rivals)} rivals {rivals.min():g} to {rivals.max():g} "
        f"(robust z {distance:+.1f}){more}",
    )


def _is_official(value: float, run: Official | None) -> bool:
    return run is not None and abs(value - run.value) <= run.unit * (1 + 1e-6)


def _deviation(values: NDArray[np.float64], step: float) -> float:
    """1.4826 times the median absolute deviation: the standard deviation of normal values.

    At least one unit of print, because finer differences cannot be seen.
    """
    return max(1.4826 * float(np.median(np.abs(values - np.median(values)))), step)


def _step(values: Iterable[float]) -> float:
    """One unit in the last digit that any of the values is printed with."""
    return float(10.0 ** -count_decimals(np.array([*values]), FINEST_PRINT).max())


def _named(column: Column) -> str:
    return f"in {column[1]} on {column[0]}"
