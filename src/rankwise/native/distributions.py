"""Tails and quantiles of Student's, the normal and the fair coin's distribution, for one number.

Relative errors stay below 1e-14, far out in the tails too; distributions.c says how.
"""

from __future__ import annotations

from typing import cast

from rankwise.native.library import DOUBLE, INT64, function

_student_tail = function("rankwise_student_tail", INT64, DOUBLE, returns=DOUBLE)
_student_quantile = function("rankwise_student_quantile", INT64, DOUBLE, returns=DOUBLE)
_normal_tail = function("rankwise_normal_tail", DOUBLE, returns=DOUBLE)
_normal_quantile = function("rankwise_normal_quantile", DOUBLE, returns=DOUBLE)
_fair_coin_tail = function("rankwise_fair_coin_tail", INT64, INT64, returns=DOUBLE)


def student_tail(degrees_of_freedom: int, t: float) -> float:
    """P(T > t) for T of Student's distribution; NaN below one degree of freedom."""
    return cast(float, _student_tail(degrees_of_freedom, t))


def student_quantile(degrees_of_freedom: int, probability: float) -> float:
    """The t with P(T ≤ t) = probability; NaN for what is no probability."""
    return cast(float, _student_quantile(degrees_of_freedom, probability))


def normal_tail(z: float) -> float:
    """P(Z > z) for Z normal with mean 0 and variance 1."""
    return cast(float, _normal_tail(z))


def normal_quantile(probability: float) -> float:
    """The z with P(Z ≤ z) = probability; NaN for what is no probability."""
    return cast(float, _normal_quantile(probability))


def fair_coin_tail(heads: int, tosses: int) -> float:
    """Σ_{i ≤ heads} C(tosses, i) / 2^tosses; NaN unless 0 ≤ heads ≤ tosses < 2^30."""
    return cast(float, _fair_coin_tail(heads, tosses))
