"""Methods of a store as systems to test against each other: values per query, query by query."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.results.completeness import Method, incomplete
from rankwise.results.store_reading import per_query_values, stored_tasks
from rankwise.results.store_records import Subject, TaskName, subject_names

Values = NDArray[np.float64]


def stored_subject(path: str | Path, name: str | None = None) -> tuple[Subject, str]:
    """The data set that is called `name`, or the only one of the store, and its own tool.

    A name is that of the data set, with `/VERSION` where the store holds it in several.
    """
    tools = {Subject.of(task.name): task.name.tool for task in stored_tasks(path)}
    names = {called: subject for subject, called in subject_names(tools).items()}
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


def values_by_method(
    path: str | Path,
    measure: str,
    tool: str,
    subject: Subject | None = None,
    methods: Collection[str] = (),
) -> dict[str, Values]:
    """Test figures of every method over the queries of all folds, in one order for all.

    Of `methods` where any are named, else of all, in the order of the plan. Several seeds count
    with their mean. Methods without folds or seeds that others have cannot be paired and are left
    out: see `incomplete_methods`. Without a `subject` the store must have but one.
    """
    wanted = subject or stored_subject(path)[0]
    found = {
        name: row
        for name, row in per_query_values(path, measure, tool).items()
        if _is_wanted(name, wanted, methods)
    }
    lacking = incomplete(found)
    cells: dict[str, dict[tuple[int, str], list[float]]] = {}
    for name, (ids, values) in found.items():
        if (wanted, name.method) not in lacking:
            own = cells.setdefault(name.method, {})
            for query, value in zip(ids, values.tolist(), strict=True):
                own.setdefault((name.fold, query), []).append(value)
    if not cells:
        raise RankwiseError(
            f"{path} holds no values of {measure} by the tool {tool} on {wanted.dataset}"
            + (" with all folds and seeds" if found else "")
        )
    order = list(next(iter(cells.values())))
    _check_pairs(path, cells, order)
    return {
        method: np.array([float(np.mean(own[query])) for query in order])
        for method, own in cells.items()
    }


def incomplete_methods(
    path: str | Path, subject: Subject, methods: Collection[str] = ()
) -> dict[Method, tuple[int, ...]]:
    """What `values_by_method` leaves out, with the folds that are lacking."""
    done = (task.name for task in stored_tasks(path) if task.ending == "done")
    return incomplete(name for name in done if _is_wanted(name, subject, methods))


def _is_wanted(name: TaskName, subject: Subject, methods: Collection[str]) -> bool:
    return Subject.of(name) == subject and (not methods or name.method in methods)


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
                f"of {path} differ in fold {', '.join(map(str, folds))}; run both on the same data"
            )
