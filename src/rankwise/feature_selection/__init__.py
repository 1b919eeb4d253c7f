"""Which features matter, which can go, and what fewer of them do to the measures.

Qin, Liu, Xu and Li (2010), sections 5.2.2 and 5.2.3, name feature selection and dimensionality
reduction for ranking as directions that LETOR supports. Everything is learnt from training parts.
"""

from __future__ import annotations

from rankwise.feature_selection.choosing import SELECTIONS, Choice, choose_features
from rankwise.feature_selection.effect import Effect, Learner, compare_on_folds
from rankwise.feature_selection.importance import (
    FeatureQuality,
    permutation_importance,
    single_feature_quality,
)
from rankwise.feature_selection.reduction import (
    REDUCTIONS,
    Reduction,
    fit_reduction,
    fit_reductions,
)
from rankwise.feature_selection.similarity import feature_similarity

__all__ = [
    "REDUCTIONS",
    "SELECTIONS",
    "Choice",
    "Effect",
    "FeatureQuality",
    "Learner",
    "Reduction",
    "choose_features",
    "compare_on_folds",
    "feature_similarity",
    "fit_reduction",
    "fit_reductions",
    "permutation_importance",
    "single_feature_quality",
]
