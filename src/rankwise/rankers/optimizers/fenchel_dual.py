"""The squared hinge on pairs within a ball of the ℓ1 norm, by greedy steps with a dual bound.

Lai, Pan, Liu, Lin, Wu (2013). Sparse learning-to-rank via an efficient primal-dual algorithm.
IEEE Transactions on Computers 62. The same steps as those of Frank, Wolfe (1956). An algorithm for
quadratic programming. Naval Research Logistics Quarterly 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.native.sums import dot
from rankwise.rankers.losses.pairs import PreferencePairs, SquaredHinge
from rankwise.rankers.optimizers.optimum import Optimum
from rankwise.rankers.ranker import Round, Watch
from rankwise.rankers.training.relative_features import RelativeFeatures

Floats = NDArray[np.float64]

_SEARCH_STEPS = 60
# A line search ends where the slope has shrunk to this part of what it was.
_FLAT = 1e-7


def fenchel_dual(
    features: RelativeFeatures,
    pairs: PreferencePairs,
    radius: float,
    *,
    gap: float,
    rounds: int,
    watch: Watch,
) -> Optimum:
    """Minimise f(w) = 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (z_i − z_j))² subject to ‖w‖₁ ≤ r.

        j = argmax_j |∇_j f(w)|,   e = −r sign(∇_j f(w)) e_j,   w ← (1 − μ) w + μ e

    with the μ in [0, 1] of least f. By Fenchel duality no w in the ball has a value below f(w) −
    ∇f(w) · (w − e); steps end once this bound is within `gap`. A feature that no step took has
    weight 0.
    """
    weights = np.zeros(len(features.scales))
    point = pairs.squared_hinge(np.zeros(len(pairs.levels)))
    lower = -np.inf
    number = 0
    while number < rounds:
        gradient = features.combine(point.slopes)
        best = int(np.argmax(np.abs(gradient)))
        corner = np.zeros_like(weights)
        corner[best] = -radius * np.sign(gradient[best])
        lower = max(lower, point.value - dot(gradient, weights - corner))
        if point.value - lower <= gap:
            break
        share, reached = _line_search(pairs, point, features.scores(corner))
        if reached.value >= point.value:
            break
        weights, point = (1.0 - share) * weights + share * corner, reached
        number += 1
        if watch(Round(number, rounds, training=point.value)):
            break
    return Optimum(weights, point.value, point.value - lower, number)


def _line_search(
    pairs: PreferencePairs, start: SquaredHinge, target: Floats
) -> tuple[float, SquaredHinge]:
    """The share μ of the way to the target's scores at which the loss is least, and the loss there.

    On the line the loss is a convex function made of parabolas: Newton's method ends at its
    minimum once it has found the right one; steps that leave the bracket are replaced by halving.
    """
    change = target - start.scores
    first = slope = dot(start.slopes, change)
    low, high, share, point = 0.0, 1.0, 0.0, start
    end_seen = False
    for _ in range(_SEARCH_STEPS):
        bend = dot(point.curvature(change), change)
        share = share - slope / bend if bend > 0.0 else np.inf
        if not low < share < high:
            share = (low + high) / 2.0 if end_seen else 1.0
        point = pairs.squared_hinge(start.scores + share * change)
        slope = dot(point.slopes, change)
        if abs(slope) <= _FLAT * abs(first) or (share == 1.0 and slope <= 0.0):
            break
        low, high = (share, high) if slope < 0.0 else (low, share)
        end_seen = end_seen or high < 1.0 or share == 1.0
    return share, point
