"""EM for the position-based model: relevance a document, or as a function of the features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.feedback.log import DisplayCounts
from rankwise.feedback.propensities.linked_positions import refuse_unlinked
from rankwise.feedback.propensities.method import Floats, PropensityMethod

_ROUNDS = 1000
_ENOUGH = 1e-6


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
        if change < _ENOUGH:
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
