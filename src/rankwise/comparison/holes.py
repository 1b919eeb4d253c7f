"""Holes laid over a dense table: does an estimate from few results recover the order of all?

Tax, Bockting and Hiemstra (2015) compare 87 methods by a table that is nine tenths empty. Where a
dense table exists, the same holes can be made in it, and what is left compared with the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_seed
from rankwise.comparison.comparing import Results, compare
from rankwise.comparison.estimates import ResultSample
from rankwise.comparison.estimators import DEFAULT_ESTIMATOR, ESTIMATORS
from rankwise.comparison.hole_patterns import (
    DenseNames,
    Filled,
    describe_places,
    find_dense_part,
    match_pattern,
    name_pattern,
    read_pattern,
    shuffle_holes,
)
from rankwise.comparison.hole_study import KINDS, HoleStudy, Kind, TrueMethod
from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.recovery import (
    LEAST_METHODS,
    Attempt,
    Truth,
    attempt,
    count_results,
    find_truth,
)
from rankwise.comparison.recovery_summary import summarise, summarise_steps
from rankwise.comparison.winning_numbers import Dominance
from rankwise.errors import RankwiseError

DENSE_TABLE = "rankwise_dense"
"""What holes are laid over where nothing is named: the shipped table without holes."""


def lay_holes(
    comparison: Comparison | None = None,
    pattern: Results = "tax2015",
    *,
    draws: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
    advance: Callable[[float], None] = lambda done: None,
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
    is filled. `advance` is told the number of draws done. The same seed gives the same figures.
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
        advance(number + 1)
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
