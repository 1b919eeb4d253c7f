"""Every ranker for scikit-learn: `fit(X, y, qid=…)`, `predict(X)`, in pipelines and searches.

    import sklearn
    from rankwise.sklearn_adapter import QuerySplit, RankwiseRanker

    sklearn.set_config(enable_metadata_routing=True)
    ranker = RankwiseRanker("ridge-regression", regularization=0.1)
    ranker.set_fit_request(qid=True).set_score_request(qid=True)
    search = GridSearchCV(ranker, {"regularization": [0.01, 0.1, 1.0]}, cv=QuerySplit(qid))
    search.fit(X, y, qid=qid)

Query ids travel by scikit-learn's metadata routing, since a ranking can only be scored by query.
`QuerySplit`, or GroupKFold with the query ids as groups, keeps the documents of a query together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.feature_order import find_order
from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.rankers.parameters import refuse_unknown
from rankwise.rankers.ranker import Model
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.seeds import check_seed

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import (
        check_array,
        check_is_fitted,
    )
except ImportError as error:
    raise MissingExtra("the scikit-learn adapter", "sklearn") from error

Integers = NDArray[np.int64]
_OWN = ("ranker", "seed", "scoring_measure", "scoring_tool")


class RankwiseRanker(BaseEstimator):  # type: ignore[misc]
    """A ranker as a scikit-learn estimator.

    Args:
        ranker: its registered name; or one of your own, as `module:Name`, a class or an object.
        seed: for methods that draw random numbers.
        scoring_measure: what `score` computes.
        scoring_tool: whose convention of it.
        parameters: hyper-parameters of the ranker; those not given have its defaults.

    After `fit`, `model_` is the trained `Model` (see `rankwise.models.save_model`) and
    `n_features_in_` its number of features; `feature_names_in_` are the names of the columns where
    `X` was a frame, which the model keeps.
    """

    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        ranker: Any = "ridge-regression",
        *,
        seed: int = 0,
        scoring_measure: str = "NDCG@10",
        scoring_tool: str = "definition",
        **parameters: Any,
    ) -> None:
        self.ranker = ranker
        self.seed = seed
        self.scoring_measure = scoring_measure
        self.scoring_tool = scoring_tool
        self.parameters = parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The own settings and the hyper-parameters that were given."""
        return {name: getattr(self, name) for name in _OWN} | dict(self.parameters)

    def set_params(self, **changes: Any) -> RankwiseRanker:
        """Change settings and hyper-parameters; unknown names are refused."""
        parameters = dict(self.parameters)
        for name, value in changes.items():
            if name in _OWN:
                setattr(self, name, value)
            else:
                parameters[name] = value
        self.parameters = parameters
        self._refuse_unknown()
        return self

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        validation: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
    ) -> RankwiseRanker:
        """Learn from documents `X` with labels `y` of queries `qid`, equal ids standing together.

        `validation`, as (X, y, qid), chooses the round or stops early.
        """
        self._refuse_unknown()
        names = _names(X)
        train = _dataset(X, y, qid, "fit", names)
        judged = None
        if validation is not None:
            judged = _dataset(_ordered(validation[0], names), *validation[1:], "fit", names)
        ranker = find_ranker(self.ranker)(**self.parameters)
        self.model_: Model = ranker.fit(train, judged, seed=self.seed)
        self.n_features_in_ = train.n_features
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def predict(self, X: ArrayLike, qid: ArrayLike | None = None) -> NDArray[np.float64]:
        """One score per row, higher is better; `qid` is for rankers that score whole lists.

        Columns of a frame go by their names, in whatever order they stand. Where the ranker was
        fitted on named columns and these have no names, or the reverse, they are refused.
        """
        check_is_fitted(self, "model_")
        features = _features(_ordered(X, self.model_.feature_names))
        if features.shape[1] != self.n_features_in_:
            raise RankwiseError(
                f"the ranker was fitted on {self.n_features_in_} features, found "
                f"{features.shape[1]}"
            )
        if qid is not None:
            labels, names = np.zeros(features.shape[0]), self.model_.feature_names
            made = Dataset.from_arrays(features, labels, qid, feature_names=names)
            return self.model_.score(made)
        if not self.model_.scorer.row_by_row:
            raise RankwiseError(
                f"{self.model_.ranker} scores whole lists and needs the query of each row, found "
                "rows alone; pass qid (in pipelines: set_predict_request(qid=True))"
            )
        if hasattr(features, "tocsr"):
            return self.model_.scorer.score_sparse(SparseFeatures.from_scipy(features))
        return self.model_.scorer.score(features)

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        sample_weight: None = None,
    ) -> float:
        """The mean of the scoring measure over the queries.

        `sample_weight` must be None; it stands here because a pipeline's `score` always names it.
        """
        if sample_weight is not None:
            raise RankwiseError("rankings are scored by query, without sample_weight")
        dataset = _dataset(X, y, qid, "score", _names(X))
        measure = TrainingMeasure.of(dataset, self.scoring_measure, self.scoring_tool)
        return measure.mean(self.predict(X, qid))

    def _refuse_unknown(self) -> None:
        refuse_unknown(find_ranker(self.ranker), self.parameters)


class QuerySplit:
    """Cross-validation by whole queries, whose ids it is given once: no groups are needed.

    Args:
        qid: the query of each row of the data to be split.
        n_splits: how many parts.
        seed: shuffles the queries; None takes them in their order, in runs as LETOR's folds.
    """

    def __init__(self, qid: ArrayLike, n_splits: int = 5, seed: int | None = None) -> None:
        self.qid = np.asarray(qid)
        self.n_splits = n_splits
        self.seed = seed
        queries = len(np.unique(self.qid))
        if not 2 <= n_splits <= queries:
            raise RankwiseError(
                f"n_splits must lie between 2 and the number of queries ({queries}), "
                f"found {n_splits}"
            )

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """How many splits there are."""
        return self.n_splits

    def split(
        self, X: ArrayLike, y: object = None, groups: object = None
    ) -> Iterator[tuple[Integers, Integers]]:
        """Rows to train on and rows to test on, both in their order, queries unbroken."""
        rows = np.arange(len(self.qid))
        found = X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))
        if found != len(rows):
            raise RankwiseError(
                f"the data must have as many rows as qid ({len(rows)}), found {found}"
            )
        _, first, query = np.unique(self.qid, return_index=True, return_inverse=True)
        order = np.argsort(first)
        if self.seed is not None:
            order = np.random.default_rng(check_seed(self.seed)).permutation(order)
        for part in np.array_split(order, self.n_splits):
            tested = np.isin(query, part)
            yield rows[~tested], rows[tested]


def _dataset(
    X: ArrayLike,
    y: ArrayLike,
    qid: ArrayLike | None,
    method: str,
    names: tuple[str, ...] | None,
) -> Dataset:
    if qid is None:
        raise RankwiseError(
            f"{method} needs qid, the query of each row; in pipelines and searches enable "
            f"scikit-learn's metadata routing and say set_{method}_request(qid=True)"
        )
    return Dataset.from_arrays(_features(X), y, qid, feature_names=names)


def _names(X: object) -> tuple[str, ...] | None:
    """The names of the columns of a frame, as scikit-learn has them: texts, or none."""
    columns = list(getattr(X, "columns", ()))
    if not columns or not any(isinstance(name, str) for name in columns):
        return None
    if not all(isinstance(name, str) for name in columns):
        raise RankwiseError("names of columns must all be texts, or none of them")
    twice = next((name for name, count in Counter(columns).items() if count > 1), None)
    if twice is not None:
        raise RankwiseError(f"columns must have different names, found {twice!r} twice")
    return tuple(columns)


def _ordered(X: ArrayLike, wanted: tuple[str, ...] | None) -> ArrayLike:
    """The columns in the order of those that the ranker was fitted on."""
    names = _names(X)
    if names is None and wanted is None:
        return X
    if names is None or wanted is None:
        fitted, found = ("with", "without") if wanted else ("without", "with")
        raise RankwiseError(
            f"the ranker was fitted on columns {fitted} names, found columns {found} names; give "
            f"{'a frame with the same columns' if wanted else 'an array: X.to_numpy()'}"
        )
    order = find_order(names, wanted, "the ranker")
    return X if order is None else X[list(wanted)]  # type: ignore[call-overload,index]


def _features(X: ArrayLike) -> NDArray[np.float64]:
    """Rows of numbers, sparse ones too; NaN is NULL, which some rankers take and others refuse."""
    found: NDArray[np.float64] = check_array(
        X, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan"
    )
    return found
