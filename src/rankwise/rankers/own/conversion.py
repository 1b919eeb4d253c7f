"""Fitted objects as Rankwise's own scorers, which can be written to model files.

What is converted scores as our scorer from then on, in memory as from a file. So that this is the
function that was learned, both are compared on rows of the training data and on rows far from them:
trees must agree to the bit; weighted sums up to rounding, as the library that computes them decides
the order of summation. Where they do not agree nothing is converted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.own.failures import one_sentence
from rankwise.rankers.own.scorer import OwnScorer
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.registry import scorer_kinds
from rankwise.rankers.scorers.scorer import Scorer

Floats = NDArray[np.float64]

_COMPARED_ROWS = 1000
_FEW_ROUNDINGS = 4.0


def scorer_of(ranker: str, fitted: Any, train: Dataset, handles_null: bool) -> Scorer:
    """Of a fitted object: what its `as_scorer()` gives, a converted one, or the object itself."""
    if callable(getattr(fitted, "as_scorer", None)):
        return _offered(ranker, fitted, train)
    own = OwnScorer(ranker, fitted, train.n_features)
    if not own.row_by_row:
        return own
    return _trees(own, fitted, train, handles_null) or _linear(own, fitted, train) or own


def _offered(ranker: str, fitted: Any, train: Dataset) -> Scorer:
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


def _trees(own: OwnScorer, fitted: Any, train: Dataset, handles_null: bool) -> Scorer | None:
    """LightGBM's trees, whose predictions ours repeat."""
    booster = getattr(fitted, "booster_", fitted)
    if not type(booster).__module__.startswith("lightgbm."):
        return None
    from rankwise.rankers.trees.lightgbm_model_text import trees_of_text

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


def _linear(own: OwnScorer, fitted: Any, train: Dataset) -> Scorer | None:
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
