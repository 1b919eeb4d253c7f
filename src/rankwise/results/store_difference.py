"""Where two stores disagree: figures of the same task, measure and tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from rankwise.results.store_reading import stored_means


class Change(NamedTuple):
    """A figure in two stores; None where one of them lacks it."""

    collection: str
    dataset: str
    version: str | None
    fold: int
    method: str
    seed: int
    measure: str
    tool: str
    before: float | None
    after: float | None


def difference(one: str | Path, other: str | Path, tolerance: float = 0.0) -> list[Change]:
    """The test figures that differ by more than `tolerance`, in the order of the first store."""
    before, after = _figures(one), _figures(other)
    found = []
    for cell in dict.fromkeys([*before, *after]):
        first, second = before.get(cell), after.get(cell)
        if first is None or second is None or abs(first - second) > tolerance:
            found.append(Change._make((*cell, first, second)))
    return found


def _figures(path: str | Path) -> dict[tuple[Any, ...], float]:
    return {
        (mean.name.collection, mean.name.dataset, mean.name.version, mean.name.fold,
         mean.name.method, mean.name.seed, mean.measure, mean.tool): mean.value
        for mean in stored_means(path)
    }  # fmt: skip
