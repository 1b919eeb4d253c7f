"""Which features matter, which can go, and what fewer of them do to the measures.

Qin, Liu, Xu and Li (2010), sections 5.2.2 and 5.2.3, name feature selection and dimensionality
reduction for ranking as directions that LETOR supports. Everything is learnt from training parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.feature_selection.choosing import SELECTIONS as SELECTIONS
    from rankwise.feature_selection.choosing import Choice as Choice
    from rankwise.feature_selection.choosing import choose_features as choose_features
    from rankwise.feature_selection.effect import Effect as Effect
    from rankwise.feature_selection.effect import Learner as Learner
    from rankwise.feature_selection.effect import compare_on_folds as compare_on_folds
    from rankwise.feature_selection.importance import FeatureQuality as FeatureQuality
    from rankwise.feature_selection.importance import (
        permutation_importance as permutation_importance,
    )
    from rankwise.feature_selection.importance import permutation_losses as permutation_losses
    from rankwise.feature_selection.importance import (
        single_feature_quality as single_feature_quality,
    )
    from rankwise.feature_selection.reduction import REDUCTIONS as REDUCTIONS
    from rankwise.feature_selection.reduction import Reduction as Reduction
    from rankwise.feature_selection.reduction import fit_reduction as fit_reduction
    from rankwise.feature_selection.reduction import fit_reductions as fit_reductions
    from rankwise.feature_selection.similarity import feature_similarity as feature_similarity
else:
    homes = {
        "rankwise.feature_selection.choosing": ("SELECTIONS", "Choice", "choose_features"),
        "rankwise.feature_selection.effect": ("Effect", "Learner", "compare_on_folds"),
        "rankwise.feature_selection.importance": (
            "FeatureQuality",
            "permutation_importance",
            "permutation_losses",
            "single_feature_quality",
        ),
        "rankwise.feature_selection.reduction": (
            "REDUCTIONS",
            "Reduction",
            "fit_reduction",
            "fit_reductions",
        ),
        "rankwise.feature_selection.similarity": ("feature_similarity",),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
