"""How well an estimate from a table with holes recovers what the dense table says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells
from rankwise.comparison.estimates import Estimates, Estimator, Floats, ResultSample
from rankwise.comparison.rank_tests import kendall_tau_b
from rankwise.comparison.significance_tests.paired_tests import mean_ranks
from rankwise.comparison.winning_numbers import Dominance, find_front
from rankwise.native.distributions import student_tail

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
