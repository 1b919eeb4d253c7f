"""What is wrong in files: each by itself, and those of one fold beside each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rankwise.data.checking import DataProblem, check, check_parts
from rankwise.data.folds import find_folds
from rankwise.data.reading import read


def check_files(
    *paths: str | Path,
    zero_based: bool = False,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> list[DataProblem]:
    """Everything that is wrong in files, taken as the parts of one fold, and in folders of folds.

    `advance` is told how many of how many groups of files are done.
    """
    findings: list[DataProblem] = []
    groups = fold_files(paths)
    for number, group in enumerate(groups, 1):
        parts = {str(path): read(path, zero_based=zero_based) for path in group}
        for name, part in parts.items():
            findings += [found for found in check(part, name) if found not in findings]
        findings += check_parts(parts)
        advance(number, len(groups))
    return findings


def fold_files(paths: Sequence[str | Path]) -> list[list[Path]]:
    """Files that belong together: those that are named, and each fold of a folder."""
    named = [Path(path) for path in paths]
    files = [path for path in named if not path.is_dir()]
    folds = [fold for path in named if path.is_dir() for fold in find_folds(path)]
    fold_groups = [
        [part for part in (fold.train, fold.validation, fold.test) if part is not None]
        for fold in folds
    ]
    return ([files] if files else []) + fold_groups
