"""The LETOR versions NULL, MIN and QueryLevelNorm, and the other ways to scale features."""

from __future__ import annotations

from rankwise.data.normalization.filling import (
    FILL_RULES,
    FillRule,
    count_null,
    fill_null,
    parse_fill_rule,
)
from rankwise.data.normalization.query_level import (
    query_level_norm,
    query_level_sum,
    query_level_z_score,
)
from rankwise.data.normalization.registry import NORMALIZATIONS, Normalization, normalize
from rankwise.data.normalization.scaling import SCALING_KINDS, Scaling, fit_scaling

__all__ = [
    "FILL_RULES",
    "NORMALIZATIONS",
    "SCALING_KINDS",
    "FillRule",
    "Normalization",
    "Scaling",
    "count_null",
    "fill_null",
    "fit_scaling",
    "normalize",
    "parse_fill_rule",
    "query_level_norm",
    "query_level_sum",
    "query_level_z_score",
]
