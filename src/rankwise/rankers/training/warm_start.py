"""What training starts from: the function of another model, in the form that a ranker learns."""

from __future__ import annotations

from dataclasses import replace

from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.scorer import Scorer
from rankwise.models.scorers.trees import Trees
from rankwise.native.arrays import Floats


def linear_start(start: Scorer, ranker: str) -> Linear:
    """The weighted sum to start from; other functions are refused."""
    if isinstance(start, Linear):
        return start
    raise _refusal(ranker, "a linear model", start)


def trees_start(start: Scorer | None, ranker: str) -> Trees | None:
    """The sum of trees to start from, an average made a sum; other functions are refused."""
    if start is None:
        return None
    if isinstance(start, Trees):
        return replace(start, values=start.values / start.divisor, divisor=1.0)
    raise _refusal(ranker, "a model of trees", start)


def add_weights(start: Linear, change: Floats, intercept: float = 0.0) -> Linear:
    """The function w₀ + δ where training found δ."""
    return Linear(start.weights + change, start.intercept + intercept)


def _refusal(ranker: str, wanted: str, start: Scorer) -> RankwiseError:
    return RankwiseError(
        f"{ranker} must start from {wanted}, found one of the kind {start.kind!r}; train the model "
        "to start from by the same ranker"
    )
