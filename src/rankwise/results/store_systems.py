"""Methods of a store as systems to test against each other: values per query, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.results.store_reading import per_query_values, stored_tasks

Values = NDArray[np.float64]


def stored_dataset(path: str | Path, name: str | None = None) -> tuple[str, str]:
    """The data set called `name`, or the only one of the store, and its own tool."""
    tools = {task.name.dataset: task.name.tool for task in stored_tasks(path)}
    if name is None and len(tools) == 1:
        return next(iter(tools.items()))
    if name not in tools:
        there = ", ".join(tools) or "none"
        found = "none named" if name is None else repr(name)
        raise RankwiseError(
            f"systems are compared on one data set of {path} ({there}), found {found}; "
            "name it with --dataset"
        )
    return name, tools[name]


def values_by_method(
    path: str | Path, measure: str, tool: str, dataset: str | None = None
) -> dict[str, Values]:
    """Test figures of every method over the queries of all folds, in one order for all.

    Several seeds count with their mean. Methods that were not run on the same folds cannot be
    paired and are refused.
    """
    wanted, _ = stored_dataset(path, dataset)
    cells: dict[str, dict[tuple[int, str], list[float]]] = {}
    for name, (ids, values) in per_query_values(path, measure, tool).items():
        if name.dataset == wanted:
            own = cells.setdefault(name.method, {})
            for query, value in zip(ids, values.tolist(), strict=True):
                own.setdefault((name.fold, query), []).append(value)
    if not cells:
        raise RankwiseError(f"{path} holds no values of {measure} by the tool {tool} on {wanted}")
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
