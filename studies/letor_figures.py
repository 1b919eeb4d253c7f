"""Figures 4 and 5 of LETOR 3.0 (Qin, Liu, Xu and Li 2010): winning numbers of baselines.

    rankwise bench letor-baselines --store baselines.sqlite
    python studies/letor_figures.py baselines.sqlite -o figures

The paper draws them over seven data sets and prints no number. Here they are counted over the
data sets that methods were run on, beside what the official results give over the same data sets
and rivals (`rankwise.experiments.summary.count_table_wins`). The page is docs/reports.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import rankwise as rw
from rankwise.comparison.method_ranking import Comparison
from rankwise.errors import RankwiseError
from rankwise.experiments.summary import Wins, count_table_wins
from rankwise.files import make_folder
from rankwise.measures.measure import sort_measures
from rankwise.reports.drawing.renderer import save
from rankwise.reports.figures import Axis, BarSeries, GroupedBars
from rankwise.reports.ranking_figures import RUN_HERE
from rankwise.results.result_table import ResultTable
from rankwise.tables.displayed_names import shown

LEAST = 2
MOST_METHODS = 10
_FIGURES = (
    (4, ("NDCG",), "NDCG"),
    (5, ("P", "MAP"), "precision and MAP"),
)


def make_letor_figures(comparison: Comparison) -> tuple[GroupedBars, ...]:
    """Both figures of the methods run here; none for fewer than two methods or data sets."""
    table = comparison.table.where(source=lambda one: bool(one) and one.startswith(RUN_HERE))
    if len(table.methods()) < LEAST or len(table.datasets()) < LEAST:
        return ()
    table = table.where(method=_choose_methods(table))
    found = (_draw(table, *figure) for figure in _FIGURES)
    return tuple(figure for figure in found if figure is not None)


def _choose_methods(table: ResultTable) -> list[str]:
    """The methods with published counts, or all where there are none, those that win most first."""
    counted = [one for measure in table.measures() for one in count_table_wins(table, measure)]
    printed = {one.method for one in counted if one.published is not None}
    wins: dict[str, int] = {}
    for one in counted:
        if len(printed) < LEAST or one.method in printed:
            wins[one.method] = wins.get(one.method, 0) + one.here
    return sorted(wins, key=lambda name: (-wins[name], name))[:MOST_METHODS]


def _draw(
    table: ResultTable, number: int, families: Sequence[str], named: str
) -> GroupedBars | None:
    measures = [one for one in sort_measures(table.measures()) if one.partition("@")[0] in families]
    counts = {one: {won.method: won for won in count_table_wins(table, one)} for one in measures}
    measures = [one for one in measures if counts[one]]
    if not measures:
        return None
    series = tuple(
        BarSeries(
            name,
            tuple(_count_here(counts[one].get(name)) for one in measures),
            tuple(_count_published(counts[one].get(name)) for one in measures),
        )
        for name in table.methods()
    )
    most = max(
        (one for each in series for one in (*each.values, *each.published) if one), default=1.0
    )
    return GroupedBars(
        f"letor-figure-{number}",
        f"Winning numbers by {named}",
        f"How many rivals a method beats, summed over {_list_datasets(table)}: Figure {number} of "
        "LETOR 3.0 (Qin, Liu, Xu and Li 2010) for the methods run here. A line across a bar is the "
        "count that the official results give over the same data sets and rivals, where they "
        "are known.",
        Axis("Winning number", 0.0, float(most), whole=True),
        tuple(measures),
        series,
    )


def _count_here(won: Wins | None) -> float | None:
    """Over the rivals that were published too, where they were, so that the two compare."""
    if won is None:
        return None
    return float(won.here if won.shared is None else won.shared)


def _count_published(won: Wins | None) -> float | None:
    return None if won is None or won.published is None else float(won.published)


def _list_datasets(table: ResultTable) -> str:
    names = [shown(name) for name in table.display_names().values()]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def main(argv: Sequence[str] | None = None) -> None:
    """Draw both figures of the methods that a store holds."""
    parser = argparse.ArgumentParser(description="Figures 4 and 5 of LETOR 3.0, for own runs.")
    parser.add_argument("results", nargs="+", help="stores, or tables of results")
    parser.add_argument("-o", "--output", type=Path, required=True, help="a folder")
    given = parser.parse_args(argv)
    figures = make_letor_figures(rw.compare(*given.results))
    if not figures:
        raise RankwiseError(
            f"there must be {LEAST} methods and {LEAST} data sets that were run here"
        )
    for figure in figures:
        for path in save(figure, make_folder(given.output), ("png", "svg")):
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
