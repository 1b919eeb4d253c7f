"""Differences of results, by the method, data set or origin of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.comparison.bias import Origin
from rankwise.native.distributions import student_quantile

Cell = tuple[str, str, str]
"""Method, data set and measure."""


@dataclass(frozen=True)
class PublishedDifference:
    """A published result beside the one of the same method, data set, measure and convention here.

    `origin` says whether the study that published it proposed the method (see `MethodOrigins`).
    """

    method: str
    dataset: str
    measure: str
    published: float
    here: float
    source: str | None
    origin: Origin

    @property
    def difference(self) -> float:
        """Published less here."""
        return self.published - self.here


@dataclass(frozen=True)
class DifferenceGroup:
    """The differences of one method, data set or origin: how many, their mean and spread.

    `spread` is their standard deviation; `lower` and `upper` are the 95 % interval of the mean of
    the methods' means, for results of one method err together. None where one method is too few.
    """

    name: str
    methods: int
    results: int
    mean: float
    spread: float | None
    lower: float | None
    upper: float | None
    higher: int
    """How many are published higher than they are here."""


def group_differences(
    differences: Sequence[PublishedDifference],
    key: Callable[[PublishedDifference], str],
    order: Iterable[str] | None = None,
) -> tuple[DifferenceGroup, ...]:
    """The groups by the name that `key` gives, in an order of names or the largest mean first."""
    members: dict[str, list[PublishedDifference]] = {}
    for one in differences:
        members.setdefault(key(one), []).append(one)
    found = {name: _summarize(name, own) for name, own in members.items()}
    if order is not None:
        return tuple(found[name] for name in order if name in found)
    return tuple(sorted(found.values(), key=lambda one: (-one.mean, one.name)))


def _summarize(name: str, own: Sequence[PublishedDifference]) -> DifferenceGroup:
    values = np.array([one.difference for one in own])
    by_method: dict[str, list[float]] = {}
    for one in own:
        by_method.setdefault(one.method, []).append(one.difference)
    means = np.array([np.mean(some) for some in by_method.values()])
    lower = upper = None
    if len(means) > 1:
        reach = student_quantile(len(means) - 1, 0.975) * means.std(ddof=1) / np.sqrt(len(means))
        lower, upper = float(means.mean() - reach), float(means.mean() + reach)
    return DifferenceGroup(
        name, len(means), len(values), float(values.mean()),
        float(values.std(ddof=1)) if len(values) > 1 else None, lower, upper,
        int((values > 0).sum()),
    )  # fmt: skip


def pair_origins(differences: Sequence[PublishedDifference]) -> DifferenceGroup | None:
    """Own studies less others in the cells that both published, by the mean of each."""
    cells: dict[Cell, dict[Origin, list[float]]] = {}
    for one in differences:
        cell = cells.setdefault((one.method, one.dataset, one.measure), {})
        cell.setdefault(one.origin, []).append(one.published)
    pairs = [
        PublishedDifference(
            *cell, float(np.mean(found["own"])), float(np.mean(found["others"])), None, "own"
        )
        for cell, found in cells.items()
        if "own" in found and "others" in found
    ]
    return _summarize("own less others", pairs) if pairs else None
