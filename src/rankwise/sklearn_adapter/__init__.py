"""Every ranker for scikit-learn: `fit(X, y, qid=…)`, `predict(X)`, in pipelines and searches.

    from rankwise.sklearn_adapter import GridSearchCV, RankwiseRanker

    search = GridSearchCV(RankwiseRanker("lambdamart"), {"leaves": [7, 31]})
    search.fit(X, y, qid=qid)

A ranking can only be scored by query, so query ids travel with the rows. `RankwiseRanker` asks for
them by scikit-learn's metadata routing; the searches here are scikit-learn's own with routing on
and whole queries in each part. Where routing is off, a frame with a column `qid` carries them.
"""

from __future__ import annotations

from rankwise.errors import MissingExtra

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:
    raise MissingExtra("the scikit-learn adapter", "sklearn") from error

from rankwise.sklearn_adapter.estimator import RankwiseRanker
from rankwise.sklearn_adapter.query_split import QuerySplit
from rankwise.sklearn_adapter.searches import GridSearchCV, RandomizedSearchCV
from rankwise.sklearn_adapter.wrong_input import WrongInput

__all__ = ["GridSearchCV", "QuerySplit", "RandomizedSearchCV", "RankwiseRanker", "WrongInput"]
