"""New features that the documents of one query make, without their labels: principal components.

A projection is found on the documents X of a query and applied to any others. Features are first
divided by their deviation over the training data (and counted from their mean for kernels).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

KERNELS = ("rbf", "polynomial", "linear")
SVD = "svd"

# Eigenvalues below this share of the greatest are rounding.
_LEAST_SHARE = 1e-10
_DIGITS = 9


def project(kind: str, own: Floats, others: Floats, components: int) -> tuple[Floats, Floats]:
    """The projections of a query's own documents and of others: (documents, components) each.

    There are fewer components where the documents span fewer. Values are rounded to nine places
    of the largest, since libraries of linear algebra sum in different orders.
    """
    found = _singular(own, others) if kind == SVD else _kernel_principal(kind, own, others)
    mine, theirs = (part[:, :components] for part in found)
    largest = np.abs(np.vstack([mine, theirs])).max(axis=0, initial=0.0)
    unit = np.where(largest > 0.0, largest, 1.0)
    return np.round(mine / unit, _DIGITS), np.round(theirs / unit, _DIGITS)


def kernel_values(kind: str, left: Floats, right: Floats) -> Floats:
    """k(x, y) of all pairs: x · y, (1 + x · y / d)², or exp(−‖x − y‖² / d), d features."""
    products = left @ right.T
    if kind == "linear":
        return np.asarray(products)
    width = left.shape[1]
    if kind == "polynomial":
        return np.asarray((1.0 + products / width) ** 2)
    squares = np.square(left).sum(axis=1)[:, np.newaxis] + np.square(right).sum(axis=1)
    return np.asarray(np.exp(-np.maximum(squares - 2.0 * products, 0.0) / width))


def _kernel_principal(kind: str, own: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Kernel PCA: Σ_i v_ki k̃(x, x_i) / √λ_k, k̃ the kernel centred on the query's documents.

    λ_k and v_k are eigenvalues, falling, and eigenvectors of K̃_ij = k̃(x_i, x_j), with

        k̃(x, x_i) = k(x, x_i) − mean_j k(x, x_j) − mean_j k(x_j, x_i) + mean_jl k(x_j, x_l).

    Schölkopf, Smola, Müller (1998). Nonlinear component analysis as a kernel eigenvalue problem.
    """
    gram = kernel_values(kind, own, own)
    rows, mean = gram.mean(axis=0), gram.mean()

    def centred(kernel: Floats) -> Floats:
        return np.asarray(kernel - kernel.mean(axis=1)[:, np.newaxis] - rows + mean)

    values, vectors = np.linalg.eigh(centred(gram))
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = values > _LEAST_SHARE * max(float(values[0]), 0.0)
    scaled = _signed(vectors[:, kept]) / np.sqrt(values[kept])
    return centred(gram) @ scaled, centred(kernel_values(kind, others, own)) @ scaled


def _singular(own: Floats, others: Floats) -> tuple[Floats, Floats]:
    """V^T x for the right singular vectors V of X = U Σ V^T, singular values falling."""
    _, values, vectors = np.linalg.svd(own, full_matrices=False)
    kept = values > _LEAST_SHARE * max(float(values[0]), 0.0)
    directions = _signed(vectors[kept].T)
    return own @ directions, others @ directions


def _signed(vectors: Floats) -> Floats:
    """Columns whose entry of the greatest size is positive: libraries choose signs freely."""
    if not vectors.shape[1]:
        return vectors
    largest = np.argmax(np.abs(np.round(vectors, _DIGITS)), axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0.0, 1.0, signs)
