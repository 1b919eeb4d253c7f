"""Published against here: what papers print, less what the same method does under one protocol.

    python studies/published_against_here.py [HERE] [PUBLISHED] [--measures MAP,NDCG@10]
        [--credible] [--csv FILE] [-o FOLDER]

HERE is a dense table, its folder or a store, by default the shipped `rankwise_dense`; PUBLISHED any
results, by default those that Tax, Bockting and Hiemstra (2015) collected. Results of the same
method, data set and version, measure and convention over all folds are compared, nothing else; what
is left out is counted. With --csv every pair is written, with -o a figure is drawn. The pages are
docs/comparison.md and docs/findings/dense.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from rankwise.comparison.bias import ORIGINS, Origin, find_origin
from rankwise.comparison.comparing import (
    DEFAULT_TABLE,
    Results,
    choose_results,
    find_dense,
    load_results,
)
from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.rank_tests import kendall_tau_b
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, write_text
from rankwise.measures.measure import measure_list, result_name
from rankwise.native.distributions import student_quantile
from rankwise.reports.drawing.renderer import save
from rankwise.reports.figures import OTHER, Axis, Bar, Bars
from rankwise.results.benchmark_runs import DENSE, QUERY_TOOL
from rankwise.results.comparability import MEANS, UNNAMED, find_bases, keep_alike
from rankwise.results.result_table import ResultTable, keep_one_per_cell, separate_versions_of
from rankwise.results.store.database_file import is_store
from rankwise.results.store_summary import condense_store
from rankwise.tables import Table, format_csv
from rankwise.tables.terminal import Column, Look, lay_out

_ORIGINS = {"own": "its authors", "others": "others", "unclear": "both or not named"}

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
class PublishedAgainstHere:
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


def draw_differences(
    found: PublishedAgainstHere, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the figure into a folder; the files that were written."""
    return save(make_difference_bars(found), make_folder(folder), formats)


def make_difference_bars(found: PublishedAgainstHere) -> Bars:
    """The mean difference of every method, with its spread over data sets and measures."""
    bars = tuple(_make_bar(one) for one in found.methods)
    ends = [end for bar in bars for end in (bar.low, bar.high, bar.value) if end is not None]
    said = "; ".join(found.describe()[:2])
    return Bars(
        "published-against-here",
        "Published against here",
        "Mean of published results less those of the same method, data set, measure and convention "
        f"here, ± their standard deviation over data sets and measures. {said[:1].upper()}"
        f"{said[1:]}.",
        Axis("Published less here", min(0.0, *ends), max(0.0, *ends)),
        bars,
        reference=0.0,
        meanings=(),
    )


def make_difference_table(found: PublishedAgainstHere) -> Table:
    """Every published result beside the one here."""
    titles = {
        "method": "Method",
        "dataset": "Data set",
        "measure": "Measure",
        "published": "Published",
        "here": "Here",
        "difference": "Difference",
        "origin": "Published by",
    }
    rows = tuple(tuple(getattr(one, key) for key in titles) for one in found.differences)
    return Table(tuple(titles), tuple(titles.values()), rows)


def _make_bar(one: DifferenceGroup) -> Bar:
    low, high = (
        (None, None) if one.spread is None else (one.mean - one.spread, one.mean + one.spread)
    )
    detail = f"{one.mean:+.4f} over {one.results} results, {one.higher} of them published higher"
    return Bar(one.name, one.mean, low, high, OTHER, detail)


def print_differences(found: PublishedAgainstHere) -> None:
    """The means by method, by data set and by who published, and what they say."""
    for title, first, groups in (
        ("Published less here, by method", "Method", found.methods),
        ("Published less here, by data set", "Data set", found.datasets),
        ("Published less here, by who published it", "Published by", found.origins),
    ):
        rows = [
            [
                _ORIGINS.get(one.name, one.name),
                one.results,
                f"{one.mean:+.4f}",
                "" if one.spread is None else f"{one.spread:.4f}",
                one.higher,
            ]
            for one in groups
        ]
        columns = [first, "Results", "Mean", "Spread", "Higher"]
        _print_table(columns, rows, title)
    for sentence in found.describe():
        print(sentence)


def _print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], title: str) -> None:
    laid_out = [Column(name, place > 0, False) for place, name in enumerate(columns)]
    texts = [[str(cell) for cell in row] for row in rows]
    print("\n".join(lay_out(laid_out, texts, title, Look(100))))


def main(argv: Sequence[str] | None = None) -> None:
    """Compare own runs with published results, print what differs, and draw it."""
    parser = argparse.ArgumentParser(description="Published results against own runs.")
    parser.add_argument("here", nargs="?", default=DENSE)
    parser.add_argument("published", nargs="?", default=DEFAULT_TABLE)
    parser.add_argument("--measures", default="", help="only these")
    parser.add_argument("--credible", action="store_true", help="leave marked results out")
    parser.add_argument("--csv", type=Path, help="write every pair to this file")
    parser.add_argument("-o", "--output", type=Path, help="draw the figure into this folder")
    given = parser.parse_args(argv)
    found = compare_published(
        given.here, given.published, measures=given.measures, credible=given.credible
    )
    for remark in found.remarks:
        print(remark, file=sys.stderr)
    print_differences(found)
    if given.csv is not None:
        write_text(given.csv, format_csv(make_difference_table(found)))
    if given.output is not None:
        for path in draw_differences(found, given.output):
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
