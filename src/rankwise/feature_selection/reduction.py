"""Combine features into fewer: directions learnt from the training part, applied to all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_choice
from rankwise.data.dataset import Dataset
from rankwise.data.normalization.scales import fill_null
from rankwise.errors import RankwiseError

_ROUNDING = 8.0 * np.finfo(np.float64).eps
REDUCTIONS = {
    "pca": "principal components: the directions of greatest variance within queries",
    "pls": "partial least squares: the directions of greatest covariance with the labels",
}


@dataclass(frozen=True, eq=False)
class Reduction:
    """New feature k of a document: Σ_f (x_f / scale_f) · components[f, k].

    Attributes:
        method: a key of `REDUCTIONS`.
        scale: (features,) standard deviations within queries; 1 where a feature never varies.
        components: (features, kept) orthonormal directions for `pca`.
        explained: (kept,) share of the variance within queries that each new feature carries.
    """

    method: str
    scale: NDArray[np.float64]
    components: NDArray[np.float64]
    explained: NDArray[np.float64]

    def apply(self, dataset: Dataset) -> Dataset:
        """The data set in the new features; NULL is filled with the query's minimum first."""
        if dataset.n_features != len(self.scale):
            raise RankwiseError(
                f"the reduction was fitted on {len(self.scale)} features, "
                f"found {dataset.n_features}"
            )
        values = (fill_null(dataset).features / self.scale) @ self.components
        return dataset.with_features(np.ascontiguousarray(values))

    @property
    def n_components(self) -> int:
        """How many new features there are."""
        return len(self.explained)

    def first(self, keep: int) -> Reduction:
        """The reduction to its first new features; both methods find them one after the other."""
        return replace(self, components=self.components[:, :keep], explained=self.explained[:keep])


def fit_reductions(trains: Sequence[Dataset], method: str, keep: int) -> list[Reduction]:
    """A reduction for each training part, all to the number that every one of them reaches.

    pls ends before `keep` where what is left of the features does not vary with the labels.
    """
    fitted = [fit_reduction(train, method, keep) for train in trains]
    reached = min(reduction.n_components for reduction in fitted)
    return [reduction.first(reached) for reduction in fitted]


def fit_reduction(train: Dataset, method: str, keep: int) -> Reduction:
    """Fit on the training part, on features centred in each query and scaled to variance 1.

    Centring within the query takes out what no ranking can use; the new features themselves are
    not centred, since a shift by query changes no ranking by a linear function.

    pca: the `keep` leading eigenvectors of X'X, in the direction where the largest entry is
    positive. pls: NIPALS for one response (Wold, Sjöström and Eriksson 2001), rotated so that it
    applies to X itself.
    """
    check_choice("a reduction", method, REDUCTIONS, verb="is")
    if not train.n_documents:
        raise RankwiseError("a reduction is fitted on documents, found none")
    values = fill_null(train).features
    centred = _centred(train, values)
    deviations = np.sqrt(np.mean(centred**2, axis=0))
    # What varies by less than sums round is the same in every document of a query.
    varies = deviations > _ROUNDING * np.abs(values).max(axis=0)
    centred[:, ~varies] = 0.0
    scale = np.where(varies, deviations, 1.0)
    X = centred / scale
    if not 1 <= keep <= X.shape[1]:
        raise RankwiseError(
            f"{X.shape[1]} features can be reduced to 1 to {X.shape[1]}, found {keep}"
        )
    if method == "pca":
        components = _principal(X.T @ X, keep)
    else:
        components = _partial_least_squares(X, _centred(train, train.labels[:, None])[:, 0], keep)
    return Reduction(method, scale, components, _explained(X, components))


def _centred(dataset: Dataset, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Deviations from the query's mean; of equal values exactly 0, as of its first document."""
    starts, lengths = dataset.query_offsets[:-1], dataset.query_lengths
    relative = values - np.repeat(values[starts], lengths, axis=0)
    means = np.add.reduceat(relative, starts, axis=0) / lengths[:, None]
    return relative - np.repeat(means, lengths, axis=0)


def _principal(scatter: NDArray[np.float64], keep: int) -> NDArray[np.float64]:
    _, vectors = np.linalg.eigh(scatter)
    leading = vectors[:, ::-1][:, :keep]
    largest = np.argmax(np.abs(leading), axis=0)
    signs = np.sign(leading[largest, np.arange(leading.shape[1])])
    return np.asarray(leading * signs)


def _partial_least_squares(
    X: NDArray[np.float64], y: NDArray[np.float64], keep: int
) -> NDArray[np.float64]:
    """R = W (P'W)⁻¹: the scores of NIPALS are X R, without deflating X at use."""
    left = X.copy()
    weights, loadings = [], []
    for _ in range(keep):
        weight = left.T @ y
        size = np.linalg.norm(weight)
        if size <= 1e-10 * (np.linalg.norm(X) * np.linalg.norm(y) + 1e-300):
            break
        weight /= size
        score = left @ weight
        loading = left.T @ score / (score @ score)
        left -= np.outer(score, loading)
        weights.append(weight)
        loadings.append(loading)
    if not weights:
        raise RankwiseError("pls needs features that vary with the labels, found none that does")
    W, P = np.array(weights).T, np.array(loadings).T
    return np.asarray(W @ np.linalg.inv(P.T @ W))


def _explained(X: NDArray[np.float64], components: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of Σ X² in the projections on each orthogonalised direction of scores."""
    scores = X @ components
    lengths = np.linalg.norm(scores, axis=0)
    unit = scores / np.where(lengths > 0, lengths, 1.0)
    total = float(np.sum(X**2))
    return np.asarray(np.sum((unit.T @ X) ** 2, axis=1) / (total if total > 0 else 1.0))
