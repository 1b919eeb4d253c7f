"""A look at publication bias: do methods shine where they were tried little, or by their authors?

Egger, Davey Smith, Schneider and Minder (1997), "Bias in meta-analysis detected by a simple,
graphical test", BMJ 315, for the funnel: without bias, numbers that rest on few results scatter
wider than those that rest on many, but to both sides alike.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.rank_tests import kendall_tau_b
from rankwise.results.published.citations import find_citations, split_sources
from rankwise.tables.notebook import Rows, Tabular

SIZES = ((1, 4), (5, 9), (10, 19), (20, None))
NORMAL_QUANTILE = 1.96

Origin = Literal["own", "others", "unclear"]
ORIGINS: tuple[Origin, ...] = ("own", "others", "unclear")
Sums = dict[Origin, NDArray[np.int64]]


@dataclass(frozen=True)
class MethodOrigins:
    """A method's NWN, over all its results and over those of its own study and of others.

    A result is of its own study where all its sources proposed the method, of others where none
    did, and unclear otherwise or without a source. `lower` and `upper` bound the funnel at its
    number of results.
    """

    method: str
    results: int
    nwn: float
    own_results: int
    own_nwn: float | None
    others_results: int
    others_nwn: float | None
    lower: float
    upper: float

    @property
    def gain(self) -> float | None:
        """NWN in its own study less that in others; None where either has none."""
        if self.own_nwn is None or self.others_nwn is None:
            return None
        return self.own_nwn - self.others_nwn


@dataclass(frozen=True)
class FunnelStep:
    """Methods with `first` to `last` results: how many, their mean NWN, and how many outside."""

    first: int
    last: int | None
    methods: int
    mean_nwn: float | None
    above: int
    below: int


@dataclass(frozen=True)
class OriginGroup:
    """All results of one origin: of how many methods, how many, and what share they win."""

    origin: Origin
    methods: int
    results: int
    nwn: float | None


@dataclass(frozen=True)
class PublicationBias(Tabular):
    """What speaks for bias: the funnel by number of results, and own results against others'.

    `kendall` is τ_b between the number of results and NWN: below 0 where methods look better the
    less they were tried. `groups` pool the results of all methods by their origin.
    """

    methods: tuple[MethodOrigins, ...]
    funnel: tuple[FunnelStep, ...]
    kendall: float | None
    centre: float
    groups: tuple[OriginGroup, ...]

    @property
    def both(self) -> tuple[MethodOrigins, ...]:
        """Methods with results of their own study and of others, the largest gain first."""
        found = [one for one in self.methods if one.gain is not None]
        return tuple(sorted(found, key=lambda one: (-(one.gain or 0.0), one.method)))

    def describe(self) -> list[str]:
        """What the figures say, in sentences."""
        sentences = []
        if self.kendall is not None:
            sentences.append(
                f"Kendall's τ between the number of results and NWN is {self.kendall:.2f}; below 0 "
                "methods look better the less they were tried"
            )
        better = sum((one.gain or 0.0) > 0 for one in self.both)
        sentences.append(
            f"of {len(self.both)} methods with results of their own study and of others, {better} "
            "do better in their own"
            if self.both
            else "no method has results of its own study and of others that can be told apart"
        )
        return sentences

    def __repr__(self) -> str:
        found = [f"{one.origin} {one.nwn:.4f}" for one in self.groups if one.nwn is not None]
        return f"PublicationBias({len(self.methods)} methods; NWN by origin: {', '.join(found)})"

    def _table(self) -> Rows:
        columns = (
            "method", "results", "nwn", "lower", "upper", "own_results", "own_nwn",
            "others_results", "others_nwn", "gain",
        )  # fmt: skip
        return columns, (tuple(getattr(one, name) for name in columns) for one in self.methods)


def look_for_bias(comparison: Comparison) -> PublicationBias:
    """Compare NWN with the number of results, and results of own studies with those of others.

    The funnel is centred on the mean share of wins of all results, m = Σ W / Σ I, and at n results
    reaches m ± 1.96 s / √n, s being the standard deviation of the share of wins of single results.
    Every result counts alike in it and in NWN, whatever the weights of the comparison.
    Results of one method are not independent, so the funnel is too narrow to be a test; what tells
    is on which side of it methods with few results lie. A method's own studies are those that
    `literature cite` names for it (Table A.5 of Tax, Bockting and Hiemstra 2015).
    """
    cells = comparison.cells
    ideal = cells.ideal(comparison.ideal)
    shares = (cells.wins / np.maximum(ideal, 1))[ideal > 0]
    spread = float(shares.std()) if len(shares) else 0.0
    centre = float(cells.wins.sum() / max(int(ideal.sum()), 1))
    sums = _sum_by_origin(comparison)
    methods = tuple(
        _origins(row.method, row.datasets, row.wn / row.iwn, sums[row.method], centre, spread)
        for row in comparison.rows
    )
    counts = np.array([one.results for one in methods], dtype=np.float64)
    numbers = np.array([one.nwn for one in methods], dtype=np.float64)
    return PublicationBias(
        methods,
        tuple(_step(methods, first, last) for first, last in SIZES),
        kendall_tau_b(counts, numbers) if len(methods) > 1 else None,
        centre,
        tuple(_group(origin, sums) for origin in ORIGINS),
    )


def find_origin(method: str, source: str | None) -> Origin:
    """Who published a result of a method: its own study, others, or unclear."""
    return _origin(set(split_sources(source)), _own_studies(method))


def _sum_by_origin(comparison: Comparison) -> dict[str, Sums]:
    """By method and origin: number of results, wins, ideal."""
    cells = comparison.cells
    found: dict[str, Sums] = defaultdict(
        lambda: {origin: np.zeros(3, np.int64) for origin in ORIGINS}
    )
    own = {name: _own_studies(name) for name in cells.methods}
    columns = (cells.method, cells.row, cells.wins, cells.ideal(comparison.ideal))
    for method, row, wins, ideal in zip(*(one.tolist() for one in columns), strict=True):
        name = cells.methods[method]
        origin = _origin(set(split_sources(comparison.table.source[row])), own[name])
        found[name][origin] += np.array([1, wins, ideal])
    return found


def _own_studies(method: str) -> set[str]:
    return {name for paper in find_citations(method) for name in (paper.label, *paper.aliases)}


def _origin(sources: set[str], own: set[str]) -> Origin:
    if not sources or not own:
        return "unclear"
    if sources <= own:
        return "own"
    return "unclear" if sources & own else "others"


def _origins(
    method: str, results: int, nwn: float, sums: Sums, centre: float, spread: float
) -> MethodOrigins:
    reach = NORMAL_QUANTILE * spread / np.sqrt(max(results, 1))
    return MethodOrigins(
        method, results, nwn,
        int(sums["own"][0]), _share(sums["own"]),
        int(sums["others"][0]), _share(sums["others"]),
        max(0.0, float(centre - reach)), min(1.0, float(centre + reach)),
    )  # fmt: skip


def _group(origin: Origin, sums: dict[str, Sums]) -> OriginGroup:
    parts = [found[origin] for found in sums.values() if found[origin][0]]
    pooled = np.sum([np.zeros(3, np.int64), *parts], axis=0)
    return OriginGroup(origin, len(parts), int(pooled[0]), _share(pooled))


def _share(sums: NDArray[np.int64]) -> float | None:
    return float(sums[1] / sums[2]) if sums[2] else None


def _step(methods: tuple[MethodOrigins, ...], first: int, last: int | None) -> FunnelStep:
    within = [one for one in methods if first <= one.results <= (last or one.results)]
    mean = sum(one.nwn for one in within) / len(within) if within else None
    above = sum(one.nwn > one.upper for one in within)
    below = sum(one.nwn < one.lower for one in within)
    return FunnelStep(first, last, len(within), mean, above, below)
