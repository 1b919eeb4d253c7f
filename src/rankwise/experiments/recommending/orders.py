"""Ways to order methods for new data by their losses on known data sets.

Each gives a number per method, the smallest first. Where a method was not run on a data set it gets
the median loss there, which neither helps nor hurts it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError

Table = NDArray[np.float64]

DECIMALS = 12
"""Numbers that agree to so many decimals are equal: the rest is rounding."""


@dataclass(frozen=True, eq=False)
class OrderQuestion:
    """What is known when methods are ordered.

    Attributes:
        losses: (data sets, methods), NaN where a method was not run.
        families: of the methods.
        facts: (data sets, facts): logarithms of what the data sets are like.
        target: (facts,): the same of the new data; NaN what is not known of them.
    """

    losses: Table
    families: tuple[str, ...]
    facts: Table
    target: Table

    def filled(self) -> Table:
        """The losses, medians where there are none."""
        missing = np.isnan(self.losses)
        # Asked for thousands of times when data sets are left out in turn.
        if not missing.any():
            return self.losses
        medians = np.nanmedian(self.losses, axis=1, keepdims=True)
        filled: Table = np.where(missing, medians, self.losses)
        return filled


Way = Callable[[OrderQuestion], Table]


def mean_loss(question: OrderQuestion) -> Table:
    """(1 / D) Σ_d loss(d, m) over D data sets."""
    means: Table = question.filled().mean(axis=0)
    return means


def median_loss(question: OrderQuestion) -> Table:
    """The median over data sets of loss(d, m)."""
    return np.median(question.filled(), axis=0)


def scaled_loss(question: OrderQuestion) -> Table:
    """The mean of loss(d, m) / (median over methods of loss(d, ·)).

    Data sets on which all methods do nearly the same then count as much as those on which they
    differ.
    """
    losses = question.filled()
    medians = np.median(losses, axis=1, keepdims=True)
    scaled: Table = (losses / np.where(medians > 0, medians, 1.0)).mean(axis=0)
    return scaled


def mean_rank(question: OrderQuestion) -> Table:
    """The mean over data sets of the rank, equal losses sharing the mean of theirs."""
    losses = question.filled().round(DECIMALS)
    below = (losses[:, :, None] > losses[:, None, :]).sum(axis=2)
    equal = (losses[:, :, None] == losses[:, None, :]).sum(axis=2)
    ranks: Table = (below + (equal + 1) / 2).mean(axis=0)
    return ranks


def shrunk_loss(question: OrderQuestion) -> Table:
    """f(m) + w · (a(m) - f(m)): the mean loss a, drawn to the mean f of the method's family.

    In the model loss(d, m) = δ(d) + φ(family of m) + α(m) + ε(d, m), with α and ε of variances τ²
    and σ², w = τ² / (τ² + σ² / D). Both variances are estimated by moments. Were all methods
    drawn to one mean, the order would be that of the mean loss.
    """
    losses = question.filled()
    count, width = losses.shape
    means = losses.mean(axis=0)
    left = losses - losses.mean(axis=1, keepdims=True) - (means - means.mean())
    noise = float((left**2).sum()) / max(1, (count - 1) * (width - 1)) / count
    families = np.array(question.families)
    centres = np.array([means[families == family].mean() for family in families])
    spread = float(((means - centres) ** 2).sum()) / max(1, width - len(set(families)))
    signal = max(0.0, spread - noise)
    weight = signal / (signal + noise) if signal + noise > 0 else 1.0
    shrunk: Table = centres + weight * (means - centres)
    return shrunk


def similar_loss(question: OrderQuestion) -> Table:
    """Σ_d k(d) loss(d, m) / Σ_d k(d): data sets that are like the new data count more.

    k(d) = exp(-‖z(d) - z‖² / 2h²), with z the logarithms of documents, features and highest label
    divided by their standard deviation over data sets, and h² the median of the squared distances
    between data sets.
    """
    known = ~(np.isnan(question.target) | np.isnan(question.facts).any(axis=0))
    facts, target = question.facts[:, known], question.target[known]
    scale = facts.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    facts, target = facts / scale, target / scale
    apart = ((facts[:, None, :] - facts[None, :, :]) ** 2).sum(axis=2)
    pairs = apart[np.triu_indices(len(facts), 1)]
    width = (float(np.median(pairs)) if len(pairs) else 0.0) or 1.0
    squares = ((facts - target) ** 2).sum(axis=1)
    # From the nearest on: data far from all would otherwise have no weights at all.
    weights = np.exp(-(squares - squares.min()) / (2.0 * width))
    weighed: Table = weights @ question.filled() / weights.sum()
    return weighed


ORDERS: dict[str, Way] = {
    "mean-loss": mean_loss,
    "median-loss": median_loss,
    "scaled-loss": scaled_loss,
    "mean-rank": mean_rank,
    "shrunk-loss": shrunk_loss,
    "similar-data": similar_loss,
}
USUAL_ORDER = "mean-loss"


def find_order(name: str) -> Way:
    """The way to order of this name."""
    if name not in ORDERS:
        raise RankwiseError(f"the order must be one of {', '.join(ORDERS)}, found {name!r}")
    return ORDERS[name]


def sort_methods(numbers: Table) -> list[int]:
    """The places of the smallest numbers first; equal ones stay as they stand."""
    return [int(one) for one in np.argsort(numbers.round(DECIMALS), kind="stable")]
