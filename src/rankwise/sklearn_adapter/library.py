"""What the adapter uses of scikit-learn, or the sentence that says how to install it."""

from __future__ import annotations

from rankwise.errors import MissingExtra

try:
    from sklearn import config_context
    from sklearn.base import BaseEstimator
    from sklearn.model_selection import BaseCrossValidator, GridSearchCV, RandomizedSearchCV
    from sklearn.utils.validation import (
        check_array,
        check_consistent_length,
        check_is_fitted,
        column_or_1d,
    )
except ImportError as error:
    raise MissingExtra("the scikit-learn adapter", "sklearn") from error

__all__ = [
    "BaseCrossValidator",
    "BaseEstimator",
    "GridSearchCV",
    "RandomizedSearchCV",
    "check_array",
    "check_consistent_length",
    "check_is_fitted",
    "column_or_1d",
    "config_context",
]
