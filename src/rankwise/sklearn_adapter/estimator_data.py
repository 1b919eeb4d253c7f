"""What scikit-learn's users hand over, as data sets: arrays, sparse matrices, frames.

The error of data that cannot be taken is known to both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.dataset import Dataset, as_features, find_order
from rankwise.data.frames import align_rows, as_numbers, without_mask
from rankwise.errors import RankwiseError
from rankwise.sklearn_adapter.library import check_array, check_consistent_length, column_or_1d

QUERY_COLUMN = "qid"


def split_queries(X: Any, qid: ArrayLike | None) -> tuple[Any, ArrayLike | None]:
    """The features without a column `qid`, and the queries: those given, or that column's.

    An id is no feature: the column is taken out in any case, and must say what `qid` says.
    """
    if QUERY_COLUMN not in list(getattr(X, "columns", ())):
        return X, qid
    X, qid = align_rows({"X": X, "qid": qid})
    held = np.asarray(X[QUERY_COLUMN])
    if qid is not None and not np.array_equal(held, np.asarray(qid)):
        raise WrongInput("qid must be the same as the column 'qid' of X, found others; give one")
    return X[[name for name in X.columns if name != QUERY_COLUMN]], held


def as_dataset(
    X: Any,
    y: ArrayLike,
    qid: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> Dataset:
    """Features, labels and queries together; weights, where given, one a row."""
    X, y, qid, sample_weight = align_rows(
        {"X": X, "y": y, "qid": qid, "sample_weight": sample_weight}
    )
    features = as_numbers_of_rows(X)
    labels = column_or_1d(without_mask(y), warn=True)
    check_consistent_length(features, labels)
    made = Dataset.from_arrays(features, labels, qid, feature_names=names_of(X))
    if sample_weight is None:
        return made
    weights = as_numbers(sample_weight, "weights")
    if weights.ndim == 0:
        weights = np.full(made.n_documents, float(weights))
    if not weights.any():
        raise WrongInput("some sample_weight must be above zero, found zero in every row")
    return replace(made, features=as_features(made.stored), weights=weights)


def names_of(X: object) -> tuple[str, ...] | None:
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


def ordered_as(X: Any, wanted: tuple[str, ...] | None) -> Any:
    """The columns in the order of those that the ranker was fitted on."""
    names = names_of(X)
    if names is None and wanted is None:
        return X
    if names is None or wanted is None:
        fitted, found = ("with", "without") if wanted else ("without", "with")
        raise RankwiseError(
            f"the ranker was fitted on columns {fitted} names, found columns {found} names; give "
            f"{'a frame with the same columns' if wanted else 'an array: X.to_numpy()'}"
        )
    order = find_order(names, wanted, "the ranker")
    return X if order is None else X[list(wanted)]


def as_numbers_of_rows(X: Any) -> NDArray[np.float64]:
    """Rows of numbers, sparse ones too; NaN is NULL, which some rankers take and others refuse."""
    found: NDArray[np.float64] = check_array(
        without_mask(X), accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan"
    )
    return found


def validation_of(
    eval_set: Any, eval_qid: Any, eval_group: Any, names: tuple[str, ...] | None
) -> Dataset | None:
    """The one data set that chooses the round, as scikit-learn's users of other libraries give it.

    `eval_set` is (X, y, qid), or, as elsewhere, a list of one (X, y) whose queries are in
    `eval_qid` or, as row counts, in `eval_group`.
    """
    if eval_set is None:
        if eval_qid is not None or eval_group is not None:
            raise WrongInput("eval_qid and eval_group go with eval_set, found none")
        return None
    sets = eval_set if isinstance(eval_set, list) else [eval_set]
    if len(sets) != 1 or len(sets[0]) not in (2, 3):
        raise WrongInput(
            "eval_set must be one (X, y, qid), or a list of one (X, y), since one data set chooses "
            f"the round; found {len(sets)} of {len(sets[0]) if sets else 0} parts"
        )
    X, y, *queries = sets[0]
    given = [one for one in (*queries, _only(eval_qid), _lengths(eval_group)) if one is not None]
    X, qid = split_queries(X, given[0] if given else None)
    if len(given) > 1 or qid is None:
        raise WrongInput(
            "the queries of eval_set must be given once: as (X, y, qid), in eval_qid, in "
            f"eval_group or as a column 'qid', found {len(given)} of these"
        )
    return as_dataset(ordered_as(X, names), y, qid)


def _only(held: Any) -> Any:
    """What a list of one holds, since elsewhere there is one for each set."""
    return held[0] if isinstance(held, list) and len(held) == 1 else held


def _lengths(group: Any) -> NDArray[np.int64] | None:
    """A query number per row from row counts."""
    if group is None:
        return None
    lengths = np.asarray(_only(group), dtype=np.int64)
    return np.repeat(np.arange(len(lengths)), lengths)


class WrongInput(RankwiseError, ValueError):
    """Data or settings that must be otherwise; a ValueError too, as scikit-learn expects one."""


@contextmanager
def as_wrong_input() -> Iterator[None]:
    """Refusals within are a `WrongInput`; those of a kind of their own stay what they are."""
    try:
        yield
    except RankwiseError as error:
        if type(error) is not RankwiseError:
            raise
        raise WrongInput(str(error)) from error
