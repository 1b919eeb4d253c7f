"""Figures of how sure a ranking is: bagplots of leaving one data set out, intervals, ranks."""

from __future__ import annotations

from rankwise.comparison.bagplot import DatasetBagplot, dataset_bagplots
from rankwise.comparison.ranking import Comparison
from rankwise.reports.figures import Bagplot, Bagplots, LeftOut
from rankwise.reports.grids import best_tested

MOST_PANELS = 12


def bagplots(comparison: Comparison) -> Bagplots | None:
    """The methods on the front with each data set left out in turn (Figure 6).

    None where no method on the front has results on more than one data set.
    """
    front = set(comparison.front())
    chosen = [name for name in best_tested(comparison, MOST_PANELS) if name in front]
    short = comparison.table.display_names()
    panels = tuple(_panel(one, short) for one in dataset_bagplots(comparison, chosen))
    if not panels:
        return None
    return Bagplots(
        "leave-one-data-set-out",
        "Without one data set",
        "Where the methods on the Pareto front stand when one of their data sets is left out, as "
        "bagplots: + is the depth median, the dark bag holds half of the points, the light loop "
        "the rest but the outliers, which lie outside the bag magnified three times.",
        "Ideal Winning Number",
        "Normalized Winning Number",
        panels,
    )


def _panel(one: DatasetBagplot, short: dict[str, str]) -> Bagplot:
    outliers = set(one.bagplot.outliers)
    points = tuple(
        LeftOut(short[name], x, y, number in outliers)
        for number, (name, (x, y)) in enumerate(zip(one.left_out, one.bagplot.points, strict=True))
    )
    return Bagplot(one.method, points, one.bagplot.median, one.bagplot.bag, one.bagplot.loop)
