"""What is wrong in files: each by itself, and those of one fold beside each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rankwise.data.checking import DataProblem, check_dataset, check_parts, list_shared
from rankwise.data.dataset import Dataset
from rankwise.data.folds import find_folds
from rankwise.data.formats.letor_faults import MOST_FAULTS, find_faults
from rankwise.data.locating import locate
from rankwise.data.reading import is_letor_text, read
from rankwise.data.shared_queries import QueryPrints
from rankwise.errors import FormatError, location
from rankwise.files import is_folder


def check(
    *paths: str | Path,
    zero_based: bool = False,
    advance: Callable[[int, int], None] = lambda done, total: None,
    look: Callable[[str, Dataset], None] = lambda where, part: None,
) -> list[DataProblem]:
    """Everything that is wrong in files, taken as the parts of one fold, and in folders of folds.

    `advance` is told how many of how many groups of files are done, and `look` is shown each file
    that can be read, by its name.
    """
    findings: list[DataProblem] = []
    groups = fold_files(paths)
    tests = {str(fold.test): number for number, path in enumerate(map(locate, paths))
             if is_folder(path) for fold in find_folds(path)}  # fmt: skip
    tested: dict[int, dict[str, QueryPrints]] = {number: {} for number in tests.values()}
    for number, group in enumerate(groups, 1):
        parts: dict[str, Dataset] = {}
        for path in group:
            try:
                parts[str(path)] = read(path, zero_based=zero_based)
            except FormatError as error:
                findings += _list_faults(path, error, zero_based)
        for name, part in parts.items():
            look(name, part)
            findings += [found for found in check_dataset(part, name) if found not in findings]
            if name in tests:
                tested[tests[name]][name] = QueryPrints.of(part)
        findings += check_parts(parts)
        advance(number, len(groups))
    for prints in tested.values():
        findings += list_shared(prints, in_tests=True)
    return findings


def _list_faults(path: Path, first: FormatError, zero_based: bool) -> list[DataProblem]:
    """The lines that cannot be read, the first ones where there are many."""
    faults = find_faults(path, zero_based=zero_based) if is_letor_text(path) else []
    listed = [DataProblem("unreadable line", location(path, fault.line, fault.column), fault.what)
              for fault in faults[:MOST_FAULTS]]  # fmt: skip
    if len(faults) > MOST_FAULTS:
        more = "there are more lines that cannot be read; mend these first"
        listed.append(DataProblem("unreadable line", str(path), more))
    where = location(path, first.line, first.column)
    return listed or [DataProblem("unreadable", where, first.what)]


def fold_files(paths: Sequence[str | Path]) -> list[list[Path]]:
    """Files that belong together: those that are named, and each fold of a folder."""
    # A path that knows the columns of its table stays what it is.
    located = [locate(path) for path in paths]
    named = [path if isinstance(path, Path) else Path(path) for path in located]
    files = [path for path in named if not is_folder(path)]
    folds = [fold for path in named if is_folder(path) for fold in find_folds(path)]
    fold_groups = [
        [part for part in (fold.train, fold.validation, fold.test) if part is not None]
        for fold in folds
    ]
    return ([files] if files else []) + fold_groups


def list_whole_files(paths: Sequence[str | Path]) -> list[Path]:
    """The files of a data set: those that are named, and of a folder the parts of its first fold.

    Each query is in one of these; other folds have the same queries in other parts.
    """
    files = []
    for path in map(locate, paths):
        files += fold_files([path])[0]
    return files
