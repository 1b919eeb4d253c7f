"""The largest complete part of a sparse table, for tests that cannot bear holes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells


@dataclass(frozen=True, eq=False)
class CompleteTable:
    """Values of `methods` (rows) in `blocks` (columns), without a hole.

    A block is a data set and a measure. Where the table has several versions of the data set, the
    block bears the name of the first of them and holds the means over those in which all methods
    have a result; `versions` counts the cells behind the blocks.
    """

    methods: tuple[str, ...]
    blocks: tuple[tuple[str, str], ...]
    values: NDArray[np.float64]
    versions: int


def find_largest_complete(
    cells: Cells,
    least_methods: int,
    least_blocks: int,
    unversioned: NDArray[np.int64] | None = None,
) -> CompleteTable | None:
    """The complete sub-table with the most results that a greedy search from every block finds.

    From each block in turn the search adds the block that keeps the most methods, those with
    results in all blocks so far, and stops when fewer than `least_methods` are left. Of all
    stages with enough blocks the one with the most results, methods × blocks, is taken; of
    equal ones that with more blocks, then the first in the order of the table. The true largest
    is a hard problem (a maximum biclique); None where the search finds none large enough.

    Data sets with the same number in `unversioned` are versions of one. They make one block, since
    blocks must be independent: other versions in which all chosen methods have results are
    averaged into it.
    """
    numbers = cells.cell[cells.bounds[:-1]]
    subject = _subjects(cells, numbers, unversioned)
    held = [_bits(cells.method[start:end]) for start, end in pairwise(cells.bounds.tolist())]
    best: tuple[int, int, tuple[int, ...], int] = (0, 0, (), 0)
    for start in range(len(held)):
        for chosen, common in _grown(start, held, subject, least_methods):
            size = len(chosen) * common.bit_count()
            if len(chosen) >= least_blocks and (size, len(chosen)) > best[:2]:
                best = (size, len(chosen), tuple(chosen), common)
    _, _, chosen_blocks, methods = best
    if not chosen_blocks:
        return None
    there = {subject[block] for block in chosen_blocks}
    kept = [
        block
        for block, of in enumerate(subject)
        if of in there and held[block] & methods == methods
    ]
    return _averaged(_extracted(cells, numbers[kept], methods), [subject[block] for block in kept])


def _subjects(
    cells: Cells, numbers: NDArray[np.int64], unversioned: NDArray[np.int64] | None
) -> list[tuple[int, int]]:
    """The data set, whatever its version, and the measure of each block."""
    pairs = [divmod(int(number), len(cells.measures)) for number in numbers]
    same = np.arange(len(cells.datasets)) if unversioned is None else unversioned
    return [(int(same[dataset]), measure) for dataset, measure in pairs]


def _averaged(table: CompleteTable, subject: list[tuple[int, int]]) -> CompleteTable:
    """One block for each subject: the first of its versions, with the mean of their values."""
    columns: dict[tuple[int, int], list[int]] = {}
    for place, one in enumerate(subject):
        columns.setdefault(one, []).append(place)
    values = np.stack([table.values[:, places].mean(axis=1) for places in columns.values()], axis=1)
    blocks = tuple(table.blocks[places[0]] for places in columns.values())
    return CompleteTable(table.methods, blocks, values, len(subject))


def _bits(codes: NDArray[np.int64]) -> int:
    """A set of methods as the bits of one integer: intersections are a single operation."""
    return sum(1 << code for code in codes.tolist())


def _grown(
    start: int, held: list[int], subject: list[tuple[int, int]], least_methods: int
) -> list[tuple[list[int], int]]:
    """The stages of the search from one block: the blocks chosen and the methods in them all."""
    chosen, common = [start], held[start]
    left = [block for block, of in enumerate(subject) if of != subject[start]]
    stages = []
    while common.bit_count() >= least_methods:
        stages.append((list(chosen), common))
        left = [b for b in left if (common & held[b]).bit_count() >= least_methods]
        if not left:
            break
        best = max(left, key=lambda block: (common & held[block]).bit_count())
        chosen.append(best)
        common &= held[best]
        left = [block for block in left if subject[block] != subject[best]]
    return stages


def _extracted(cells: Cells, numbers: NDArray[np.int64], methods: int) -> CompleteTable:
    codes = [code for code in range(len(cells.methods)) if methods >> code & 1]
    kept = np.isin(cells.cell, numbers) & np.isin(cells.method, codes)
    values = np.empty((len(codes), len(numbers)))
    row = np.searchsorted(codes, cells.method[kept])
    values[row, np.searchsorted(numbers, cells.cell[kept])] = cells.value[kept]
    pairs = (divmod(int(number), len(cells.measures)) for number in numbers)
    blocks = tuple((cells.datasets[d], cells.measures[m]) for d, m in pairs)
    names = tuple(cells.methods[code] for code in codes)
    return CompleteTable(names, blocks, values, len(blocks))
