"""The likelihood of labels under a Gaussian random field: convex in its weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.scorers.relation_matrix import RelationMatrix

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GaussianField:
    """−log p(y) for p ∝ exp(−Σ_k α_k ‖y − x_k‖² − β/2 Σ_ij S_ij (y_i − y_j)²), query by query.

    With a = Σ_k α_k, L = D − S and A = a I + β L this is the normal density of precision 2A and
    mean A^-1 X α. In the basis of L's eigenvectors, where L is λ, every document stands alone, with
    c = a + β λ and r = x · α:

        −log p = Σ_i c_i y_i² − 2 y_i r_i + r_i² / c_i − ½ log c_i,  up to a constant.

    Both c and r are linear in (α, β), and the summand is jointly convex in them.

    Attributes:
        features: (documents, features), in the eigenvectors' basis.
        labels: in the same basis.
        eigenvalues: λ of every row.
    """

    features: Floats
    labels: Floats
    eigenvalues: Floats

    @classmethod
    def of(cls, dataset: Dataset, labels: Floats, related: RelationMatrix) -> GaussianField:
        """The field of a data set whose features are as the model is to see them."""
        alike, degrees = related.alike()
        rows = dataset.features[related.order], labels[related.order]
        found: list[tuple[Floats, Floats, Floats]] = []
        for first, last in zip(related.query_offsets[:-1], related.query_offsets[1:], strict=True):
            own = slice(int(first), int(last))
            laplacian = np.diag(degrees[own]) - alike[own, own].toarray()
            values, vectors = np.linalg.eigh(laplacian)
            found.append(
                (vectors.T @ rows[0][own], vectors.T @ rows[1][own], np.maximum(values, 0.0))
            )
        features, turned, eigenvalues = (np.concatenate(one) for one in zip(*found, strict=True))
        return cls(features, turned, eigenvalues)

    def at(self, weights: Floats, regularization: float) -> FieldPoint:
        """The mean over documents at (α, β), with λ/2 ‖(α, β)‖² added."""
        sums = weights[:-1].sum() + weights[-1] * self.eigenvalues
        return FieldPoint(self, weights, regularization, sums, self.features @ weights[:-1])


@dataclass(eq=False)
class FieldPoint:
    """The function at one (α, β)."""

    field: GaussianField
    weights: Floats
    regularization: float
    sums: Floats
    scores: Floats

    def __post_init__(self) -> None:
        field, c, r = self.field, self.sums, self.scores
        count, y = len(c), field.labels
        if not np.all(c > 0):
            self.value, self.gradient = np.inf, np.zeros(len(self.weights))
            return
        terms = c * y**2 - 2 * y * r + r**2 / c - np.log(c) / 2
        self.value = float(terms.mean()) + self.regularization / 2 * float(
            self.weights @ self.weights
        )
        by_sum, by_score = y**2 - (r / c) ** 2 - 1 / (2 * c), 2 * (r / c - y)
        slopes = np.append(by_sum.sum() + field.features.T @ by_score, by_sum @ field.eigenvalues)
        self.gradient = slopes / count + self.regularization * self.weights

    def hessian(self) -> Floats:
        """The second derivatives in (α, β)."""
        field, c, r = self.field, self.sums, self.scores
        of_sums = 1 / (2 * c**2) + 2 * r**2 / c**3
        of_both, of_scores = -2 * r / c**2, 2 / c
        width = len(self.weights)
        linear = np.ones((len(c), width))
        linear[:, -1] = field.eigenvalues
        rows = np.hstack([field.features, np.zeros((len(c), 1))])
        crossed = linear.T @ (of_both[:, None] * rows)
        found = linear.T @ (of_sums[:, None] * linear) + crossed + crossed.T
        found += rows.T @ (of_scores[:, None] * rows)
        found = found / len(c)
        found[np.diag_indices_from(found)] += self.regularization
        return np.asarray(found)
