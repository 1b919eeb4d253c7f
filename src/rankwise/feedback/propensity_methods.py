"""Methods that estimate propensities from a log: randomization, harvesting, EM.

Result randomization: in lists of chance, clicks differ by position alone. Intervention harvesting:
documents that different rankers put at different positions. Expectation maximization for the
position-based model: relevance by document, or as a function of the features. A log can compare
positions that are linked: those at both of which some document was shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.feedback.log import DisplayCounts
from rankwise.feedback.propensities import Floats, PropensityMethod


class Randomization(PropensityMethod):
    """θ_k ∝ clicks at k / displays at k, over sessions whose lists were shuffled.

    A document stands at every position equally often, so that the mean relevance at each position
    is the same. Refused is a log in which documents keep their places.

    Wang, Bendersky, Metzler, Najork (2016). Learning to rank with selection bias in personal
    search. SIGIR. Joachims, Swaminathan, Schnabel (2017). WSDM.
    """

    name = "randomization"
    paper = "Wang, Bendersky, Metzler and Najork (2016), SIGIR"

    def check(self, counts: DisplayCounts, deepest: int) -> None:
        """Documents that were often shown must have been shown at several positions."""
        _, places = np.unique(counts.rows, return_inverse=True)
        displays = np.bincount(places, weights=counts.shown)
        positions = np.bincount(places)
        often = displays >= 10.0
        if deepest > 1 and np.any(often) and np.median(positions[often]) < 2:
            raise RankwiseError(
                "result randomization needs lists in an order of chance, found documents that keep "
                "their position; make such lists, or estimate by harvesting or em"
            )

    def estimate(self, counts: DisplayCounts, deepest: int) -> Floats:
        """The share of clicks by position."""
        places = counts.positions - 1
        shown = np.bincount(places, weights=counts.shown, minlength=deepest)
        clicks = np.bincount(places, weights=counts.clicks, minlength=deepest)
        return (clicks + 1e-9) / np.maximum(shown, 1.0)


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
        terms = _HarvestingTerms(
            clicked, displayed, first.astype(np.int64), second.astype(np.int64)
        )
        rates = np.clip(clicked.sum(1) / np.maximum(displayed.sum(1), 1e-12), 1e-3, 0.9)
        start = np.concatenate([_logit(rates), np.zeros(len(first))])
        found = minimize(terms.cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000})
        return _logistic(found.x[:deepest])


class _HarvestingTerms:
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


_ROUNDS = 1000
_SMALL_CHANGE = 1e-6


class ExpectationMaximization(PropensityMethod):
    """P(click on d at k) = θ_k γ_d; alternate what is expected of both and what explains it best.

    Of displays without a click, position k was examined with chance θ_k (1 − γ_d) / (1 − θ_k γ_d)
    and d is relevant with chance γ_d (1 − θ_k) / (1 − θ_k γ_d); new θ_k and γ_d are the means of
    these over all displays at k, and of d. Documents must have been shown at several positions. As
    γ_d is at most 1, documents that are clicked whenever they are examined pull θ up a little until
    they were shown often.

    Chuklin, Markov, de Rijke (2015). Click models for web search, section 4.2.
    """

    name = "em"
    paper = "Chuklin, Markov and de Rijke (2015), Click models for web search"

    def check(self, counts: DisplayCounts, deepest: int) -> None:
        """Documents must link all positions."""
        refuse_unlinked(counts, deepest, "EM")

    def estimate(self, counts: DisplayCounts, deepest: int) -> Floats:
        """θ where nothing changes any more."""
        rows, documents = np.unique(counts.rows, return_inverse=True)
        return maximize(counts, deepest, documents, len(rows), None)


@dataclass(frozen=True, eq=False)
class RegressionEM(PropensityMethod):
    """The same, with γ_d = 1 / (1 + exp(−w · x_d)): features link documents, not positions.

    So one ranker's log will do, as far as a logistic function of the features can tell relevance.
    The maximization step is a few Newton steps of a logistic regression; in the paper it is
    gradient boosted trees on sampled relevance.

    Wang, Golbandi, Bendersky, Metzler, Najork (2018). Position bias estimation for unbiased
    learning to rank in personal search. WSDM.
    """

    name = "regression-em"
    paper = "Wang, Golbandi, Bendersky, Metzler and Najork (2018), WSDM"

    dataset: Dataset | None = None

    def of_dataset(self, dataset: Dataset) -> RegressionEM:
        """With the features of these documents."""
        return RegressionEM(dataset)

    def estimate(self, counts: DisplayCounts, deepest: int) -> Floats:
        """θ where nothing changes any more."""
        rows, documents = np.unique(counts.rows, return_inverse=True)
        if self.dataset is None:
            raise ValueError("the features of the documents are needed")
        features = np.nan_to_num(self.dataset.to_dense().features[rows])
        deviations = features.std(0)
        scaled = (features - features.mean(0)) / np.where(deviations > 0.0, deviations, 1.0)
        design = np.hstack([scaled, np.ones((len(rows), 1))])
        return maximize(counts, deepest, documents, len(rows), design)


def maximize(
    counts: DisplayCounts,
    deepest: int,
    documents: NDArray[np.int64],
    n_documents: int,
    design: Floats | None,
) -> Floats:
    """θ of the likeliest position-based model; `design` has the features of the documents."""
    places = counts.positions - 1
    missed = counts.shown - counts.clicks
    by_position = np.maximum(np.bincount(places, counts.shown, deepest), 1e-12)
    by_document = np.maximum(np.bincount(documents, counts.shown, n_documents), 1e-12)
    rates = np.bincount(places, counts.clicks, deepest) / by_position
    examined: Floats = np.clip(rates / max(rates.max(), 1e-12), 1e-3, 1.0) * 0.9
    relevant = np.full(n_documents, 0.5)
    weights = None if design is None else np.zeros(design.shape[1])
    for _ in range(_ROUNDS):
        theta, gamma = examined[places], relevant[documents]
        without = np.maximum(1.0 - theta * gamma, 1e-12)
        seen = counts.clicks + missed * theta * (1.0 - gamma) / without
        liked = counts.clicks + missed * gamma * (1.0 - theta) / without
        new: Floats = np.clip(np.bincount(places, seen, deepest) / by_position, 1e-9, 1.0 - 1e-9)
        relevant = np.bincount(documents, liked, n_documents) / by_document
        if design is not None and weights is not None:
            weights = _regress(design, relevant, by_document, weights)
            relevant = 1.0 / (1.0 + np.exp(-(design @ weights)))
        relevant = np.clip(relevant, 1e-9, 1.0 - 1e-9)
        change = float(np.abs(new / new[0] - examined / examined[0]).max())
        examined = new
        if change < _SMALL_CHANGE:
            break
    return examined


def _regress(design: Floats, targets: Floats, masses: Floats, weights: Floats) -> Floats:
    """Two Newton steps of a logistic regression with a little of ridge."""
    shares = masses / masses.sum()
    for _ in range(2):
        chances = 1.0 / (1.0 + np.exp(-(design @ weights)))
        slope = design.T @ (shares * (chances - targets)) + 1e-4 * weights
        curvature = shares * np.maximum(chances * (1.0 - chances), 1e-6)
        hessian = (design.T * curvature) @ design + 1e-4 * np.eye(len(weights))
        weights = weights - np.linalg.solve(hessian, slope)
    return weights


def refuse_unlinked(counts: DisplayCounts, deepest: int, method: str) -> None:
    """Refuse a log in which nothing links some position to the first.

    Where no document was seen at two positions, any propensities explain the clicks equally well.
    """
    linked = find_linked(counts, deepest)
    apart = np.flatnonzero(~linked) + 1
    if len(apart):
        shown = ", ".join(map(str, apart[:5])) + (", …" if len(apart) > 5 else "")
        raise RankwiseError(
            f"{method} compares the clicks of one document at several positions; found no document "
            f"that links position {shown} to position 1; log several rankers or randomized lists, "
            "or use regression-em, which goes by the features"
        )


def find_linked(counts: DisplayCounts, deepest: int) -> NDArray[np.bool_]:
    """For every position whether a chain of documents leads from it to the first."""
    rows, places = np.unique(counts.rows, return_inverse=True)
    positions = counts.positions - 1
    linked = np.zeros(deepest, np.bool_)
    linked[0] = True
    while True:
        reached = np.zeros(len(rows), np.bool_)
        reached[places[linked[positions]]] = True
        grown = linked.copy()
        grown[positions[reached[places]]] = True
        if np.array_equal(grown, linked):
            return linked
        linked = grown
