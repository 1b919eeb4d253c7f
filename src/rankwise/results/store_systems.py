"""Methods of a store as systems to test against each other: values query by query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import Advice, RankwiseError
from rankwise.results.completeness import Rule, find_comparable
from rankwise.results.store_records import (
    SHARED_QUERIES,
    Subject,
    list_subject_forms,
    name_subjects,
)
from rankwise.results.store_values import ValueReading

Values = NDArray[np.float64]
_Key = tuple[int, str]
_Cells = dict[str, dict[_Key, list[float]]]


class PairedSystems(NamedTuple):
    """Values per query that can be compared, by method, and sentences about what cannot.

    `fold_sizes` are the numbers of queries of the folds that count, `queries` the fold and the id
    of each.
    """

    values: dict[str, Values]
    lacking: Mapping[str, str]
    sentences: list[str]
    fold_sizes: tuple[int, ...] = ()
    queries: tuple[tuple[int, str], ...] = ()


class SystemReading(ValueReading):
    """What a store tells of its methods as systems."""

    def find_subject(self, name: str | None = None) -> tuple[Subject, str]:
        """The data set that is called `name`, or the only one of the store, and its own tool.

        A name is that of the data set, with `/VERSION` where the store holds it in several, and
        with `COLLECTION/` before it where that is not enough; longer names than needed will do.
        """
        tools = {Subject.of(task.name): task.name.tool for task in self.tasks()}
        if name is None and len(tools) == 1:
            return next(iter(tools.items()))
        meant = [subject for subject in tools if name in list_subject_forms(subject)]
        if len(meant) != 1:
            there = ", ".join(name_subjects(tools).values()) or "none"
            found = "none named" if name is None else repr(name)
            raise RankwiseError(
                f"systems are compared on one data set of {self.path} ({there}), found {found}",
                Advice("name it with {}", "dataset"),
            )
        return meant[0], tools[meant[0]]

    def methods(self, subject: Subject) -> list[str]:
        """The methods that were run on a data set."""
        own = (task.name.method for task in self.tasks() if Subject.of(task.name) == subject)
        return list(dict.fromkeys(own))

    def find_homes(
        self, subject: Subject, queries: Mapping[int, Iterable[str]]
    ) -> dict[_Key, _Key]:
        """The fold and id of every query, and where the same query stood first.

        Folds of one test file are the same queries; of a data set whose folds share queries those
        of equal ids are.
        """
        tests: dict[int, str] = {}
        for task in self.tasks():
            if Subject.of(task.name) == subject and task.name.fold not in tests:
                files = self.origin(task.number)["inputs"].get("data")
                test = files.get("test") if isinstance(files, dict) else None
                tests[task.name.fold] = str(test or task.name.fold)
        shared = subject.dataset.endswith(SHARED_QUERIES)
        first: dict[tuple[str, str], int] = {}
        return {
            (fold, query): (first.setdefault(("" if shared else tests[fold], query), fold), query)
            for fold in sorted(queries)
            for query in queries[fold]
        }

    def paired(
        self,
        measure: str,
        tool: str,
        subject: Subject | None = None,
        methods: Collection[str] = (),
        rule: Rule = "most",
    ) -> PairedSystems:
        """Test values of every method over the queries of the folds that count, in one order.

        Of `methods` where any are named, else of all, in the order of the plan. Several seeds
        count with their mean. Which folds count, and which methods are left out, `find_comparable`
        says. Without a `subject` the store must have only one.
        """
        with self.snapshot():
            wanted = subject or self.find_subject()[0]
            found = {
                name: row
                for name, row in self.per_query(measure, tool).items()
                if Subject.of(name) == wanted and (not methods or name.method in methods)
            }
            there: dict[int, dict[str, None]] = {}
            for name, (ids, _) in found.items():
                there.setdefault(name.fold, {}).update(dict.fromkeys(ids))
            homes = self.find_homes(wanted, there)
        kept = find_comparable(found, rule)
        cells: _Cells = {}
        for name, (ids, values) in found.items():
            if kept.includes(name.method, name.fold):
                own = cells.setdefault(name.method, {})
                for query, value in zip(ids, values.tolist(), strict=True):
                    own.setdefault(homes[name.fold, query], []).append(value)
        if not cells:
            raise RankwiseError(
                f"{self.path} holds no values of {measure} by the tool {tool} on {wanted.dataset}"
                + (" with all folds and seeds" if found else "")
            )
        order = list(next(iter(cells.values())))
        _check_same_queries(self.path, cells, order)
        values_of = {
            method: np.array([float(np.mean(own[query])) for query in order])
            for method, own in cells.items()
        }
        sizes = tuple(Counter(fold for fold, _ in order).values())
        said = kept.describe(wanted.dataset)
        copies = sum(key != home and key[0] in kept.folds for key, home in homes.items())
        said += describe_copies(copies, copies + len(order))
        return PairedSystems(values_of, kept.lacking, said, sizes, tuple(order))


def describe_copies(copies: int, queries: int) -> list[str]:
    """That queries come back in several folds, where they do."""
    if not copies:
        return []
    return [
        f"{copies} of {queries} queries were tested in an earlier fold too: each query counts "
        "once, with the mean of its values"
    ]


def _check_same_queries(path: Path, cells: _Cells, order: Sequence[tuple[int, str]]) -> None:
    first = next(iter(cells))
    for method, own in cells.items():
        if own.keys() != set(order):
            folds = sorted({fold for fold, _ in own.keys() ^ set(order)})
            raise RankwiseError(
                f"methods must be run on the same queries to be compared, but {first} and {method} "
                f"of {path} differ in fold {', '.join(map(str, folds))}; run both on the same data"
            )
