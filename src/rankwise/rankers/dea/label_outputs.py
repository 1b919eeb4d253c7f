"""φ: the output that the label of a document stands for in `ccr-o` and `bcc`.

| φ | φ(y) |
|---|---|
| logarithmic | ln(1 + y) |
| linear | y |
| square-root | √y |
| exponential | 2^y - 1 |

Eq. 6 of Jiang and Lin (2014) asks for a continuous function that keeps the order of the labels; the
paper's runs have the logarithm. All of these are 0 for a label of 0, whose documents then constrain
nothing. A factor of φ is one of the weights, so with labels of 0 and one other value all φ give the
same weak rankers, but for those whose weights sum to too little (`pool.SMALLEST_SUM`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError

Floats = NDArray[np.float64]


def _exponential(labels: Floats) -> Floats:
    outputs: Floats = np.expm1(labels * np.log(2.0))
    return outputs


_FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "logarithmic": np.log1p,
    "linear": np.copy,
    "square-root": np.sqrt,
    "exponential": _exponential,
}
PHIS = tuple(_FUNCTIONS)
LOGARITHMIC = PHIS[0]
# Beyond this, differences between small labels are lost in the programs of one query.
_LARGEST = 1e9


def label_outputs(labels: Floats, phi: str = LOGARITHMIC) -> Floats:
    """φ(y) of every label, which must not be negative."""
    if phi not in _FUNCTIONS:
        raise RankwiseError(f"phi must be one of {', '.join(PHIS)}, found {phi!r}")
    with np.errstate(over="ignore"):
        outputs: Floats = _FUNCTIONS[phi](labels)
    if outputs.max(initial=0.0) > _LARGEST:
        raise RankwiseError(
            f"phi={phi} must stay below {_LARGEST:g}, found {outputs.max():g} for the label "
            f"{labels.max():g}; choose phi={LOGARITHMIC}"
        )
    return outputs
