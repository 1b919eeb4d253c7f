"""scikit-learn's searches by whole queries: `search.fit(X, y, qid=qid)`, nothing to set up.

scikit-learn hands query ids to the scorer only where its metadata routing is on, which it is not by
default, and parts the rows of a query where `cv` is a number. These searches turn routing on while
they work, and split by query: a QuerySplit keeps the documents of a query together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.arguments import check_seed
from rankwise.data.frames import align_rows
from rankwise.sklearn_adapter import library
from rankwise.sklearn_adapter.estimator_data import WrongInput
from rankwise.sklearn_adapter.library import BaseCrossValidator

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


Integers = NDArray[np.int64]


class QuerySplit(BaseCrossValidator):  # type: ignore[misc]
    """Cross-validation by whole queries; no groups are needed.

    Args:
        qid: the query of each row of the data to be split; None where metadata routing brings
            them, as `search.fit(X, y, qid=qid)` does.
        n_splits: how many parts.
        seed: shuffles the queries; None takes them in their order, in runs as LETOR's folds.
    """

    __metadata_request__split: ClassVar[dict[str, bool]] = {"qid": True}

    def __init__(
        self, qid: ArrayLike | None = None, n_splits: int = 5, seed: int | None = None
    ) -> None:
        self.qid = qid
        self.n_splits = n_splits
        self.seed = seed
        if self.qid is not None:
            _refuse_parts(np.asarray(self.qid), n_splits)

    def get_n_splits(
        self,
        X: object = None,
        y: object = None,
        groups: object = None,
        qid: ArrayLike | None = None,
    ) -> int:
        """How many splits there are."""
        return self.n_splits

    def split(
        self,
        X: ArrayLike,
        y: object = None,
        groups: object = None,
        qid: ArrayLike | None = None,
    ) -> Iterator[tuple[Integers, Integers]]:
        """Rows to train on and rows to test on, both in their order, queries unbroken."""
        queries = self._queries(X, qid)
        rows = np.arange(len(queries))
        found = X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))
        if found != len(rows):
            raise WrongInput(f"the data must have as many rows as qid ({len(rows)}), found {found}")
        _refuse_parts(queries, self.n_splits)
        _, first, query = np.unique(queries, return_index=True, return_inverse=True)
        order = np.argsort(first)
        if self.seed is not None:
            order = np.random.default_rng(check_seed(self.seed)).permutation(order)
        for part in np.array_split(order, self.n_splits):
            tested = np.isin(query, part)
            yield rows[~tested], rows[tested]

    def _queries(self, X: Any, qid: ArrayLike | None) -> NDArray[np.generic]:
        """Those it was made with, else those that were routed, else the column of a frame."""
        if self.qid is not None:
            return np.asarray(align_rows({"X": X, "qid": self.qid})[1])
        if qid is None and "qid" in list(getattr(X, "columns", ())):
            qid = X["qid"]
        if qid is None:
            raise WrongInput(
                "QuerySplit needs the query of each row, found none; give QuerySplit(qid), enable "
                "scikit-learn's metadata routing, or give a frame with a column 'qid'"
            )
        return np.asarray(align_rows({"X": X, "qid": qid})[1])


def _refuse_parts(qid: NDArray[np.generic], n_splits: int) -> None:
    queries = len(np.unique(qid))
    if not 2 <= n_splits <= queries:
        raise WrongInput(
            f"n_splits must lie between 2 and the number of queries ({queries}), found {n_splits}"
        )
