"""Rank agreement: how alike two ways of scoring the same methods order them.

Kendall (1945), "The treatment of ties in ranking problems", Biometrika 33; Spearman (1904).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError


@dataclass(frozen=True)
class Agreement:
    """Agreement of two scorings over the methods that both score.

    `kendall` and `spearman` are None where a scoring puts all methods level. `overlap` gives for
    some k the share of methods that are among the best k of both.
    """

    methods: int
    kendall: float | None
    spearman: float | None
    overlap: dict[int, float]


def compute_agreement(
    first: Mapping[str, float], second: Mapping[str, float], best: Sequence[int] = (5, 10, 20)
) -> Agreement:
    """Compare two scorings, higher being better; each k of `best` beyond the methods is skipped."""
    common = [name for name in first if name in second]
    if len(common) < 2:
        raise RankwiseError(
            f"rank agreement needs at least two methods scored by both; found {len(common)}"
        )
    a = np.array([first[name] for name in common], dtype=np.float64)
    b = np.array([second[name] for name in common], dtype=np.float64)
    overlaps = {k: top_overlap(a, b, k) for k in best if 1 <= k <= len(common)}
    return Agreement(len(common), kendall_tau_b(a, b), spearman_rho(a, b), overlaps)


def kendall_tau_b(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """τ_b = (concordant - discordant) / √((n₀ - n₁)(n₀ - n₂)).

    n₀ = n(n - 1)/2 pairs, of which n₁ are tied in a and n₂ in b; None where all are.
    """
    balance = untied_a = untied_b = 0
    for i in range(len(a) - 1):
        one, other = np.sign(a[i + 1 :] - a[i]), np.sign(b[i + 1 :] - b[i])
        balance += int((one * other).sum())
        untied_a += int(np.abs(one).sum())
        untied_b += int(np.abs(other).sum())
    return None if untied_a * untied_b == 0 else float(balance / np.sqrt(untied_a * untied_b))


def spearman_rho(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """Pearson's correlation of the ranks, equals sharing their mean rank."""
    x, y = mean_ranks(a), mean_ranks(b)
    x, y = x - x.mean(), y - y.mean()
    spread = np.sqrt((x @ x) * (y @ y))
    return None if spread == 0 else float(x @ y / spread)


def top_overlap(a: NDArray[np.float64], b: NDArray[np.float64], k: int) -> float:
    """|best k of a ∩ best k of b| / k; at the border those that come first are taken."""
    best = (set(np.argsort(-scores, kind="stable")[:k].tolist()) for scores in (a, b))
    return len(set.intersection(*best)) / k


def mean_ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1 for the lowest; equals share the mean of their ranks."""
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean: NDArray[np.float64] = (last - (counts - 1) / 2)[inverse]
    return mean
