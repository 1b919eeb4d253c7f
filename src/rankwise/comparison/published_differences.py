"""Published against here: what papers print, less what the same method does under one protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from rankwise.comparison.bias import ORIGINS, find_origin
from rankwise.comparison.comparing import (
    DEFAULT_TABLE,
    Results,
    choose_results,
    find_dense,
    load_results,
)
from rankwise.comparison.difference_groups import (
    Cell,
    DifferenceGroup,
    PublishedDifference,
    group_differences,
    pair_origins,
)
from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.rank_tests import kendall_tau_b
from rankwise.errors import RankwiseError
from rankwise.measures.measure import measure_list, result_name
from rankwise.results.benchmark_runs import DENSE, QUERY_TOOL
from rankwise.results.comparability import MEANS, UNNAMED, find_bases, keep_alike
from rankwise.results.result_table import ResultTable, keep_one_per_cell, separate_versions_of
from rankwise.results.store.database_file import is_store
from rankwise.results.store_summary import condense_store
from rankwise.tables.notebook import Rows, Tabular

Place = tuple[str, str, str, str]
"""Method, data set, measure and convention."""


@dataclass(frozen=True)
class FrontSurvival:
    """The Pareto front of published results and that of here, by all results or the shared ones."""

    of: Literal["all results", "shared results"]
    published: tuple[str, ...]
    here: tuple[str, ...]

    @property
    def survivors(self) -> tuple[str, ...]:
        """Methods on both fronts."""
        return tuple(name for name in self.published if name in self.here)


@dataclass(frozen=True)
class PublishedAgainstHere(Tabular):
    """How published results differ from those of one protocol.

    `origins` compare results of a method's own study with those of others: own ones that are
    further above are optimistic. `kendall` is τ_b between the winning numbers of the methods by
    published and by own results, over the shared ones. `remarks` say what could not be compared.
    """

    differences: tuple[PublishedDifference, ...]
    methods: tuple[DifferenceGroup, ...]
    datasets: tuple[DifferenceGroup, ...]
    origins: tuple[DifferenceGroup, ...]
    fronts: tuple[FrontSurvival, ...]
    kendall: float | None
    own_less_others: DifferenceGroup | None = None
    """Where both published one, what a method's own study prints less what others do."""
    remarks: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.differences)

    def __iter__(self) -> Iterator[PublishedDifference]:
        return iter(self.differences)

    def __repr__(self) -> str:
        mean = float(np.mean([one.difference for one in self.differences]))
        return (
            f"PublishedAgainstHere({len(self)} results of {len(self.methods)} methods, published "
            f"{mean:+.4f} against here)"
        )

    def describe(self) -> list[str]:
        """What the figures say, in sentences."""
        higher = sum(one.difference > 0 for one in self.differences)
        said = [f"{higher} of {len(self)} published results are higher than here"]
        known = {one.name: one for one in self.origins}
        if "own" in known and "others" in known:
            said.append(
                f"own studies print {known['own'].mean:+.4f} against here, others "
                f"{known['others'].mean:+.4f}"
            )
        if self.own_less_others is not None:
            group = self.own_less_others
            said.append(
                f"where both published the same, {group.results} times, own studies print "
                f"{group.mean:+.4f} against others"
            )
        for front in self.fronts:
            kept = ", ".join(front.survivors) or "none"
            said.append(
                f"of {len(front.published)} methods on the published front, by {front.of}, on the "
                f"front here too: {kept}"
            )
        if self.kendall is not None:
            said.append(
                f"Kendall's τ between winning numbers, published and here: {self.kendall:.2f}"
            )
        return said

    def _table(self) -> Rows:
        columns = ("method", "dataset", "measure", "published", "here", "difference", "origin",
                   "source")  # fmt: skip
        return columns, (tuple(getattr(one, name) for name in columns) for one in self.differences)


def compare_published(
    here: Results = DENSE,
    published: Results = DEFAULT_TABLE,
    *,
    measures: str | Sequence[str] = (),
    credible: bool = False,
) -> PublishedAgainstHere:
    """Published results less those of the same methods under one protocol.

    `here` is a dense table, its folder or a store; `published` any results, by default those that
    Tax, Bockting and Hiemstra (2015) collected, with `credible` those without a mark. Compared are
    results of the same method, data set, version, measure and convention over all folds: of tools
    that differ, or are not known, nothing is said but that they were left out.
    """
    wanted = {result_name(str(one)) for one in measure_list(measures) or ()}
    theirs = choose_results(load_results(published, alone=False), credible=credible)
    ours = _load_here(here)
    if wanted:
        ours, theirs = (table.where(measure=wanted) for table in (ours, theirs))
    ours, theirs = separate_versions_of(ours, theirs)
    own = _index(ours)
    rows, reasons = _match(theirs, ours, own)
    if not rows:
        raise RankwiseError(
            "published results are compared with those of the same method, data set, measure and "
            f"convention here, found none{''.join(f'; {one}' for one in reasons)}"
        )
    shared = theirs.take(np.array([row for row, _ in rows], dtype=np.int64))
    beside = ours.take(np.array([row for _, row in rows], dtype=np.int64))
    differences = tuple(
        PublishedDifference(
            method, dataset, measure, value, float(ours.value[row]), source,
            find_origin(method, source),
        )
        for method, dataset, measure, value, source, (_, row) in zip(
            shared.method, shared.dataset_names, shared.measure, shared.value.tolist(),
            shared.source, rows, strict=True,
        )
    )  # fmt: skip
    whole = _rank(keep_alike(theirs)), _rank(_keep_own_tool(ours))
    matched = _rank(shared), _rank(beside)
    return PublishedAgainstHere(
        differences,
        group_differences(differences, lambda one: one.method),
        group_differences(differences, lambda one: one.dataset),
        group_differences(differences, lambda one: one.origin, ORIGINS),
        (*_find_fronts("all results", *whole), *_find_fronts("shared results", *matched)),
        _correlate(*matched),
        pair_origins(differences),
        (*theirs.remarks, *reasons),
    )


def _load_here(here: Results) -> ResultTable:
    dense = find_dense(here)
    if dense is None and isinstance(here, str | Path) and is_store(here):
        dense = condense_store(here)
    return load_results(here) if dense is None else dense.results


def _index(table: ResultTable) -> dict[Place, int]:
    """The row of each place; of two tools with one convention that of the data set's own."""
    found: dict[Place, int] = {}
    for row, (place, folds) in enumerate(_list_places(table)):
        if folds == MEANS and (place not in found or table.tool[row] != QUERY_TOOL):
            found[place] = row
    return found


def _list_places(table: ResultTable) -> Iterator[tuple[Place, str]]:
    cells = zip(table.method, table.dataset_names, table.measure, strict=True)
    for cell, basis in zip(cells, find_bases(table), strict=True):
        yield (*cell, basis.convention), basis.folds


def _match(
    theirs: ResultTable, ours: ResultTable, own: dict[Place, int]
) -> tuple[list[tuple[int, int]], list[str]]:
    """Rows of both that can be compared, and how many of theirs cannot, by the reason."""
    methods, datasets = set(ours.method), set(ours.dataset_names)
    cells = {place[:3] for place in own}
    rows: list[tuple[int, int]] = []
    left_out: Counter[str] = Counter()
    for row, (place, folds) in enumerate(_list_places(theirs)):
        if place[1] not in datasets:
            left_out["on data sets that were not run here"] += 1
        elif place[0] not in methods:
            left_out["of methods that were not run here"] += 1
        elif place[:3] not in cells:
            left_out["in measures or of methods without a mean there"] += 1
        elif folds != MEANS:
            left_out["of single folds"] += 1
        elif place[3] == UNNAMED or place not in own:
            left_out["by another convention than any tool here, or by an unknown one"] += 1
        else:
            rows.append((row, own[place]))
    return rows, [
        f"left out: {count:,} published results {reason}" for reason, count in left_out.items()
    ]


def _keep_own_tool(table: ResultTable) -> ResultTable:
    """One row a cell: of the data set's own tool, else by the definition."""
    own = {cell for cell, tool in _list_cells(table) if tool != QUERY_TOOL}
    kept = [tool != QUERY_TOOL or cell not in own for cell, tool in _list_cells(table)]
    return table.take(np.array(kept, dtype=bool))


def _list_cells(table: ResultTable) -> Iterator[tuple[Cell, str | None]]:
    names = (table.method, table.dataset_names, table.measure, table.tool)
    for method, dataset, measure, tool in zip(*names, strict=True):
        yield (method, dataset, measure), tool


def _rank(table: ResultTable) -> Comparison | None:
    """The comparison of a table, of several values in one cell by their mean; None of no rivals."""
    without_tools = replace(table, tool=np.full(len(table), None, dtype=object))
    try:
        return compare_table(keep_one_per_cell(without_tools, "mean"))
    except RankwiseError:
        return None


def _find_fronts(
    of: Literal["all results", "shared results"],
    published: Comparison | None,
    here: Comparison | None,
) -> Iterator[FrontSurvival]:
    if published is not None and here is not None:
        yield FrontSurvival(of, published.front(), here.front())


def _correlate(published: Comparison | None, here: Comparison | None) -> float | None:
    if published is None or here is None:
        return None
    names = [name for name in published.by_method if name in here.by_method]
    if len(names) < 3:
        return None
    both = [[one.by_method[name].nwn for name in names] for one in (published, here)]
    return kendall_tau_b(np.array(both[0]), np.array(both[1]))
