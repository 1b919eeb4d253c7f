"""The log-strengths of highest likelihood: from pairs by Newton's method, from rankings by L-BFGS.

Both add `virtual_ties` ties of each method with an imagined method of strength 0, each tie half a
win and half a loss; with 0 of them only differences matter, and the mean is kept at 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells
from rankwise.errors import RankwiseError
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function

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
