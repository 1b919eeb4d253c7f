"""Strengths: what Bradley-Terry and Plackett-Luce models make of the same sparse table.

A second opinion beside winning numbers: a win over a strong rival counts for more than one over
a weak rival, which matters where methods met different rivals. The win matrix tells how often each
method beat each other one, head to head; as a graph of who met whom, its connections decide what
can be said.

The log-strengths are those of highest likelihood: from pairs by Newton's method, from rankings by
L-BFGS. Both add `virtual_ties` ties of each method with an imagined method of strength 0, each tie
half a win and half a loss; with 0 of them only differences matter, and the mean is kept at 0.

Bradley and Terry (1952), "Rank analysis of incomplete block designs", Biometrika 39; Plackett
(1975), "The analysis of permutations", Applied Statistics 24; Hunter (2004), "MM algorithms for
generalized Bradley-Terry models", Annals of Statistics 32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells
from rankwise.comparison.method_ranking import Comparison
from rankwise.errors import RankwiseError
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function

Model = Literal["bradley-terry", "plackett-luce"]
Regularization = Literal["virtual-tie", "none"]
REGULARIZATIONS: tuple[Regularization, ...] = ("virtual-tie", "none")


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
    """Log-strengths of all methods that met a rival, strongest first.

    Without regularization their mean is 0; with it, 0 is the strength of the imagined method.
    `groups` are the sets of methods joined by shared cells. Where there are several, `remark` says
    in a sentence that nothing compares methods of different groups.
    """

    model: Model
    regularization: Regularization
    strengths: tuple[Strength, ...]
    groups: tuple[tuple[str, ...], ...]
    remark: str | None

    def by_method(self) -> dict[str, float]:
        """Log-strength by method."""
        return {one.method: one.strength for one in self.strengths}


def fit_bradley_terry(
    comparison: Comparison, regularization: Regularization = "virtual-tie"
) -> Strengths:
    """P(i beats j) = 1 / (1 + exp(λ_j - λ_i)) with the λ of highest likelihood.

    Every pair of results in a cell is one comparison; a tie is half a win for each. With `none`
    the maximum exists only where wins lead from every method to every other, and is refused
    elsewhere. `virtual-tie` gives each method one tie with an imagined method of strength 0, which
    makes the maximum exist and pulls methods with few results towards it.
    """

    met = _count_checked_meetings(comparison, regularization)
    strength, errors = fit_pairs(met.wins + met.ties / 2, _virtual_ties(regularization))
    return _order_by_strength("bradley-terry", regularization, met, strength, errors)


def fit_plackett_luce(
    comparison: Comparison, regularization: Regularization = "virtual-tie"
) -> Strengths:
    """Each cell is a ranking, and each of its places a choice among those ranked below:

        P(i is chosen) = exp(λ_i) / (exp(λ_i) + Σ_{j below i} exp(λ_j)).

    Tied methods are not compared with each other, as a tie is no win. Regularization as in
    `fit_bradley_terry`; both models agree where every cell holds two untied results.
    """

    met = _count_checked_meetings(comparison, regularization, ties_join=False)
    strength = fit_rankings(comparison.cells, met.codes, _virtual_ties(regularization))
    errors = np.full(len(strength), np.nan)
    return _order_by_strength("plackett-luce", regularization, met, strength, errors)


def _count_checked_meetings(
    comparison: Comparison, regularization: Regularization, ties_join: bool = True
) -> Meetings:
    if regularization not in REGULARIZATIONS:
        raise RankwiseError(
            f"the regularization must be one of {', '.join(REGULARIZATIONS)}; "
            f"found {regularization!r}"
        )
    met = count_meetings(comparison.cells)
    if not ties_join:
        met = Meetings(met.methods, met.codes, met.wins, np.zeros_like(met.ties))
    if regularization == "none":
        met.check_reachable()
    return met


def _virtual_ties(regularization: Regularization) -> float:
    return 1.0 if regularization == "virtual-tie" else 0.0


def _order_by_strength(
    model: Model,
    regularization: Regularization,
    met: Meetings,
    strength: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> Strengths:
    found = [
        Strength(name, value, None if np.isnan(error) else error)
        for name, value, error in zip(met.methods, strength.tolist(), errors.tolist(), strict=True)
    ]
    found.sort(key=lambda one: (-one.strength, one.method))
    groups = met.groups()
    return Strengths(model, regularization, tuple(found), groups, _describe_groups(groups))


def _describe_groups(groups: tuple[tuple[str, ...], ...]) -> str | None:
    if len(groups) == 1:
        return None
    outside = sum(len(group) for group in groups[1:])
    return (
        f"The methods fall into {len(groups)} groups that share no data set and measure, so "
        f"strengths compare methods of one group only: {len(groups[0])} methods are in the largest "
        f"group, {outside} outside it, {groups[1][0]} among them."
    )


Values = NDArray[np.float64]

_SMALL_STEP = 1e-9
_MOST_STEPS = 100
_SMALL_GRADIENT = 1e-5

_plackett_luce = function(
    "rankwise_plackett_luce",
    *(DOUBLES, INT64, INT64S, INT64S, INT64S, INT64, DOUBLES_OUT, DOUBLES_OUT, DOUBLES_OUT),
    returns=DOUBLE,
)


def fit_pairs(wins: Values, virtual_ties: float) -> tuple[Values, Values]:
    """Bradley-Terry log-strengths and their standard errors from wins[i, j] of i over j.

    Maximises Σ_ij wins_ij log σ(λ_i - λ_j) + ½ v Σ_i (log σ(λ_i) + log σ(-λ_i)), σ being the
    logistic function and v the virtual ties. The sum is concave; steps that overshoot are halved.

    The errors are of the distance from the others. Where all methods stand, the virtual ties fix
    and nothing was measured of it: at the maximum Σ_i (σ(λ_i) - ½) = 0 over methods that met, so
    that λ_i moves with λ_i - Σ_j w_j λ_j, w being the slopes σ(1 - σ) as shares of their sum.
    """
    strength = np.zeros(len(wins))
    for _ in range(_MOST_STEPS):
        gradient, curvature = _derivatives(strength, wins, virtual_ties)
        step = np.asarray(np.linalg.solve(curvature, gradient), dtype=np.float64)
        if np.abs(step).max() < _SMALL_STEP:
            covariance = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
            return strength, _find_errors(strength, covariance, wins, virtual_ties)
        strength = _uphill(strength, step, wins, virtual_ties)
    raise RankwiseError(_NOT_SETTLED)


def _find_errors(strength: Values, covariance: Values, wins: Values, virtual_ties: float) -> Values:
    """Standard errors without the variance of a shift of all methods that met.

    Without virtual ties the mean of all is kept at 0, and every method has the same share in it.
    """
    slope, together = np.ones(len(wins)), np.ones(wins.shape, dtype=bool)
    if virtual_ties:
        group = _find_groups(wins + wins.T > 0)
        slope, together = _logistic(strength) * _logistic(-strength), group[:, None] == group
    shares = together * slope / (together @ slope)[:, None]
    moves = np.eye(len(wins)) - shares
    return np.asarray(np.sqrt(np.diag(moves @ covariance @ moves.T)))


def _find_groups(met: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each method the first of those that meetings join it to."""
    group = np.arange(len(met))
    while True:
        lowest = np.where(met, group[None, :], group[:, None]).min(axis=1)
        if np.array_equal(lowest := np.minimum(lowest, group), group):
            return group
        group = lowest


def fit_rankings(cells: Cells, codes: NDArray[np.int64], virtual_ties: float) -> Values:
    """Plackett-Luce log-strengths of the methods with the given codes; see `plackett_luce`."""
    from scipy.optimize import minimize

    method = np.searchsorted(codes, cells.method)
    cell_first = np.repeat(cells.bounds[:-1], np.diff(cells.bounds))
    level_first = cell_first + cells.wins
    below, chosen = np.empty(len(method)), np.empty(len(method))

    def downhill(strength: Values) -> tuple[float, Values]:
        gradient = np.zeros(len(codes))
        rankings = (method, cell_first, level_first, len(method))
        value = _plackett_luce(strength, len(codes), *rankings, below, chosen, gradient)
        value -= virtual_ties * _virtual_surprise(strength)
        gradient -= virtual_ties * (_logistic(strength) - 0.5)
        return -value, -gradient

    found = minimize(
        downhill,
        np.zeros(len(codes)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 10_000, "maxfun": 20_000, "gtol": 1e-9, "ftol": 1e-16, "maxcor": 30},
    )
    if np.abs(found.jac).max() > _SMALL_GRADIENT * max(1, len(cells) / len(codes)):
        raise RankwiseError(_NOT_SETTLED)
    return np.asarray(found.x, dtype=np.float64)


_NOT_SETTLED = (
    "the strengths did not settle, so none are given; some method wins or loses nearly everything: "
    "use the regularization virtual-tie"
)


def _derivatives(strength: Values, wins: Values, virtual_ties: float) -> tuple[Values, Values]:
    """The gradient of the likelihood and the negative of its second derivatives."""
    met = wins + wins.T
    probability = _logistic(strength[:, None] - strength[None, :])
    virtual = _logistic(strength)
    gradient = (wins - met * probability).sum(axis=1) - virtual_ties * (virtual - 0.5)
    spread = met * probability * (1 - probability)
    curvature = np.diag(spread.sum(axis=1) + virtual_ties * virtual * (1 - virtual)) - spread
    if not virtual_ties:
        # Fills the one direction without curvature, a shift of all strengths, and no other.
        curvature += 1 / len(wins)
    return gradient, curvature


def _uphill(strength: Values, step: Values, wins: Values, virtual_ties: float) -> Values:
    """A Newton step, halved until the likelihood no longer falls."""
    before = _likelihood(strength, wins, virtual_ties)
    while np.abs(step).max() > _SMALL_STEP:
        if _likelihood(strength + step, wins, virtual_ties) >= before:
            break
        step = step / 2
    return strength + step


def _likelihood(strength: Values, wins: Values, virtual_ties: float) -> float:
    surprise = np.logaddexp(0, strength[None, :] - strength[:, None])
    return -float((wins * surprise).sum()) - virtual_ties * _virtual_surprise(strength)


def _virtual_surprise(strength: Values) -> float:
    """-½ Σ (log σ(λ) + log σ(-λ)): one virtual tie of every method."""
    return float((np.logaddexp(0, strength) + np.logaddexp(0, -strength)).sum()) / 2


def _logistic(value: Values) -> Values:
    # exp of a large positive number would overflow; tanh does not, and is as exact.
    return 0.5 * (1 + np.tanh(value / 2))


@dataclass(frozen=True, eq=False)
class Meetings:
    """Wins and ties among the methods that met a rival; `codes` are their codes in the cells."""

    methods: tuple[str, ...]
    codes: NDArray[np.int64]
    wins: NDArray[np.int64]
    ties: NDArray[np.int64]

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Sets of methods joined by shared cells, the largest first; usually there is one."""
        label = _connected_components(self.wins + self.ties, "weak")
        return tuple(
            tuple(self.methods[i] for i in np.flatnonzero(label == group))
            for group in np.argsort(-np.bincount(label), kind="stable")
        )

    def check_reachable(self) -> None:
        """Wins or ties must lead from every method to every other, or no likelihood has a maximum.

        Ford (1957), "Solution of a ranking problem from binary comparisons".
        """
        label = _connected_components(self.wins + self.ties, "strong")
        sizes = np.bincount(label)
        if len(sizes) > 1:
            apart = self.methods[int(np.flatnonzero(label != sizes.argmax())[0])]
            raise RankwiseError(
                "strengths without regularization exist only where wins lead from every method to "
                f"every other; here they leave {len(sizes)} sets apart ({apart} is not in the "
                "largest one); use the regularization virtual-tie"
            )


def count_meetings(cells: Cells) -> Meetings:
    """The head-to-head counts of all methods that have a rival in some cell."""
    codes = np.unique(cells.method)
    wins, ties = (counts[np.ix_(codes, codes)] for counts in count_pairs(cells))
    return Meetings(tuple(cells.methods[code] for code in codes), codes, wins, ties)


def _connected_components(
    edges: NDArray[np.int64], connection: Literal["weak", "strong"]
) -> NDArray[np.int64]:
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(edges > 0, directed=True, connection=connection)
    return np.asarray(label, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class WinMatrix:
    """Counts over the cells (data set × measure) in which both methods have a result.

    `wins[i, j]` is how often method i had the higher value than method j, `ties[i, j]` how often
    they were level; wins[i, j] + wins[j, i] + ties[i, j] = comparisons[i, j].
    """

    methods: tuple[str, ...]
    wins: NDArray[np.int64]
    ties: NDArray[np.int64]

    @property
    def comparisons(self) -> NDArray[np.int64]:
        """How many cells each pair shares; 0 on the diagonal."""
        return self.wins + self.wins.T + self.ties


def count_wins(comparison: Comparison, methods: Sequence[str] | None = None) -> WinMatrix:
    """Head-to-head counts of the named methods, or of all placed ones, best first."""
    chosen = tuple(comparison.by_method if methods is None else methods)
    unknown = [name for name in chosen if name not in comparison.cells.methods]
    if unknown:
        raise RankwiseError(f"there is no method {unknown[0]!r} in this comparison")
    codes = [comparison.cells.methods.index(name) for name in chosen]
    among = comparison.cells.only(np.isin(comparison.cells.method, codes))
    wins, ties = count_pairs(among)
    return WinMatrix(chosen, wins[np.ix_(codes, codes)], ties[np.ix_(codes, codes)])


def count_pairs(cells: Cells) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Wins and ties of every pair of methods; costs the sum of squared cell sizes."""
    size = len(cells.methods)
    wins = np.zeros((size, size), dtype=np.int64)
    ties = np.zeros((size, size), dtype=np.int64)
    for start, end in pairwise(cells.bounds.tolist()):
        # A method is in a cell once, so that adding through an index adds every pair.
        pairs = np.ix_(cells.method[start:end], cells.method[start:end])
        won = cells.find_wins(start, end)
        wins[pairs] += won
        if cells.ties[start:end].any():
            ties[pairs] += ~(won | won.T)
    np.fill_diagonal(ties, 0)
    return wins, ties
