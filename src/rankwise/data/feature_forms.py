"""The forms in which a data set holds its features: an array, sparse rows, or rows in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rankwise.data.file_features import FileFeatures, spill
from rankwise.data.sparse_features import SparseFeatures, as_sparse, same_bits

Features: TypeAlias = NDArray[np.float64] | SparseFeatures | FileFeatures

BLOCK_CELLS = 1 << 20


def as_features(features: Features) -> NDArray[np.float64]:
    """Any form as the argument `features` of a data set, which takes all."""
    return cast("NDArray[np.float64]", features)


def cut_into_blocks(offsets: NDArray[np.int64], width: int) -> Iterator[tuple[int, int]]:
    """Runs of whole queries of about `BLOCK_CELLS` values, or of one query that is larger."""
    block_rows = max(1, BLOCK_CELLS // max(1, width))
    first, queries = 0, len(offsets) - 1
    while first < queries:
        fitting = int(np.searchsorted(offsets, offsets[first] + block_rows, side="right")) - 1
        last = max(first + 1, fitting)
        yield first, last
        first = last


def row_blocks(
    features: NDArray[np.float64] | FileFeatures, offsets: NDArray[np.int64]
) -> Iterator[tuple[slice, slice, NDArray[np.float64]]]:
    """The rows of whole queries at a time: the queries, the rows, and their values.

    Of an array they are views, of a file they are read. The blocks are the same for both, and so is
    the order of everything that is summed over them.
    """
    for first, last in cut_into_blocks(offsets, features.shape[1]):
        rows = slice(int(offsets[first]), int(offsets[last]))
        yield slice(first, last), rows, read_rows(features, rows)


def read_rows(features: NDArray[np.float64] | FileFeatures, rows: slice) -> NDArray[np.float64]:
    """Some rows as an array."""
    chosen = features[rows]
    return chosen.read() if isinstance(chosen, FileFeatures) else chosen


def join_features(parts: Sequence[Features]) -> Features:
    """One after the other; in a file as soon as one of them is, sparse as soon as one is that."""
    if any(isinstance(part, FileFeatures) for part in parts):
        return _join_in_file(parts)
    if any(isinstance(part, SparseFeatures) for part in parts):
        return SparseFeatures.concatenate([_sparse(part) for part in parts])
    return np.concatenate([cast("NDArray[np.float64]", part) for part in parts])


def same_features(one: Features, other: Features) -> bool:
    """Whether both hold the same values to the bit, each in any form."""
    if isinstance(one, SparseFeatures) and isinstance(other, SparseFeatures):
        return one.has_same_bits(other)
    if one.shape != other.shape:
        return False
    if isinstance(one, FileFeatures) or isinstance(other, FileFeatures):
        pairs = zip(_some_rows(one), _some_rows(other), strict=True)
        return all(same_bits(mine, its) for mine, its in pairs)
    if isinstance(one, SparseFeatures) or isinstance(other, SparseFeatures):
        return _sparse(one).has_same_bits(_sparse(other))
    return same_bits(one, other)


def _join_in_file(parts: Sequence[Features]) -> FileFeatures:
    """Rows of one file stay where they are; others are copied into one file."""
    files = [part for part in parts if isinstance(part, FileFeatures)]
    if len(files) == len(parts) and all(part.file is files[0].file for part in files):
        numbers = np.concatenate([np.asarray(part.rows, np.int64) for part in files])
        return FileFeatures(files[0].file, numbers)
    return spill((block for part in parts for block in _some_rows(part)), parts[0].shape[1])


def _some_rows(part: Features) -> Iterator[NDArray[np.float64]]:
    """About `BLOCK_CELLS` values at a time, in any form the same rows."""
    step = max(1, BLOCK_CELLS // max(1, part.shape[1]))
    for first in range(0, len(part), step):
        rows = slice(first, first + step)
        if isinstance(part, SparseFeatures):
            yield part[rows].to_dense()
        else:
            yield read_rows(part, rows)


def _sparse(part: Features) -> SparseFeatures:
    if isinstance(part, FileFeatures):
        raise TypeError("features in a file are joined in a file")
    return as_sparse(part)
