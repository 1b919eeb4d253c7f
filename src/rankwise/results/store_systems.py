"""Methods of a store as systems to test against each other: values per query, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.results.store_reading import per_query_values, stored_tasks
from rankwise.results.store_records import TaskName

Values = NDArray[np.float64]


class Subject(NamedTuple):
    """What methods are run on: a data set in one version."""

    collection: str
    dataset: str
    version: str | None

    @classmethod
    def of(cls, name: TaskName) -> Subject:
        """The subject of a task."""
        return cls(name.collection, name.dataset, name.version)


def stored_subject(path: str | Path, name: str | None = None) -> tuple[Subject, str]:
    """The data set that is called `name`, or the only one of the store, and its own tool.

    A name is that of the data set, with `/VERSION` where the store holds it in several.
    """
    tools = {Subject.of(task.name): task.name.tool for task in stored_tasks(path)}
    names = _names(list(tools))
    if name is None and len(names) == 1:
        return next(iter(tools.items()))
    if name not in names:
        there = ", ".join(names) or "none"
        found = "none named" if name is None else repr(name)
        raise RankwiseError(
            f"systems are compared on one data set of {path} ({there}), found {found}; "
            "name it with --dataset"
        )
    return names[name], tools[names[name]]


def _names(subjects: Sequence[Subject]) -> dict[str, Subject]:
    """The shortest names that tell the subjects apart."""
    for name in (
        lambda one: one.dataset,
        lambda one: f"{one.dataset}/{one.version}",
        lambda one: f"{one.collection}/{one.dataset}/{one.version}",
    ):
        named = {name(subject): subject for subject in subjects}
        if len(named) == len(subjects):
            return named
    return {}


def values_by_method(
    path: str | Path, measure: str, tool: str, subject: Subject | None = None
) -> dict[str, Values]:
    """Test figures of every method over the queries of all folds, in one order for all.

    Several seeds count with their mean. Methods that were not run on the same folds cannot be
    paired and are refused. Without a `subject` the store must have but one.
    """
    wanted = subject or stored_subject(path)[0]
    cells: dict[str, dict[tuple[int, str], list[float]]] = {}
    for name, (ids, values) in per_query_values(path, measure, tool).items():
        if Subject.of(name) == wanted:
            own = cells.setdefault(name.method, {})
            for query, value in zip(ids, values.tolist(), strict=True):
                own.setdefault((name.fold, query), []).append(value)
    if not cells:
        raise RankwiseError(
            f"{path} holds no values of {measure} by the tool {tool} on {wanted.dataset}"
        )
    order = list(next(iter(cells.values())))
    _check_pairs(path, cells, order)
    return {
        method: np.array([float(np.mean(own[query])) for query in order])
        for method, own in cells.items()
    }


def _check_pairs(
    path: str | Path,
    cells: dict[str, dict[tuple[int, str], list[float]]],
    order: Sequence[tuple[int, str]],
) -> None:
    first = next(iter(cells))
    for method, own in cells.items():
        if own.keys() != set(order):
            folds = sorted({fold for fold, _ in own.keys() ^ set(order)})
            raise RankwiseError(
                f"methods must be run on the same queries to be compared, but {first} and {method} "
                f"of {path} differ in fold {', '.join(map(str, folds))}; finish the run first"
            )
