"""Patterns of holes: which results a sparse table has, laid over the results of a dense one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.comparing import Results, gather_results
from rankwise.errors import RankwiseError
from rankwise.results.dataset_names import fold_name
from rankwise.results.result_table import ResultTable
from rankwise.sanitize import list_some

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
