"""Fitted objects of a user's own as scorers: converted into Rankwise's, else called in memory.

A fitted object that is not converted scores in memory, and cannot be written. What is converted
scores as our scorer from then on, in memory as from a file. So that this is the function that was
learned, both are compared on rows of the training data and on rows far from them: trees must agree
to the bit; weighted sums up to rounding, as the library that computes them decides the order of
summation. Where they do not agree nothing is converted.

What a user's `fit`, `predict` and `score` are given is read off the names of their parameters;
errors of somebody else's code are told in one sentence with the place where they were raised.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.scorer import Scorer, scorer_kinds
from rankwise.native.arrays import Floats
from rankwise.rankers.ranker import Watch
from rankwise.registry import describe_failure


@dataclass(frozen=True, eq=False)
class OwnScorer(Scorer):
    """f(x) is what the fitted object says.

    Attributes:
        ranker: the name of the ranker, for messages.
        fitted: the object that `fit` was called on, or what it returned.
        width: how many features a document must have.
    """

    kind: ClassVar[str] = "own"
    ranker: str
    fitted: Any
    width: int

    @property
    def n_features(self) -> int:
        """The width of the data that it was learned from."""
        return self.width

    @property
    def row_by_row(self) -> bool:
        """False where it scores whole lists: a document's score may depend on the others'."""
        return not self._signature().needs_queries

    def score(self, features: Floats) -> Floats:
        """One score per row, of a model that needs no queries."""
        signature = self._signature()
        if signature.needs_queries:
            raise RankwiseError(
                f"{signature.what} scores whole lists and needs the queries, found rows alone; "
                "score a data set (in scikit-learn: pass qid)"
            )
        return self._scores(signature, [features], {}, len(features))

    def score_dataset(self, dataset: Dataset) -> Floats:
        """One score per row; the object is given what its parameters ask for."""
        signature = self._signature()
        given, named = score_arguments(signature, dataset)
        return self._scores(signature, given, named, dataset.n_documents)

    def importance(self) -> Floats:
        """`feature_importances_`, or else `coef_`."""
        for name in ("feature_importances_", "coef_"):
            found = np.asarray(getattr(self.fitted, name, ()), dtype=np.float64).ravel()
            if len(found) == self.width:
                return found
        raise RankwiseError(
            f"{self.ranker} does not say how much each feature counts; give it "
            "feature_importances_, one number per feature"
        )

    def as_json(self) -> NoReturn:
        """Refused: a model file holds no code."""
        raise RankwiseError(
            f"the model of {self.ranker} cannot be written to a file, which holds numbers and no "
            "code; give the class a method as_scorer() that returns one of Rankwise's scorers, "
            "such as Linear, or evaluate it without a file: rankwise bench"
        )

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> NoReturn:
        """Refused: no file holds one."""
        raise RankwiseError("a model of somebody's own code cannot be read from a file")

    def _signature(self) -> Signature:
        return scoring_signature(self.fitted, self.ranker)

    def _scores(
        self, signature: Signature, given: list[Any], named: dict[str, Any], rows: int
    ) -> Floats:
        method = signature.what.rpartition(".")[2]
        with one_sentence(self.ranker, method):
            found = np.asarray(getattr(self.fitted, method)(*given, **named), dtype=np.float64)
        if found.shape not in ((rows,), (rows, 1)):
            raise RankwiseError(
                f"{signature.what} must return one score per row ({rows}), found an array of shape "
                f"{found.shape}"
            )
        if not np.isfinite(found).all():
            raise RankwiseError(
                f"{signature.what} must return finite scores, found NaN or infinity"
            )
        # A view of memory that the object may use again would change under its reader.
        return np.array(found.ravel())


def can_score(thing: Any) -> bool:
    """Whether something has a method that scores, or a scorer of ours to give."""
    return any(callable(getattr(thing, name, None)) for name in ("predict", "score", "as_scorer"))


def scoring_signature(thing: Any, ranker: str) -> Signature:
    """The method that scores: `score(dataset)`, else `predict`, else `score(X)`.

    scikit-learn's `score(X, y)` judges predictions and is none.
    """
    bound = not isinstance(thing, type)
    found = {
        name: Signature.of(method, f"{ranker}.{name}", bound=bound)
        for name in ("score", "predict")
        if callable(method := getattr(thing, name, None))
    }
    if "score" in found and (found["score"].whole or "predict" not in found):
        chosen = found["score"]
    elif "predict" in found:
        chosen = found["predict"]
    else:
        raise RankwiseError(f"{ranker} must have predict or score beside fit, found neither")
    chosen.refuse_unfilled(
        {"qid", "group", *chosen.parameters} if chosen.whole else {"qid", "group"},
        0 if chosen.whole else 1,
        "X, or a data set as a parameter named dataset",
    )
    return chosen


_COMPARED_ROWS = 1000
_FEW_ROUNDINGS = 4.0


def scorer_of(ranker: str, fitted: Any, train: Dataset, handles_null: bool) -> Scorer:
    """Of a fitted object: what its `as_scorer()` gives, a converted one, or the object itself."""
    if callable(getattr(fitted, "as_scorer", None)):
        return _offered_scorer(ranker, fitted, train)
    own = OwnScorer(ranker, fitted, train.n_features)
    if not own.row_by_row:
        return own
    return (
        _convert_trees(own, fitted, train, handles_null)
        or _convert_linear(own, fitted, train)
        or own
    )


def _offered_scorer(ranker: str, fitted: Any, train: Dataset) -> Scorer:
    """What `as_scorer()` returns, which must score as the object itself does where it can."""
    with one_sentence(ranker, "as_scorer"):
        found = fitted.as_scorer()
    if not isinstance(found, Scorer) or found.kind not in scorer_kinds():
        raise RankwiseError(
            f"{ranker}.as_scorer must return one of Rankwise's scorers, such as Linear or Trees, "
            f"found {type(found).__name__}"
        )
    if found.n_features != train.n_features:
        raise RankwiseError(
            f"{ranker}.as_scorer must return a scorer of {train.n_features} features, as the "
            f"training data have, found {found.n_features}"
        )
    if any(callable(getattr(fitted, name, None)) for name in ("predict", "score")):
        _refuse_other_scores(ranker, fitted, found, train)
    return found


def _refuse_other_scores(ranker: str, fitted: Any, scorer: Scorer, train: Dataset) -> None:
    theirs = OwnScorer(ranker, fitted, train.n_features).score_dataset(train)
    ours = scorer.score_dataset(train)
    allowed = 1e-9 * max(1.0, float(np.abs(theirs).max(initial=0.0)))
    if not np.all(np.abs(ours - theirs) <= allowed):
        row = int(np.argmax(np.abs(ours - theirs)))
        raise RankwiseError(
            f"{ranker}.as_scorer must give the scores of the ranker itself, found {ours[row]:g} "
            f"and {theirs[row]:g} in row {row + 1} of the training data"
        )


def _convert_trees(
    own: OwnScorer, fitted: Any, train: Dataset, handles_null: bool
) -> Scorer | None:
    """LightGBM's trees, whose predictions ours repeat."""
    booster = getattr(fitted, "booster_", fitted)
    if not type(booster).__module__.startswith("lightgbm."):
        return None
    from rankwise.models.formats.lightgbm_text import trees_of_text

    text: str = booster.model_to_string()
    if "\nis_linear=1" in text or any(_is_categorical(line) for line in text.splitlines()):
        return None
    found = trees_of_text(text, train.n_features)
    rows = _near_and_far(train)
    if handles_null:
        rows = np.vstack(
            [rows, np.where(np.indices(rows.shape).sum(axis=0) % 3 == 0, np.nan, rows)]
        )
    return found if found.score(rows).tobytes() == own.score(rows).tobytes() else None


def _is_categorical(line: str) -> bool:
    return line.startswith("num_cat=") and line != "num_cat=0"


def _convert_linear(own: OwnScorer, fitted: Any, train: Dataset) -> Scorer | None:
    """A weighted sum, as scikit-learn's linear models keep it in `coef_` and `intercept_`."""
    weights, intercept = getattr(fitted, "coef_", None), getattr(fitted, "intercept_", 0.0)
    if not _is_numeric(weights, train.n_features) or not _is_numeric(intercept, 1):
        return None
    found = Linear(
        np.array(weights, dtype=np.float64).ravel(),
        float(np.asarray(intercept, dtype=np.float64).ravel()[0]),
    )
    rows = _near_and_far(train)
    try:
        theirs = own.score(rows)
    except RankwiseError:
        return None
    terms = np.abs(rows) @ np.abs(found.weights) + abs(found.intercept)
    allowed = _FEW_ROUNDINGS * (train.n_features + 1) * np.finfo(np.float64).eps * terms
    return found if np.all(np.abs(found.score(rows) - theirs) <= allowed) else None


def _is_numeric(values: Any, size: int) -> bool:
    """Whether something is `size` finite numbers, in whatever shape."""
    if not isinstance(values, np.ndarray | np.number | float | int):
        return False
    array = np.asarray(values)
    return array.dtype.kind in "fiu" and array.size == size and bool(np.isfinite(array).all())


def _near_and_far(train: Dataset) -> Floats:
    """Rows of the training data, and as many where no label was ever seen."""
    filled = np.nan_to_num(train.features[:_COMPARED_ROWS])
    return np.vstack([filled, 1.0 - 3.0 * filled])


WHOLE = ("dataset", "train")
"""A parameter of this name is given the data set, with its queries."""

_FILLED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True)
class Signature:
    """The parameters of a method, of which it can be asked what it takes."""

    what: str
    parameters: Mapping[str, inspect.Parameter]

    @classmethod
    def of(cls, method: Callable[..., Any], what: str, *, bound: bool) -> Signature:
        """Of a method of an object (`bound`) or of a class; one that Python cannot read is empty.

        `what` is what messages call it.
        """
        try:
            found = dict(inspect.signature(method).parameters)
        except (TypeError, ValueError):
            found = {}
        if not bound and found:
            del found[next(iter(found))]
        return cls(what, found)

    @property
    def whole(self) -> str | None:
        """The parameter that takes the whole data set, if any."""
        return next((name for name in WHOLE if name in self.parameters), None)

    @property
    def needs_queries(self) -> bool:
        """Whether rows alone are not enough."""
        return self.whole is not None or any(n in self.parameters for n in ("qid", "group"))

    def refuse_unfilled(self, given: set[str], places: int, wanted: str) -> None:
        """Refuse a method that needs more, or takes fewer arrays, than it would be given."""
        names = list(self.parameters)
        positional = [name for name in names if self.parameters[name].kind in _FILLED]
        catches_all = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in self._all())
        filled = given | set(positional[:places])
        needed = [
            one.name
            for one in self._all()
            if one.default is inspect.Parameter.empty
            and one.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
            and one.name not in filled
        ]
        if needed or (names and len(positional) < places and not catches_all):
            raise RankwiseError(f"{self.what} must take {wanted}, found ({', '.join(names)})")

    def _all(self) -> list[inspect.Parameter]:
        return list(self.parameters.values())


def fit_arguments(
    signature: Signature, train: Dataset, validation: Dataset | None, seed: int, watch: Watch
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of `fit`: a data set, or X and y with whatever else it has a parameter for."""
    offers: dict[str, Any] = {"validation": validation, "seed": seed, "watch": watch}
    if "rng" in signature.parameters:
        offers["rng"] = np.random.default_rng(seed)
    if signature.whole is not None:
        return [], _taken_arguments(signature, {signature.whole: train, **offers})
    offers |= _query_arguments(signature, train) | _validation_arrays(signature, validation)
    return [train.features, train.labels], _taken_arguments(signature, offers)


def refuse_fit(signature: Signature) -> None:
    """Refuse a `fit` that cannot be given what it needs."""
    offered = {"validation", "seed", "watch", "rng", "qid", "group", *WHOLE, *_VALIDATION_NAMES}
    signature.refuse_unfilled(
        offered,
        2 if signature.whole is None else 0,
        "X and y, or a data set as a parameter named dataset or train",
    )


def score_arguments(signature: Signature, dataset: Dataset) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of `predict` or `score`: a data set, or X with the queries where asked for."""
    if signature.whole is not None:
        return [], {signature.whole: dataset}
    return [dataset.features], _query_arguments(signature, dataset)


_VALIDATION_NAMES = ("eval_set", "eval_group", "eval_qid", "eval_X", "eval_y")


def _query_arguments(signature: Signature, dataset: Dataset) -> dict[str, Any]:
    """The number of each row's query, or else the lengths of the queries.

    XGBoost has parameters for both and takes one.
    """
    if "qid" in signature.parameters:
        return {"qid": dataset.query_of_rows}
    return {"group": dataset.query_lengths} if "group" in signature.parameters else {}


def _validation_arrays(signature: Signature, validation: Dataset | None) -> dict[str, Any]:
    """As LightGBM and XGBoost take it: lists, since they take several."""
    if validation is None:
        return {}
    arrays: dict[str, Any]
    if {"eval_X", "eval_y"} <= signature.parameters.keys():
        arrays = {"eval_X": validation.features, "eval_y": validation.labels}
    else:
        arrays = {"eval_set": [(validation.features, validation.labels)]}
    if "eval_qid" in signature.parameters:
        return arrays | {"eval_qid": [validation.query_of_rows]}
    return arrays | {"eval_group": [validation.query_lengths]}


def _taken_arguments(signature: Signature, offers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in offers.items() if name in signature.parameters}


@contextmanager
def one_sentence(ranker: str, method: str) -> Iterator[None]:
    """Whatever a method of a user's ranker raises is a RankwiseError, which keeps its cause."""
    try:
        yield
    except (RankwiseError, MemoryError):
        raise
    except Exception as error:
        raise RankwiseError(
            f"{ranker}: its {method} fails with {describe_failure(error)}"
        ) from error
