"""Published against here as a figure and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.comparison.difference_groups import DifferenceGroup
from rankwise.comparison.published_differences import PublishedAgainstHere
from rankwise.files import make_folder
from rankwise.reports.figures import OTHER, Axis, Bar, Bars
from rankwise.tables.table import Table


def draw_differences(
    found: PublishedAgainstHere, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the figure into a folder; the files that were written."""
    from rankwise.reports.drawing.renderer import save

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
