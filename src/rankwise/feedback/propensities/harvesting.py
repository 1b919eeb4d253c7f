"""Intervention harvesting: documents that different rankers put at different positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.feedback.log import DisplayCounts
from rankwise.feedback.propensities.linked_positions import refuse_unlinked
from rankwise.feedback.propensities.method import Floats, PropensityMethod

Integers = NDArray[np.int64]


class Harvesting(PropensityMethod):
    """Maximise Σ_{k ≠ k'} c_k^{kk'} log(θ_k r_{kk'}) + n_k^{kk'} log(1 − θ_k r_{kk'}) over θ and r.

    Of the documents that were shown both at k and at k', c_k^{kk'} sums the shares of clicks at k,
    n_k^{kk'} those of displays at k without one; r_{kk'} = r_{k'k} is their mean relevance, the
    same at both positions. This is the AllPairs estimator. Deviation: in the paper every document
    of a pair of positions counts alike; here as often as it was shown at the rarer of the two,
    because a share of clicks of a single session says little.

    Agarwal, Zaitsev, Wang, Li, Najork, Joachims (2019). Estimating position bias without intrusive
    interventions. WSDM.
    """

    name = "harvesting"
    paper = "Agarwal, Zaitsev, Wang, Li, Najork and Joachims (2019), WSDM"

    def check(self, counts: DisplayCounts, deepest: int) -> None:
        """Documents must link all positions."""
        refuse_unlinked(counts, deepest, "intervention harvesting")

    def estimate(self, counts: DisplayCounts, deepest: int) -> Floats:
        """The maximum of the likelihood, by L-BFGS over logits."""
        from scipy.optimize import minimize

        clicked, displayed = _pair_sums(counts, deepest)
        first, second = np.nonzero(np.triu(displayed > 0.0, 1))
        if len(first) == 0:
            return np.ones(deepest)
        terms = _Terms(clicked, displayed, first.astype(np.int64), second.astype(np.int64))
        rates = np.clip(clicked.sum(1) / np.maximum(displayed.sum(1), 1e-12), 1e-3, 0.9)
        start = np.concatenate([_logit(rates), np.zeros(len(first))])
        found = minimize(terms.cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000})
        return _logistic(found.x[:deepest])


class _Terms:
    """The likelihood as a function of logits: of θ first, then of r."""

    def __init__(
        self, clicked: Floats, displayed: Floats, first: Integers, second: Integers
    ) -> None:
        self.places = np.concatenate([first, second])
        self.pairs = np.tile(np.arange(len(first)), 2)
        others = np.concatenate([second, first])
        self.clicks = clicked[self.places, others]
        self.misses = np.maximum(displayed[self.places, others] - self.clicks, 0.0)
        self.deepest = len(clicked)

    def cost(self, logits: Floats) -> tuple[float, Floats]:
        """Minus the log-likelihood, and its slopes."""
        examined = _logistic(logits[: self.deepest])[self.places]
        relevant = _logistic(logits[self.deepest :])[self.pairs]
        chance = np.clip(examined * relevant, 1e-12, 1.0 - 1e-12)
        value = -(self.clicks * np.log(chance) + self.misses * np.log1p(-chance)).sum()
        slope = self.misses * chance / (1.0 - chance) - self.clicks
        slopes = np.concatenate(
            [
                np.bincount(self.places, slope * (1.0 - examined), self.deepest),
                np.bincount(self.pairs, slope * (1.0 - relevant)),
            ]
        )
        total = max(1.0, float(self.clicks.sum() + self.misses.sum()))
        return float(value / total), slopes / total


def _pair_sums(counts: DisplayCounts, deepest: int) -> tuple[Floats, Floats]:
    """(positions, positions): at k, over documents shown at k and k', click shares and weights."""
    rows, places = np.unique(counts.rows, return_inverse=True)
    shown, clicks = np.zeros((2, len(rows), deepest))
    shown[places, counts.positions - 1] = counts.shown
    clicks[places, counts.positions - 1] = counts.clicks
    present = (shown > 0.0).astype(np.float64)
    shares = np.divide(clicks, shown, out=np.zeros_like(clicks), where=shown > 0.0)
    worth = np.zeros((deepest, deepest))
    clicked = np.zeros((deepest, deepest))
    for place in range(deepest):
        weight = np.minimum(shown, shown[:, place, None]) * present[:, place, None]
        clicked[:, place] = (weight * shares).sum(0)
        worth[:, place] = weight.sum(0)
    return clicked, worth


def _logistic(values: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-values))


def _logit(values: Floats) -> Floats:
    return np.log(values / (1.0 - values))
