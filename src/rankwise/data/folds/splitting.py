"""A data set as folds: cut into parts, composed as LETOR composes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankwise.data.dataset import Dataset
from rankwise.data.folds.cutting import cut_into_parts
from rankwise.data.folds.fold import Fold, compose_fold


def split_folds(
    dataset: Dataset,
    n_parts: int = 5,
    *,
    seed: int | None = 0,
    sizes: Sequence[int] | None = None,
) -> Iterator[Fold]:
    """The folds of a data set, one at a time so that only one is in memory.

    The arguments are those of `cut_into_parts`; `compose_fold` says which parts a fold is made of.
    """
    parts = cut_into_parts(dataset, n_parts, seed=seed, sizes=sizes)
    return (compose_fold(parts, number) for number in range(1, len(parts) + 1))
