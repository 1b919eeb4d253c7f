"""`RankwiseRanker`: any ranker as an estimator of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.frames import align_rows
from rankwise.data.shared_queries import QueryPrints, find_parted
from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.rankers.parameters import parameters_of, refuse_unknown, with_own_names
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.sklearn_adapter.estimator_data import (
    WrongInput,
    as_dataset,
    as_numbers_of_rows,
    as_wrong_input,
    names_of,
    ordered_as,
    split_queries,
    validation_of,
)
from rankwise.sklearn_adapter.library import BaseEstimator, check_is_fitted

Scores: TypeAlias = NDArray[np.float64]

_OWN = ("ranker", "seed", "scoring_measure", "scoring_tool", "without_qid")
_WITHOUT_QID = ("refuse", "one query")


class RankwiseRanker(BaseEstimator):  # type: ignore[misc]
    """A ranker as a scikit-learn estimator.

    Args:
        ranker: its registered name; or one of your own, as `module:Name`, a class or an object.
        seed: for methods that draw random numbers.
        scoring_measure: what `score` computes.
        scoring_tool: whose convention of it.
        without_qid: what rows without queries are: refused (`refuse`), or all of `one query`.
        parameters: hyper-parameters of the ranker; those not given have its defaults. Names of
            other libraries that mean the same (`n_estimators`, `num_leaves`) are understood.

    It requests `qid`, and `sample_weight` for training, by itself wherever scikit-learn routes
    metadata. A frame may hold the queries instead, in a column `qid`, which is no feature then.

    After `fit`, `model_` is the trained `Model` (see `rankwise.models.save_model`) and
    `n_features_in_` its number of features; `feature_names_in_` are the names of the columns where
    `X` was a frame, which the model keeps; `query_ids_in_` are the queries.
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True, "sample_weight": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True}

    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        ranker: Any = "ridge-regression",
        *,
        seed: int = 0,
        scoring_measure: str = "NDCG@10",
        scoring_tool: str = "definition",
        without_qid: str = "refuse",
        **parameters: Any,
    ) -> None:
        self.ranker = ranker
        self.seed = seed
        self.scoring_measure = scoring_measure
        self.scoring_tool = scoring_tool
        self.without_qid = without_qid
        self.parameters = parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The own settings and the hyper-parameters that were given."""
        return {name: getattr(self, name) for name in _OWN} | dict(self.parameters)

    def set_params(self, **changes: Any) -> RankwiseRanker:
        """Change settings and hyper-parameters; names that the ranker does not have are refused."""
        parameters = dict(self.parameters)
        for name, value in changes.items():
            if name in _OWN:
                setattr(self, name, value)
            else:
                parameters[name] = value
        self.parameters = parameters
        if set(changes) - set(_OWN) and self._class() is not None:
            self._own_parameters()
        return self

    @as_wrong_input()
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        validation: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
    ) -> RankwiseRanker:
        """Learn from documents `X` with labels `y` of queries `qid`, equal ids standing together.

        `validation`, as (X, y, qid), chooses the round or stops early; `eval_set` is the same under
        the name of other libraries, as [(X, y)] with `eval_qid=[qid]` or `eval_group=[counts]`.
        `sample_weight` is what each row counts in training; rankers of pairs and lists weigh whole
        queries only, and those that cannot weigh refuse it.
        """
        if validation is not None and eval_set is not None:
            raise WrongInput("validation and eval_set are the same thing, found both; give one")
        made = find_ranker(self.ranker)(**self._own_parameters())
        _refuse_no_labels(y)
        rows, queries = split_queries(X, qid)
        names = names_of(rows)
        train = as_dataset(rows, y, self._queries(rows, queries, "fit"), sample_weight)
        chosen = eval_set if validation is None else tuple(validation)
        judged = validation_of(chosen, eval_qid, eval_group, names)
        _refuse_null(train.stored_values, made)
        self.model_: Model = made.fit(train, judged, seed=self.seed)
        self.n_features_in_ = train.n_features
        self.query_ids_in_ = np.array(list(train.query_ids), dtype=object)
        self._queries_in = QueryPrints.of(train)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        return self

    @as_wrong_input()
    def predict(self, X: ArrayLike, qid: ArrayLike | None = None) -> NDArray[np.float64]:
        """One score per row, higher is better; `qid` is for rankers that score whole lists.

        Columns of a frame go by their names, in whatever order they stand. Where the ranker was
        fitted on named columns and these have no names, or the reverse, they are refused.
        """
        return self._score_rows(X, qid, told=False)

    def _score_rows(self, X: ArrayLike, qid: ArrayLike | None, *, told: bool) -> Scores:
        """What `predict` gives; whether parted queries were told of already."""
        check_is_fitted(self, "model_")
        rows, qid = align_rows(dict(zip(("X", "qid"), split_queries(X, qid), strict=True)))
        features = as_numbers_of_rows(ordered_as(rows, self.model_.feature_names))
        _refuse_null(getattr(features, "data", features), find_ranker(self.ranker))
        if features.shape[1] != self.n_features_in_:
            raise WrongInput(
                f"X has {features.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input: as many as it was fitted on"
            )
        if self.model_.scorer.row_by_row and qid is None:
            if hasattr(features, "tocsr"):
                return self.model_.scorer.score_sparse(SparseFeatures.from_scipy(features))
            return self.model_.scorer.score(features)
        if qid is None and self.without_qid == "refuse":
            raise WrongInput(
                f"{self.model_.ranker} scores whole lists and needs the query of each row, found "
                "rows alone; pass qid"
            )
        queries = np.zeros(features.shape[0]) if qid is None else qid
        labels, names = np.zeros(features.shape[0]), self.model_.feature_names
        dataset = Dataset.from_arrays(features, labels, queries, feature_names=names)
        if qid is not None and not told:
            _warn_of_parted_queries(find_parted(QueryPrints.of(dataset), self._queries_in), dataset)
        return self.model_.score(dataset)

    @as_wrong_input()
    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        sample_weight: None = None,
    ) -> float:
        """The mean of the scoring measure over the queries.

        `sample_weight` must be None; it stands here because a pipeline's `score` always names it.
        A search with weights says that they are for training alone by
        `set_score_request(sample_weight=False)`.
        """
        if sample_weight is not None:
            raise WrongInput("rankings are scored by query, without sample_weight")
        check_is_fitted(self, "model_")
        rows, queries = split_queries(X, qid)
        dataset = as_dataset(rows, y, self._queries(rows, queries, "score"))
        ordered = dataset.ordered_as(self.model_.feature_names, "the ranker")
        parted = find_parted(QueryPrints.of(ordered), self._queries_in)
        known = set(self.query_ids_in_)
        seen = [name for name in dataset.query_ids if name in known]
        _warn_of_parted_queries(parted or (seen if len(seen) < dataset.n_queries else []), dataset)
        measure = TrainingMeasure.of(dataset, self.scoring_measure, self.scoring_tool)
        return measure.mean(self._score_rows(rows, queries, told=True))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each feature counts, adding up to 1: |weights|, or gains of trees."""
        check_is_fitted(self, "model_")
        counted = np.abs(self.model_.scorer.importance())
        total = float(counted.sum())
        return counted / total if total > 0.0 else counted

    def _class(self) -> Any:
        """The ranker; None where there is none, which `fit` will say."""
        try:
            return find_ranker(self.ranker)
        except RankwiseError:
            return None

    def _own_parameters(self) -> dict[str, Any]:
        """The hyper-parameters by the ranker's names for them; unknown ones are refused."""
        found = find_ranker(self.ranker)
        own = with_own_names(self.parameters, [one.name for one in parameters_of(found)])
        refuse_unknown(found, own)
        return own

    def _queries(self, X: Any, qid: ArrayLike | None, method: str) -> ArrayLike:
        if self.without_qid not in _WITHOUT_QID:
            allowed = ", ".join(_WITHOUT_QID)
            raise WrongInput(f"without_qid must be one of {allowed}, found {self.without_qid!r}")
        if qid is not None:
            return qid
        if self.without_qid == "one query":
            return np.zeros(as_numbers_of_rows(X).shape[0])
        raise WrongInput(
            f"{method} needs qid, the query of each row; in pipelines and searches take "
            "rankwise.sklearn_adapter.GridSearchCV, enable scikit-learn's metadata routing "
            "(sklearn.set_config(enable_metadata_routing=True)), or give a frame with a column "
            "'qid'"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        found = self._class()
        tags.input_tags.allow_nan = found is not None and bool(found.handles_null)
        return tags


def _warn_of_parted_queries(found: Sequence[str], dataset: Dataset) -> None:
    """Tell of queries that were trained on and are scored, with some of their documents each."""
    if found:
        warnings.warn(
            f"{len(found)} of the {dataset.n_queries} queries to score have ids that were trained "
            "on: if cross-validation parted them, keep queries whole with cv=QuerySplit(), or "
            "GroupKFold with groups=qid",
            stacklevel=4,
        )


def _refuse_no_labels(y: ArrayLike | None) -> None:
    if y is None:
        raise WrongInput(
            "RankwiseRanker requires y to be passed, but the target y is None: give the labels"
        )


def _refuse_null(values: Any, ranker: Any) -> None:
    if not ranker.handles_null and bool(np.isnan(np.asarray(values)).any()):
        raise WrongInput(
            f"{ranker.name} takes no NaN in X, found some; fill them first, as "
            "sklearn.impute.SimpleImputer does, or take a ranker of trees"
        )
