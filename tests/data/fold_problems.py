"""What is wrong with folds that are in memory, as `rankwise data check` says it of files."""

from __future__ import annotations

from collections.abc import Iterable

from rankwise.data.checking import DataProblem, check_parts, list_shared
from rankwise.data.folds import Fold
from rankwise.data.shared_queries import QueryPrints


def fold_problems(folds: Iterable[Fold]) -> list[DataProblem]:
    """Within each fold, and queries that several folds test."""
    found = []
    tests = {}
    for fold in folds:
        found += check_parts(dict(fold.parts()))
        tests[str(fold.number)] = QueryPrints.of(fold.test)
    return [*found, *list_shared(tests, in_tests=True)]
