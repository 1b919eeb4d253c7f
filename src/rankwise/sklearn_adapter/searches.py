"""scikit-learn's searches by whole queries: `search.fit(X, y, qid=qid)`, nothing to set up.

scikit-learn hands query ids to the scorer only where its metadata routing is on, which it is not by
default, and parts the rows of a query where `cv` is a number. These searches turn routing on while
they work, and split by query.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

from numpy.typing import ArrayLike, NDArray

from rankwise.sklearn_adapter import library
from rankwise.sklearn_adapter.query_split import QuerySplit

_PARTS = 5


class _ByQuery:
    """What both searches share: routing is on, and a `cv` that is None or a number is by query."""

    cv: Any

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, **params: Any) -> Any:
        """As scikit-learn's, `qid` going to training, to scoring and to the split."""
        with library.config_context(enable_metadata_routing=True), self._split_by_query():
            return super().fit(X, y, **params)  # type: ignore[misc]

    def score(self, X: ArrayLike, y: ArrayLike | None = None, **params: Any) -> float:
        """The scoring measure of the best ranker; give `qid`."""
        with library.config_context(enable_metadata_routing=True):
            return float(super().score(X, y, **params))  # type: ignore[misc]

    def predict(self, X: ArrayLike, **params: Any) -> NDArray[Any]:
        """The scores of the best ranker; give `qid` to one that scores whole lists."""
        with library.config_context(enable_metadata_routing=True):
            found: NDArray[Any] = self.best_estimator_.predict(X, **params)  # type: ignore[attr-defined]
        return found

    @contextmanager
    def _split_by_query(self) -> Iterator[None]:
        given = self.cv
        if given is None or isinstance(given, Integral):
            self.cv = QuerySplit(n_splits=_PARTS if given is None else int(given))
        try:
            yield
        finally:
            self.cv = given


class GridSearchCV(_ByQuery, library.GridSearchCV):  # type: ignore[misc]
    """scikit-learn's GridSearchCV by whole queries; `cv` may be a number of parts."""


class RandomizedSearchCV(_ByQuery, library.RandomizedSearchCV):  # type: ignore[misc]
    """scikit-learn's RandomizedSearchCV by whole queries; `cv` may be a number of parts."""
