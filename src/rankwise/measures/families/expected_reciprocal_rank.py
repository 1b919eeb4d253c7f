"""Expected reciprocal rank: a user who goes down the list and stops when satisfied.

    ERR@k = sum over ranks i <= min(k, n) of (1 / i) R_i prod_{j < i} (1 - R_j)

R_i is the chance that the document at rank i satisfies: (2^l - 1) / 2^highest with the exponential
gain, l / highest with the linear one (CatBoost: the label itself, highest = 1). Labels above
`highest` make a chance above 1, and the value leaves [0, 1]; tools that do so are followed.

Open ties: let p_j be the expected product of 1 - R over j documents drawn from the tie group. The
group is expected to stop the user at its j-th place with chance (p_{j-1} - p_j), and the p_j of m
documents follow from those of m - 1 by p_j <- ((m - j) p_j + j (1 - R_m) p_{j-1}) / m.

Chapelle, Metzler, Zhang and Grinspan, CIKM 2009.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import AVERAGING, GRADED, ORDER
from rankwise.measures.families.terms import empty, gain

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def expected_reciprocal_rank(ranked: RankedList, measure: Measure) -> float:
    """ERR as the equation above has it."""
    if not any(gain(label, measure) > 0 for label in ranked.judged):
        return empty(measure)
    highest = measure.highest or 1
    scale = highest if measure.gain == "linear" else 2**highest
    stops = [gain(label, measure) / scale for label in ranked.labels]
    return sum(
        stop / (i + 1) * math.prod(1 - earlier for earlier in stops[:i])
        for i, stop in enumerate(stops)
    )


FAMILIES = (
    Family(
        "ERR",
        "expected reciprocal rank",
        compute="rankwise_expected_reciprocal_rank",
        formula=expected_reciprocal_rank,
        fields={**GRADED, "highest": 4, **ORDER, **AVERAGING},
        citation="Chapelle, Metzler, Zhang and Grinspan, CIKM 2009",
    ),
)
