"""FenchelRank: the squared hinge on pairs within a ball of the ℓ1 norm, one feature a step.

Its greedy steps come with a dual bound. Lai, Pan, Liu, Lin, Wu (2013). Sparse learning-to-rank via
an efficient primal-dual algorithm. IEEE Transactions on Computers 62. The same steps as those of
Frank, Wolfe (1956). An algorithm for quadratic programming. Naval Research Logistics Quarterly 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats
from rankwise.native.sums import dot
from rankwise.rankers.losses.pairs import PreferencePairs, SquaredHinge
from rankwise.rankers.optimizers.lbfgs import Optimum
from rankwise.rankers.parameters import parameter, scale_large
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training, Watch, kept_facts
from rankwise.rankers.training.relative_features import RelativeFeatures


@dataclass(frozen=True)
class FenchelRank(Ranker):
    """Minimise 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))² subject to ‖w‖₁ ≤ r.

    P holds all pairs of documents of one query with y_i > y_j. Every step moves w towards one
    corner of the ball, that of the feature with the steepest slope, so that at most one feature a
    step gets a weight; the length is that of least loss. Fenchel duality proves how near to the
    minimum training ends.

    The paper writes r² / |P| Σ max(0, 1/r − w · (x_i − x_j))² with ‖w‖₁ ≤ 1: the same with w
    counted in r, the same steps and the same bound. Not `sparserank`, which prices ‖w‖₁ instead of
    bounding it.

    Lai, Pan, Liu, Lin, Wu (2013). Sparse learning-to-rank via an efficient primal-dual algorithm.
    IEEE Transactions on Computers 62.
    """

    name: ClassVar[str] = "fenchelrank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Lai, Pan, Liu, Lin and Wu (2013), IEEE Transactions on Computers 62(6)"
    takes_sparse: ClassVar[bool] = True
    sparsity: ClassVar[str | None] = "radius"

    radius: float = parameter(
        8.0,
        "r, the largest ‖w‖₁",
        grid=(0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0),
        lowest=1e-9,
        highest=1e9,
    )
    gap: float = parameter(
        1e-3, "ε, training ends this near to the minimum of the objective", lowest=1e-14
    )
    rounds: int = parameter(300, "T, steps at most", lowest=1)
    scale_large: bool = scale_large()

    def _learn(self, training: Training) -> Learned[Linear]:
        pairs = PreferencePairs.of(training.train, self.name)
        features = RelativeFeatures.of(training.train, self.scale_large)
        found = fenchel_dual(
            features, pairs, self.radius, gap=self.gap, rounds=self.rounds, watch=training.watch
        )
        facts = {**found.facts(), "pairs": pairs.total, **kept_facts(found.weights)}
        return Learned(Linear(features.plain_weights(found.weights)), facts)


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
