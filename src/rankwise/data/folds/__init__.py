"""Folds: cut a data set into parts, compose LETOR's folds from them, read, write and check them."""

from __future__ import annotations

from rankwise.data.folds.cutting import cut_into_parts, even_sizes
from rankwise.data.folds.fold import Fold, check_folds, compose_fold, compose_folds
from rankwise.data.folds.reading import (
    FoldFiles,
    find_folds,
    find_parts,
    read_fold,
    read_folds,
    read_parts,
)
from rankwise.data.folds.splitting import split_folds
from rankwise.data.folds.writing import COMPRESSIONS, NAMINGS, write_folds

__all__ = [
    "COMPRESSIONS",
    "NAMINGS",
    "Fold",
    "FoldFiles",
    "check_folds",
    "compose_fold",
    "compose_folds",
    "cut_into_parts",
    "even_sizes",
    "find_folds",
    "find_parts",
    "read_fold",
    "read_folds",
    "read_parts",
    "split_folds",
    "write_folds",
]
