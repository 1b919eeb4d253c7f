"""Choose the features to keep.

How alike two features rank the documents of queries is what the greedy choice weighs against how
much they say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_choice
from rankwise.data.dataset import Dataset
from rankwise.data.feature_matrix import Features
from rankwise.data.normalization.scales import fill_null
from rankwise.errors import RankwiseError
from rankwise.feature_selection.feature_quality import refuse_falling, single_feature_quality
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, function

# Below every worth that similarity can leave.
_WORTH_OF_NO_ORDER = -1e9

Trial = Callable[[list[int]], float]


@dataclass(frozen=True)
class Choice:
    """Features in the order in which they were chosen (from 0), and what each was worth then."""

    features: tuple[int, ...]
    worth: tuple[float, ...]

    def apply(self, dataset: Dataset) -> Dataset:
        """The data set with the chosen features only, in their own order."""
        kept = sorted(self.features)
        names = dataset.feature_names
        chosen = dataset.with_features(_take_columns(dataset, kept))
        if names is None:
            return chosen
        return chosen.with_feature_names([names[number] for number in kept])


def _take_columns(dataset: Dataset, kept: list[int]) -> Features:
    held = dataset.stored
    if isinstance(held, np.ndarray):
        return np.ascontiguousarray(held[:, kept])
    return held.take_columns(np.array(kept, np.int64))


def choose_features(
    train: Dataset,
    method: str,
    keep: int,
    *,
    measure: str = "MAP",
    tool: str = "definition",
    similarity_weight: float | None = None,
    trial: Trial | None = None,
) -> Choice:
    """Choose `keep` features from what the training part says.

    Args:
        train: where importance and similarity are measured.
        method: a key of `SELECTIONS`.
        keep: how many.
        measure: what importance means.
        tool: whose convention of the measure.
        similarity_weight: c of `gas`; 0 is `best`. None takes the one of `SIMILARITY_WEIGHTS` whose
            features reach most in `trial`.
        trial: the figure that a set of features reaches, on validation data where one is honest;
            for `forward` and for `gas` without a weight.
    """
    check_choice("a selection", method, SELECTIONS, verb="is")
    refuse_falling(measure)
    if similarity_weight is not None and not 0.0 <= similarity_weight < np.inf:
        raise RankwiseError(
            f"the similarity weight must be a number from 0, found {similarity_weight}"
        )
    if not 1 <= keep <= train.n_features:
        raise RankwiseError(
            f"of {train.n_features} features 1 to {train.n_features} can be kept, found {keep}"
        )
    if method == "forward":
        return _choose_forward(train.n_features, keep, _check_needed(trial, "forward selection"))
    worth = _feature_worth(train, measure, tool)
    if method == "best" or similarity_weight == 0.0:
        return _choose_greedily(worth, np.zeros((len(worth), len(worth))), keep, 0.0)
    alike = np.abs(feature_similarity(train))
    if similarity_weight is not None:
        return _choose_greedily(worth, alike, keep, similarity_weight)
    choices = [_choose_greedily(worth, alike, keep, weight) for weight in SIMILARITY_WEIGHTS]
    figure = _check_needed(trial, "gas without a similarity weight")
    return max(choices, key=lambda choice: figure(list(choice.features)))


SIMILARITY_WEIGHTS = (0.0, 0.001, 0.01, 0.1, 1.0)
"""The values of c that are tried where none is given."""

SELECTIONS = {
    "gas": "greedy: important features unlike those chosen before (Geng, Liu, Qin and Li 2007)",
    "best": "the features with the best figure alone",
    "forward": "add the feature that helps the ranker most on validation data, again and again",
}
"""The methods by name. `gas` takes the feature of greatest worth and lowers the worth of each other
by 2 c times its similarity to it; similarity is the absolute τ-b, as a feature that ranks in the
opposite order says the same."""


def _check_needed(trial: Trial | None, what: str) -> Trial:
    if trial is None:
        raise RankwiseError(f"{what} needs a trial: the figure that a set of features reaches")
    return trial


def _feature_worth(train: Dataset, measure: str, tool: str) -> NDArray[np.float64]:
    """The figure of each feature alone; features that order no documents come after all others.

    Such a feature is unlike every other, and the figure of ranking at random is not 0, so that
    `gas` would take them before most.
    """
    filled = fill_null(train)
    starts = filled.query_offsets[:-1][filled.query_lengths > 0]
    least = np.minimum.reduceat(filled.features, starts, axis=0)
    varies = np.any(np.maximum.reduceat(filled.features, starts, axis=0) > least, axis=0)
    return np.where(varies, single_feature_quality(train, measure, tool).values, _WORTH_OF_NO_ORDER)


def _choose_greedily(
    worth: NDArray[np.float64], similarity: NDArray[np.float64], keep: int, weight: float
) -> Choice:
    left = worth.copy()
    chosen: list[int] = []
    values: list[float] = []
    for _ in range(keep):
        best = int(np.argmax(left))
        chosen.append(best)
        values.append(float(left[best]))
        left -= 2.0 * weight * similarity[best]
        left[chosen] = -np.inf
    return Choice(tuple(chosen), tuple(values))


def _choose_forward(n_features: int, keep: int, trial: Trial) -> Choice:
    chosen: list[int] = []
    values: list[float] = []
    for _ in range(keep):
        left = [number for number in range(n_features) if number not in chosen]
        figures = [trial([*chosen, number]) for number in left]
        best = int(np.argmax(figures))
        chosen.append(left[best])
        values.append(float(figures[best]))
    return Choice(tuple(chosen), tuple(values))


_order_balance = function("rankwise_order_balance", DOUBLES, INT64, INT64, DOUBLES_OUT, DOUBLES_OUT)


def feature_similarity(dataset: Dataset) -> NDArray[np.float64]:
    """(features, features) Kendall's τ-b of the rankings by two features, mean over queries.

        τ_b(f, g) = Σ_{i<j} sign(f_i − f_j) sign(g_i − g_j) / √(pairs f orders · pairs g orders)

    Where a feature is constant in a query τ-b is not defined; such queries are left out of the
    mean, and a feature that is constant in all has similarity 0 to the others. Geng, Liu, Qin and
    Li (2007) use Kendall's τ for the same purpose. NULL is filled with the query's minimum.
    """
    features = np.ascontiguousarray(fill_null(dataset).features)
    total = np.zeros((dataset.n_features, dataset.n_features))
    defined, signs = np.zeros_like(total), np.empty(dataset.n_features)
    for begin, end in zip(dataset.query_offsets[:-1], dataset.query_offsets[1:], strict=True):
        balance = np.zeros_like(total)
        _order_balance(features[begin:end], end - begin, dataset.n_features, signs, balance)
        ordered = np.diag(balance)
        divisor = np.sqrt(np.outer(ordered, ordered))
        total += balance / np.where(divisor > 0, divisor, 1.0)
        defined += divisor > 0
    similarity = total / np.maximum(defined, 1.0)
    np.fill_diagonal(similarity, 1.0)
    return similarity
