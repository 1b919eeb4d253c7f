"""Cutting planes: minimise λ/2 ‖w‖² + R(w) for a convex R of scores, to a proven gap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, function
from rankwise.native.arrays import Floats
from rankwise.native.sums import dot
from rankwise.rankers.optimizers.lbfgs import Optimum
from rankwise.rankers.ranker import Round, Watch
from rankwise.rankers.training.relative_features import RelativeFeatures

_simplex_program = function(
    "rankwise_simplex_program", DOUBLES, INT64, DOUBLE, INT64, DOUBLES_OUT, DOUBLES_OUT
)

# The risk of scores and a subgradient in the scores.
Risk = Callable[[Floats], tuple[float, Floats]]

QUADRATIC_STEPS = 200_000
LINE_SEARCH_STEPS = 12
# How far beyond the best point the next cut is made (Franc and Sonnenburg).
FORWARD = 0.1


def cutting_plane(
    features: RelativeFeatures,
    risk: Risk,
    regularization: float,
    *,
    gap: float,
    rounds: int,
    search: bool,
    watch: Watch,
) -> Optimum:
    """The weights whose objective is within `gap` of the minimum.

    Every cut a · v + b ≤ R(v), tangent to R at the w where it was made, joins a model of R from
    below. The minimum of λ/2 ‖v‖² + max_k (a_k · v + b_k) is then a lower bound of the objective's,
    and its place the next w. With one cut a round for the sum of all losses this is the 1-slack
    algorithm of Joachims, Finley and Yu (2009), Machine Learning 77. `search` makes the cut near
    the best point of the line to the model's minimum instead: fewer cuts where λ is small (Franc
    and Sonnenburg 2009, JMLR 10).
    """
    cuts = _Cuts.none(len(features.scales), regularization)
    best = here = _Place.at(features, risk, np.zeros(len(features.scales)), regularization)
    lower = -np.inf
    number = 0
    for number in range(1, rounds + 1):
        cuts = cuts.joined(features.combine(here.slopes), here.risk, here.weights, gap)
        lower = max(lower, cuts.bound)
        stopped = watch(Round(number, rounds, training=best.objective))
        if stopped or best.objective - lower <= gap:
            break
        target = _Place.at(features, risk, cuts.lowest, regularization)
        if search:
            best = _best_on_line(risk, best, target, regularization)
            here = best.towards(risk, target, FORWARD, regularization)
        else:
            here = target
        best = min(best, here, key=lambda place: place.objective)
    return Optimum(best.weights, best.objective, best.objective - lower, number)


@dataclass(frozen=True, eq=False)
class _Place:
    """One w with all that was found there."""

    weights: Floats
    scores: Floats
    risk: float
    slopes: Floats
    objective: float

    @classmethod
    def at(
        cls,
        features: RelativeFeatures,
        risk: Risk,
        weights: Floats,
        regularization: float,
    ) -> _Place:
        return cls._measured(risk, weights, features.scores(weights), regularization)

    @classmethod
    def _measured(
        cls,
        risk: Risk,
        weights: Floats,
        scores: Floats,
        regularization: float,
    ) -> _Place:
        value, slopes = risk(scores)
        objective = regularization / 2.0 * dot(weights, weights) + value
        return cls(weights, scores, value, slopes, objective)

    def towards(self, risk: Risk, other: _Place, part: float, regularization: float) -> _Place:
        """A part of the way to another place; scores are linear, so features are not needed."""
        weights = self.weights + part * (other.weights - self.weights)
        scores = self.scores + part * (other.scores - self.scores)
        return self._measured(risk, weights, scores, regularization)


def _best_on_line(risk: Risk, start: _Place, target: _Place, regularization: float) -> _Place:
    """The best place found by bisecting the slope on the line through start and target."""
    direction = target.weights - start.weights
    change = target.scores - start.scores

    def slope(place: _Place) -> float:
        return regularization * dot(place.weights, direction) + dot(place.slopes, change)

    low, high = 0.0, 1.0
    best = min(start, target, key=lambda place: place.objective)
    if slope(target) <= 0.0:
        low, high = 1.0, 2.0
    for _ in range(LINE_SEARCH_STEPS):
        middle = (low + high) / 2.0
        place = start.towards(risk, target, middle, regularization)
        best = min(best, place, key=lambda place: place.objective)
        low, high = (middle, high) if slope(place) < 0.0 else (low, middle)
    return best


@dataclass(frozen=True, eq=False)
class _Cuts:
    """The model of R from below, and the minimum of the objective under it.

    In the dual, shares α ≥ 0 with Σ α = 1 maximise b · α − ‖Σ_k α_k a_k‖² / (2λ); any such α bounds
    the objective from below, and w = −Σ_k α_k a_k / λ.
    """

    regularization: float
    slopes: Floats
    offsets: Floats
    products: Floats
    shares: Floats
    lowest: Floats
    bound: float = field(default=-np.inf)

    @classmethod
    def none(cls, width: int, regularization: float) -> _Cuts:
        nothing = np.zeros(0)
        return cls(
            regularization,
            np.zeros((0, width)),
            nothing,
            np.zeros((0, 0)),
            nothing,
            np.zeros(width),
        )

    def joined(
        self,
        slope: Floats,
        risk: float,
        weights: Floats,
        gap: float,
    ) -> _Cuts:
        """With one more cut, tangent at `weights`, and the minimum under all of them."""
        slopes = np.vstack([self.slopes, slope])
        offsets = np.append(self.offsets, risk - dot(slope, weights))
        row = (slopes * slope).sum(axis=1) / self.regularization
        products = np.vstack([np.hstack([self.products, row[:-1, None]]), row])
        start = np.append(self.shares, 0.0 if len(self.shares) else 1.0)
        shares = simplex_program(products, offsets, start, gap / 10.0, QUADRATIC_STEPS)
        combined = (slopes * shares[:, None]).sum(axis=0)
        bound = dot(offsets, shares) - dot(combined, combined) / (2.0 * self.regularization)
        lowest = -combined / self.regularization
        return _Cuts(self.regularization, slopes, offsets, products, shares, lowest, bound)


def simplex_program(
    products: Floats,
    offsets: Floats,
    start: Floats,
    tolerance: float,
    steps: int,
) -> Floats:
    """Minimise ½ αᵀQα − bᵀα over α ≥ 0, Σ α = 1, from a feasible start."""
    shares = start.copy()
    _simplex_program(products, len(offsets), tolerance, steps, -offsets, shares)
    return shares
