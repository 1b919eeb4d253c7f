"""The principal direction of a symmetric matrix by Lanczos' method, settled or not at all.

The power method needs steps in proportion to 1 / gap, the relative distance of the two greatest
eigenvalues, Lanczos' to its square root; and its space holds nothing but what the power method from
the same beginning would reach, so that ties between eigenvalues are broken as there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

_BASIS = 60
_KEPT = 20
_MOST_ROUNDS = 500
_LOOK_EVERY = 10
_TOLERANCE = 1e-14
# Nearer eigenvalues are one: of equal ones, rounding lets a second vector into the space.
_EQUAL = 1e-12

Values = NDArray[np.float64]
Operator = Callable[[Values], Values]


def find_principal_direction(apply: Operator, begin: Values) -> Values | None:
    """lim M^k `begin` / |M^k `begin`| for a positive semidefinite M; 0 where M `begin` is 0.

    It is `begin` projected onto the eigenvectors of the greatest eigenvalue λ, to a residual of
    10⁻¹⁴ λ; None where 500 rounds do not reach it, as the next eigenvalue is too near. When 60
    vectors are not enough, the best 20 combinations of them are kept. Wu and Simon (2000).
    Thick-restart Lanczos method for large symmetric eigenvalue problems.
    """
    if not np.any(apply(begin)):
        return np.zeros_like(begin)
    space = _Space(apply, begin)
    for _ in range(_MOST_ROUNDS):
        found = space.filled()
        if found is not None:
            return found / float(np.linalg.norm(found))
        space.shrink()
    return None


class _Space:
    """An orthonormal basis, the matrix in it, and the vectors that the matrix is diagonal in."""

    def __init__(self, apply: Operator, begin: Values) -> None:
        self._apply = apply
        self._begin = begin
        self._basis = np.zeros((_BASIS + 1, len(begin)))
        self._basis[0] = begin / np.linalg.norm(begin)
        self._matrix = np.zeros((_BASIS, _BASIS))
        self._values = np.zeros(0)
        self._vectors = np.zeros((0, 0))
        self._known = 0

    def filled(self) -> Values | None:
        """The principal direction, or None when the basis is full before it is settled."""
        for step in range(self._known, _BASIS):
            size = self._add(step)
            greatest = self._matrix.diagonal().max()
            if step % _LOOK_EVERY and step < _BASIS - 1 and size > _TOLERANCE * greatest:
                continue
            inner = self._matrix[: step + 1, : step + 1]
            self._values, self._vectors = np.linalg.eigh(inner)
            first = int(np.searchsorted(self._values, self._values[-1] * (1.0 - _EQUAL)))
            top = self._vectors[:, first:]
            if size * float(np.abs(top[-1]).max()) <= _TOLERANCE * self._values[-1]:
                basis = self._basis[: step + 1]
                return np.asarray((top @ (top.T @ (basis @ self._begin))) @ basis)
        return None

    def shrink(self) -> None:
        """Keep the best combinations, and the vector that would have come next."""
        self._basis[:_KEPT] = self._vectors[:, -_KEPT:].T @ self._basis[:_BASIS]
        self._basis[_KEPT] = self._basis[_BASIS]
        self._matrix[:] = 0.0
        np.fill_diagonal(self._matrix[:_KEPT, :_KEPT], self._values[-_KEPT:])
        self._known = _KEPT

    def _add(self, step: int) -> float:
        """Apply the matrix to a basis vector; what is new in it comes next, and its size."""
        known = self._basis[: step + 1]
        left = self._apply(known[step])
        inner = np.zeros(step + 1)
        # Once is not enough where most of a vector lies in the basis (Kahan and Parlett).
        for _ in range(2):
            part = known @ left
            left = left - part @ known
            inner += part
        self._matrix[: step + 1, step] = self._matrix[step, : step + 1] = inner
        size = float(np.linalg.norm(left))
        if size > 0:
            self._basis[step + 1] = left / size
        return size
