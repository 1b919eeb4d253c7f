"""Every ranker for scikit-learn: `fit(X, y, qid=…)`, `predict(X)`, in pipelines and searches.

    from rankwise.sklearn_adapter import GridSearchCV, RankwiseRanker

    search = GridSearchCV(RankwiseRanker("lambdamart"), {"leaves": [7, 31]})
    search.fit(X, y, qid=qid)

A ranking can only be scored by query, so query ids travel with the rows. `RankwiseRanker` asks for
them by scikit-learn's metadata routing; the searches here are scikit-learn's own with routing on
and whole queries in each part. Where routing is off, a frame with a column `qid` carries them.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
