"""Every ranker for scikit-learn: `fit(X, y, qid=…)`, `predict(X)`, in pipelines and searches.

    from rankwise.sklearn_adapter import GridSearchCV, RankwiseRanker

    search = GridSearchCV(RankwiseRanker("lambdamart"), {"leaves": [7, 31]})
    search.fit(X, y, qid=qid)

A ranking can only be scored by query, so query ids travel with the rows. `RankwiseRanker` asks for
them by scikit-learn's metadata routing; the searches here are scikit-learn's own with routing on
and whole queries in each part. Where routing is off, a frame with a column `qid` carries them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.sklearn_adapter.estimator import RankwiseRanker as RankwiseRanker
    from rankwise.sklearn_adapter.query_split import QuerySplit as QuerySplit
    from rankwise.sklearn_adapter.searches import GridSearchCV as GridSearchCV
    from rankwise.sklearn_adapter.searches import RandomizedSearchCV as RandomizedSearchCV
    from rankwise.sklearn_adapter.wrong_input import WrongInput as WrongInput
else:
    homes = {
        "rankwise.sklearn_adapter.estimator": ("RankwiseRanker",),
        "rankwise.sklearn_adapter.query_split": ("QuerySplit",),
        "rankwise.sklearn_adapter.searches": ("GridSearchCV", "RandomizedSearchCV"),
        "rankwise.sklearn_adapter.wrong_input": ("WrongInput",),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
