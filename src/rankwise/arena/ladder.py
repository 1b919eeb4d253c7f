"""The Ladder: a figure is shown only where it beats the team's best by more than the noise.

Who may ask for the figure of any number of submissions learns the hidden labels bit by bit, and
climbs a board without getting better. The Ladder answers "not better" unless the step is real:

    show f  iff  mean(d) > z · s / √m,    d_q = value_q(f) - value_q(best shown), q = 1 … m

with s the standard deviation of d, and what is shown is rounded to the nearest 1 / m and must be
higher than what was shown before. With z = 1 this is the parameter-free Ladder of Blum and Hardt,
but that they compare the mean before rounding. `z` is `Rules.ladder_errors`: submissions that
differ from the best by chance alone pass one in six times with z = 1, and a thousand of them climb
(benchmarks/ladder_attack.py), hence the larger default.

Where there are few queries, d is far from normal. Then the queries are drawn again with
replacement, and f is shown where a share Φ(z) of the draws has mean(d*) > 0, in the spirit of the
bootstrapped boards of Neto and others; both rules agree where d is normal.

Blum and Hardt (2015), The Ladder: a reliable leaderboard for machine learning competitions, ICML
(arXiv 1502.04585). Neto et al. (2016), Reducing overfitting in challenge-based competitions
(arXiv 1607.00091).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.native.distributions import normal_tail

BOOTSTRAP_BELOW = 100
"""Queries below which the bootstrap decides."""
BOOTSTRAP_SAMPLES = 2000

Values = NDArray[np.float64]


@dataclass(frozen=True)
class LadderStep:
    """What the Ladder says of a submission: whether it is shown, and the value that is."""

    shown: bool
    value: float


def take_step(
    values: Values,
    mean: float,
    best: Values | None,
    best_value: float,
    *,
    errors: float,
    lower_is_better: bool = False,
) -> LadderStep:
    """Whether a submission is shown beside the team's best one.

    Args:
        values: its figures, one per query; NaN where a query has none.
        mean: the figure over all queries.
        best: the figures of the entry that was shown last; None for a team's first entry.
        best_value: what was shown of it.
        errors: the z above.
        lower_is_better: whether small figures are good.
    """
    rounded = round_to_queries(mean, len(values))
    if best is None:
        return LadderStep(True, rounded)
    sign = -1.0 if lower_is_better else 1.0
    differences = sign * (np.nan_to_num(values) - np.nan_to_num(best))
    # Looked at in any case: the time that it takes would tell which of both was too little.
    beats = beats_noise(differences, errors)
    if beats and sign * (rounded - best_value) > 0.0:
        return LadderStep(True, rounded)
    return LadderStep(False, best_value)


def beats_noise(differences: Values, errors: float) -> bool:
    """Whether differences are positive by more than `errors` standard errors."""
    count = len(differences)
    if count < 2:
        return False
    if count < BOOTSTRAP_BELOW:
        # Everybody may know the seed: it chooses no queries that anybody could aim at.
        drawn = np.random.default_rng(0).integers(0, count, (BOOTSTRAP_SAMPLES, count))
        share = float(np.mean(differences[drawn].mean(axis=1) > 0.0))
        return share >= 1.0 - normal_tail(errors)
    noise = errors * float(np.std(differences, ddof=1)) / math.sqrt(count)
    return float(differences.mean()) > noise


def count_bits(queries: int, measures: int, rows: int, hidden: int) -> float:
    """How much boards and comparisons of an open task tell of the labels of a half, at most.

        bits = h + k · (r · b + r(r - 1)/2 · c)
        b = log2(m + 1) + 2 log2(2m + 1)
        c = 1 + 2 log2(4m + 1) + 2

    for m queries, k measures, r rows that are shown and h entries that are not: of a row its value
    in steps of 1 / m and both ends of its interval; of a pair whether it is separated, both ends of
    the interval of its difference, and which of four levels p reaches. Values lie between 0 and 1,
    and half an interval is less than 1 where m is at least 4.
    """
    row = math.log2(queries + 1) + 2.0 * math.log2(2 * queries + 1)
    pair = 1.0 + 2.0 * math.log2(4 * queries + 1) + 2.0
    return hidden + measures * (rows * row + rows * (rows - 1) / 2 * pair)


def round_to_queries(mean: float, queries: int) -> float:
    """The nearest multiple of 1 / queries, so that the last digits tell nothing."""
    return round(mean * queries) / queries if queries and math.isfinite(mean) else mean
