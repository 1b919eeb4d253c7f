"""Strengths: what Bradley-Terry and Plackett-Luce models make of the same sparse table.

A second opinion beside winning numbers: a win over a strong rival counts for more than one over
a weak rival, which matters where methods met different rivals.

Bradley and Terry (1952), "Rank analysis of incomplete block designs", Biometrika 39; Plackett
(1975), "The analysis of permutations", Applied Statistics 24; Hunter (2004), "MM algorithms for
generalized Bradley-Terry models", Annals of Statistics 32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells
from rankwise.comparison.ranking import Comparison
from rankwise.comparison.win_matrix import pair_counts
from rankwise.errors import RankwiseError

Regularization = Literal["virtual-tie", "none"]
REGULARIZATIONS: tuple[Regularization, ...] = ("virtual-tie", "none")
VIRTUAL_TIE_SHARE = 0.5
"""A tie is half a win and half a loss."""

_TOLERANCE = 1e-8
_MOST_STEPS = 200


@dataclass(frozen=True)
class Strength:
    """A method's log-strength; e to the difference of two is the odds of one beating the other.

    `standard_error` comes from the curvature of the likelihood, and is None for Plackett-Luce. It
    takes cells as independent, which the measures of one data set are not: it is too small.
    """

    method: str
    strength: float
    standard_error: float | None


@dataclass(frozen=True)
class Strengths:
    """Strengths of all methods that met a rival, strongest first, with mean 0.

    `groups` are the sets of methods joined by shared cells. Where there are several, `remark` says
    so in a sentence: no data compares methods of different groups.
    """

    model: Literal["bradley-terry", "plackett-luce"]
    regularization: Regularization
    strengths: tuple[Strength, ...]
    groups: tuple[tuple[str, ...], ...]
    remark: str | None

    def by_method(self) -> dict[str, float]:
        """Log-strength by method."""
        return {one.method: one.strength for one in self.strengths}


def bradley_terry(
    comparison: Comparison, regularization: Regularization = "virtual-tie"
) -> Strengths:
    """P(i beats j) = 1 / (1 + exp(λ_j - λ_i)), λ of highest likelihood by Newton's method.

    Every pair of results in a cell is one comparison; a tie is half a win for each. `none` gives
    the likelihood alone, whose maximum exists only where every method is reachable from every
    other through wins (Ford 1957), and is refused elsewhere. `virtual-tie` gives each method one
    tie with an imagined method of strength 0, which makes the maximum exist and pulls methods
    with few results towards the middle.
    """
    wins, ties, methods, groups = _meetings(comparison.cells, regularization)
    share = VIRTUAL_TIE_SHARE if regularization == "virtual-tie" else 0.0
    strength, errors = _newton(wins + ties / 2, share)
    return _ordered("bradley-terry", regularization, methods, strength, errors, groups)


def plackett_luce(
    comparison: Comparison, regularization: Regularization = "virtual-tie"
) -> Strengths:
    """Each cell is a ranking, each of its places a choice among those ranked below:

        P(i is chosen) = exp(λ_i) / (exp(λ_i) + Σ_{j below i} exp(λ_j)).

    Tied methods are not compared with each other, as a tie is no win. λ of highest likelihood by
    L-BFGS. Regularization as in `bradley_terry`.
    """
    _, _, methods, groups = _meetings(comparison.cells, regularization)
    share = VIRTUAL_TIE_SHARE if regularization == "virtual-tie" else 0.0
    strength = _most_likely_rankings(comparison.cells, methods, share)
    return _ordered("plackett-luce", regularization, methods, strength, None, groups)


def _meetings(
    cells: Cells, regularization: Regularization
) -> tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], tuple[tuple[str, ...], ...]
]:
    """Win and tie counts among methods that met a rival, their codes, and their groups."""
    if regularization not in REGULARIZATIONS:
        raise RankwiseError(
            f"the regularization must be one of {', '.join(REGULARIZATIONS)}; "
            f"found {regularization!r}"
        )
    methods = np.unique(cells.method)
    wins, ties = (counts[np.ix_(methods, methods)] for counts in pair_counts(cells))
    names = [cells.methods[code] for code in methods]
    if regularization == "none":
        _check_reachable(wins + ties, names)
    groups = _groups(wins + wins.T + ties, names)
    return wins.astype(np.float64), ties.astype(np.float64), methods, groups


def _check_reachable(beaten: NDArray[np.int64], names: list[str]) -> None:
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(beaten > 0, directed=True, connection="strong")
    if count > 1:
        apart = [name for name, one in zip(names, label, strict=True) if one != np.bincount(label).argmax()]
        raise RankwiseError(
            "strengths without regularization exist only where wins lead from every method to "
            f"every other; here the methods fall into {count} sets that do not, for instance "
            f"{apart[0]} is apart from the largest; use the regularization virtual-tie"
        )


def _groups(met: NDArray[np.int64], names: list[str]) -> tuple[tuple[str, ...], ...]:
    """Sets of methods joined by shared cells, the largest first."""
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(met > 0, directed=False)
    found = [
        tuple(name for name, one in zip(names, label, strict=True) if one == number)
        for number in range(count)
    ]
    return tuple(sorted(found, key=len, reverse=True))


def _newton(
    wins: NDArray[np.float64], share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Log-strengths and their standard errors; steps are halved until the likelihood rises."""
    met = wins + wins.T
    strength = np.zeros(len(wins))
    likelihood = _likelihood(strength, wins, share)
    for _ in range(_MOST_STEPS):
        gradient, curvature = _slopes(strength, wins, met, share)
        step = np.linalg.solve(curvature, gradient)
        length = 1.0
        while (after := _likelihood(strength + length * step, wins, share)) < likelihood:
            length /= 2
            if length < _TOLERANCE:
                break
        else:
            strength, likelihood = strength + length * step, after
        if np.abs(step).max() < _TOLERANCE or length < _TOLERANCE:
            break
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)) - (0 if share else 1 / len(wins)))
    return strength, errors


def _likelihood(strength: NDArray[np.float64], wins: NDArray[np.float64], share: float) -> float:
    chance = np.logaddexp(0, strength[None, :] - strength[:, None])
    virtual = np.logaddexp(0, strength) + np.logaddexp(0, -strength)
    return float(-(wins * chance).sum() - share * virtual.sum())


def _slopes(
    strength: NDArray[np.float64], wins: NDArray[np.float64], met: NDArray[np.float64], share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gradient of the likelihood and the negative of its second derivatives."""
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    virtual = 1 / (1 + np.exp(-strength))
    gradient = (wins - met * chance).sum(axis=1) + share * (1 - 2 * virtual)
    spread = met * chance * (1 - chance)
    curvature = np.diag(spread.sum(axis=1) + 2 * share * virtual * (1 - virtual)) - spread
    if share == 0:
        # Only differences matter then; this fixes the mean at 0 without touching them.
        curvature += 1 / len(wins)
    return gradient, curvature


def _most_likely_rankings(
    cells: Cells, methods: NDArray[np.int64], share: float
) -> NDArray[np.float64]:
    from scipy.optimize import minimize

    from rankwise.comparison.plackett_luce_kernel import log_likelihood

    code = np.searchsorted(methods, cells.method)
    cell_first = np.arange(len(cells)) - _places_in_cell(cells)
    level_first = cell_first + cells.wins

    def downhill(strength: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        gradient = np.zeros(len(methods))
        value = log_likelihood(strength, code, cell_first, level_first, gradient)
        value -= share * float((np.logaddexp(0, strength) + np.logaddexp(0, -strength)).sum())
        gradient += share * (1 - 2 / (1 + np.exp(-strength)))
        return -value, -gradient

    options = {"maxiter": 10_000, "maxfun": 20_000, "gtol": _TOLERANCE, "ftol": 1e-15}
    found = minimize(downhill, np.zeros(len(methods)), jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x, dtype=np.float64)


def _places_in_cell(cells: Cells) -> NDArray[np.int64]:
    """How many results of the cell come before each result."""
    begins = np.flatnonzero(np.diff(cells.cell, prepend=-1))
    return np.arange(len(cells)) - np.repeat(begins, np.diff(begins, append=len(cells)))


def _ordered(
    model: Literal["bradley-terry", "plackett-luce"],
    regularization: Regularization,
    methods: NDArray[np.int64],
    strength: NDArray[np.float64],
    errors: NDArray[np.float64] | None,
    groups: tuple[tuple[str, ...], ...],
) -> Strengths:
    raise NotImplementedError
