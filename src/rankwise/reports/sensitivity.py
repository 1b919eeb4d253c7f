"""Figures of how sure a ranking is: one data set left out, bootstrap intervals, rank tests."""

from __future__ import annotations

from rankwise.comparison.bagplot import DatasetBagplot, make_dataset_bagplots
from rankwise.comparison.bootstrap import Bootstrap, BootstrapInterval
from rankwise.comparison.ranking import Comparison
from rankwise.reports.figures import Axis, BagplotFigure, Bagplots, Bar, Bars, LeftOut
from rankwise.reports.grids import choose_best_tested
from rankwise.reports.planes import find_front_number

MOST_PANELS = 12
MOST_BARS = 60


def make_bagplots(comparison: Comparison) -> Bagplots | None:
    """The methods on the front with each data set left out in turn (Figure 6).

    None where no method on the front has results on more than one data set.
    """
    front = set(comparison.front())
    chosen = [name for name in choose_best_tested(comparison, MOST_PANELS) if name in front]
    short = comparison.table.display_names()
    panels = tuple(_panel(one, short) for one in make_dataset_bagplots(comparison, chosen))
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


def make_interval_bars(comparison: Comparison, bootstrap: Bootstrap) -> Bars:
    """NWN with its bootstrap interval, best first; of a large table the best tested methods."""
    kept = set(choose_best_tested(comparison, MOST_BARS))
    part = f" The {len(kept)} best tested methods." if len(kept) < len(comparison.rows) else ""
    return Bars(
        "bootstrap-intervals",
        "How sure the ranking is",
        f"Normalized Winning Number with its {bootstrap.confidence:.0%} percentile interval over "
        f"{bootstrap.resamples:,} draws of the data sets with replacement. A method with one data "
        f"set has no interval: it cannot vary here, which is ignorance, not certainty.{part}",
        Axis("Normalized Winning Number", 0.0, 1.0),
        tuple(_bar(comparison, one) for one in bootstrap.intervals if one.method in kept),
    )


def _panel(one: DatasetBagplot, short: dict[str, str]) -> BagplotFigure:
    outliers = set(one.bagplot.outliers)
    points = tuple(
        LeftOut(short[name], x, y, number in outliers)
        for number, (name, (x, y)) in enumerate(zip(one.left_out, one.bagplot.points, strict=True))
    )
    return BagplotFigure(one.method, points, one.bagplot.median, one.bagplot.bag, one.bagplot.loop)


def _bar(comparison: Comparison, one: BootstrapInterval) -> Bar:
    known = one.lower is not None and one.upper is not None
    spread = f"{one.lower:.3f} to {one.upper:.3f}" if known else "one data set only"
    detail = f"NWN {one.nwn:.4f}, {spread}, on the front in {one.front_probability:.0%} of draws"
    front = find_front_number(comparison.by_method[one.method])
    return Bar(one.method, one.nwn, one.lower, one.upper, front, detail)
