"""Rankers of a user's own: anything with `fit`, and `predict` or `score`, as a `Ranker`.

What is given to `fit` and asked of the fitted object is read off their signatures, hyper-parameters
off that of `__init__`; see docs/rankers/own-ranker.md.
"""

from rankwise.rankers.own.ranker import OwnRanker
from rankwise.rankers.own.wrapping import as_ranker

__all__ = ["OwnRanker", "as_ranker"]
