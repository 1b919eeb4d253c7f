"""ADMM: the squared hinge on pairs, minimised by parts of the data that only share weights.

A sum of losses of which each knows its own data only is minimised by consensus ADMM: Boyd, Parikh,
Chu, Peleato, Eckstein (2011). Distributed optimization and statistical learning via the alternating
direction method of multipliers. Foundations and Trends in Machine Learning 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats
from rankwise.native.sums import dot
from rankwise.rankers.losses.pairs import PreferencePairs, SquaredHingePoint
from rankwise.rankers.optimizers.lbfgs import Optimum
from rankwise.rankers.optimizers.newton import NewtonPoint, truncated_newton
from rankwise.rankers.parameters import parameter, regularization, scale_large, tol
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training, Watch, never_stop
from rankwise.rankers.training.preferences import has_preference
from rankwise.rankers.training.relative_features import RelativeFeatures


@dataclass(frozen=True)
class ADMM(Ranker):
    """Minimise λ/2 ‖z‖² + Σ_k L_k(w_k) with w_k = z, L_k the loss of part k of the queries.

    L_k(w) = 1/|P| Σ_{(i,j) ∈ P_k} max(0, 1 − w · (x_i − x_j))², P_k the pairs of one query with
    y_i > y_j in part k, |P| the pairs of all parts. The objective is that of `ranksvm-primal`, and
    so is its one minimum: this is another way to it, on which no part sees the data of another
    (`rankwise.rankers.linear.admm`). How near to it training ends is proven.

    Consensus by alternating directions over parts of the data is the paper's. The squared hinge
    for its pairwise loss, and how ρ is kept in balance, are guesses; its variant for streams of
    data is not here. The parts are worked on one after another, in one process.

    Duh, Suzuki, Nagata (2011). Distributed learning-to-rank on streaming data using alternating
    direction method of multipliers. NIPS Big Learning Workshop.
    """

    name: ClassVar[str] = "admm"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Duh, Suzuki and Nagata (2011), NIPS Big Learning Workshop"
    takes_sparse: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("the squared hinge", "how ρ is kept in balance")

    regularization: float = regularization(
        0.1, "the mean over pairs", norm="‖z‖²/2", grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    )
    parts: int = parameter(4, "into how many parts the queries are dealt", lowest=1, highest=10000)
    penalty: float = parameter(
        0.1, "ρ, what it costs at first to differ from z", lowest=1e-9, highest=1e9
    )
    gap: float = tol(1e-5)
    rounds: int = parameter(1000, "rounds at most", lowest=1)
    scale_large: bool = scale_large()

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        total = PreferencePairs.of(train, self.name).total
        features = RelativeFeatures.of(train, self.scale_large)
        dealt = [train.select_queries(slice(k, None, self.parts)) for k in range(self.parts)]
        losses = [self._loss(part, features, total) for part in dealt if _has_pairs(part)]
        found = minimise_by_consensus(
            losses,
            train.n_features,
            self.regularization,
            penalty=self.penalty,
            gap=self.gap,
            rounds=self.rounds,
            watch=training.watch,
        )
        facts = {**found.facts(), "pairs": total, "parts": len(losses)}
        return Learned(Linear(features.plain_weights(found.weights)), facts)

    def _loss(self, part: Dataset, features: RelativeFeatures, total: int) -> Loss:
        pairs = PreferencePairs.of(part, self.name)
        of_all = replace(pairs, weights=np.full(part.n_documents, 1.0 / total))
        return partial(
            SquaredHingePoint.at, features=features.of_part(part), pairs=of_all, regularization=0.0
        )


def _has_pairs(part: Dataset) -> bool:
    return part.n_queries > 0 and has_preference(part)


Loss = Callable[[Floats], NewtonPoint]

# Boyd et al., section 3.4.1: ρ doubles or halves where one residual is so much larger.
_UNBALANCED = 10.0
# The same, section 3.4.3: w_k goes so much of the way from the old z.
_RELAXATION = 1.6
_INNER_ROUNDS = 50
# The part of an inner problem's gap that a round leaves.
_INNER_PART = 1e-4


@dataclass(frozen=True, eq=False)
class _ConsensusState:
    """z, on which all agree in the end, and for each loss its own w and the scaled price u."""

    shared: Floats
    own: Floats
    prices: Floats
    penalty: float


def minimise_by_consensus(
    losses: Sequence[Loss],
    width: int,
    regularization: float,
    *,
    penalty: float,
    gap: float,
    rounds: int,
    watch: Watch,
) -> Optimum:
    """Minimise Σ_k L_k(w) + λ/2 ‖w‖² for smooth convex losses L_k of `width` weights, λ > 0.

    As Σ_k L_k(w_k) + λ/2 ‖z‖² with w_k = z, a round is

        w_k ← argmin L_k(w) + ρ/2 ‖w − z + u_k‖²          (each from its own data, by Newton steps)
        z ← ρ Σ_k (w_k + u_k) / (λ + K ρ)                  (the only thing that is told to all)
        u_k ← u_k + w_k − z

    where z and u_k see 1.6 w_k − 0.6 z in place of w_k, which needs fewer rounds. ρ begins at
    `penalty` and is doubled or halved, u with it, where the w_k are much further from z than z has
    moved, or the other way round. As in `truncated_newton`, ‖∇‖² / (2 λ) at z bounds
    how far the objective is from its minimum; rounds end once that is at most `gap`.
    """
    nothing = np.zeros((len(losses), width))
    state = _ConsensusState(np.zeros(width), nothing, nothing, penalty)
    value, bound = _judge_state(losses, state.shared, regularization)
    best = Optimum(state.shared, value, bound, 0)
    for number in range(1, rounds + 1):
        if best.gap <= gap:
            break
        state = _next_state(losses, state, regularization)
        value, bound = _judge_state(losses, state.shared, regularization)
        if bound < best.gap:
            best = Optimum(state.shared, value, bound, number)
        best = Optimum(best.weights, best.objective, best.gap, number)
        if watch(Round(number, rounds, training=value)):
            break
    return best


def _next_state(
    losses: Sequence[Loss], state: _ConsensusState, regularization: float
) -> _ConsensusState:
    """One round."""
    rho, count = state.penalty, len(losses)
    own = np.array(
        [
            _own_weights(loss, start, state.shared - price, rho)
            for loss, start, price in zip(losses, state.own, state.prices, strict=True)
        ]
    )
    beyond = _RELAXATION * own + (1.0 - _RELAXATION) * state.shared
    shared = rho * (beyond + state.prices).sum(axis=0) / (regularization + count * rho)
    prices = state.prices + beyond - shared
    apart = float(np.sqrt(np.square(own - shared).sum()))
    moved = rho * float(np.sqrt(count * np.square(shared - state.shared).sum()))
    change = 1.0
    if apart > _UNBALANCED * moved:
        change = 2.0
    elif moved > _UNBALANCED * apart:
        change = 0.5
    return _ConsensusState(shared, own, prices / change, rho * change)


def _own_weights(loss: Loss, start: Floats, goal: Floats, rho: float) -> Floats:
    """argmin L(w) + ρ/2 ‖w − goal‖², so near that it is much nearer than the round before was."""

    def objective(weights: Floats) -> _Pulled:
        return _Pulled.at(loss(weights), weights - goal, rho)

    slopes = objective(start).gradient
    near = _INNER_PART * dot(slopes, slopes) / (2.0 * rho)
    found = truncated_newton(
        objective, start, rho, gap=near, rounds=_INNER_ROUNDS, watch=never_stop
    )
    return found.weights


def _judge_state(
    losses: Sequence[Loss], shared: Floats, regularization: float
) -> tuple[float, float]:
    """The objective at z, and a bound on its distance from the minimum."""
    points = [loss(shared) for loss in losses]
    value = sum(point.value for point in points) + regularization / 2.0 * dot(shared, shared)
    gradient = np.sum([point.gradient for point in points], axis=0) + regularization * shared
    return float(value), dot(gradient, gradient) / (2.0 * regularization)


@dataclass(frozen=True, eq=False)
class _Pulled:
    """L(w) + ρ/2 ‖w − goal‖² at one w."""

    point: NewtonPoint
    rho: float
    value: float
    gradient: Floats

    @classmethod
    def at(cls, point: NewtonPoint, away: Floats, rho: float) -> _Pulled:
        value = point.value + rho / 2.0 * dot(away, away)
        return cls(point, rho, value, point.gradient + rho * away)

    def curvature(self, direction: Floats) -> Floats:
        return self.point.curvature(direction) + self.rho * direction
