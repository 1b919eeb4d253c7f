"""Figures 1-5 of Tax, Bockting and Hiemstra (2015), drawn from the printed Table B.6.

The table is taken as printed, with its misprints; none of them touches a front. The fronts follow
from weak dominance, as the paper's lists do, though those leave out some methods on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankwise.comparison.pareto import Certainty, count_dominators
from rankwise.reports.figures import FRONT, OTHER, RANK_2, PlottedPoint, Scatter
from rankwise.reports.planes import BASELINES, make_plane
from rankwise.results.published.published_tables import read_table_b6

MEASURES = {"NDCG@3": "ndcg3", "NDCG@5": "ndcg5", "NDCG@10": "ndcg10", "MAP": "map"}
SOURCE = "Tax, Bockting and Hiemstra (2015), Table B.6"


def make_published_planes() -> tuple[Scatter, ...]:
    """The five figures of the 87 methods, in the paper's order."""
    single = [_measure_figure(number, name) for number, name in enumerate(MEASURES, start=1)]
    return (*single, _cross_figure())


def _measure_figure(number: int, measure: str) -> Scatter:
    column = MEASURES[measure]
    points = [
        PlottedPoint(
            row["method"],
            float(row[f"{column}_ds"]),
            float(row[f"{column}_nwn"]),
            detail=f"NWN {row[f'{column}_nwn']:.4f}, {row[f'{column}_ds']} data sets",
        )
        for row in read_table_b6()
        if row[f"{column}_ds"] is not None
    ]
    return _figure(number, points, "datasets", measure)


def _cross_figure() -> Scatter:
    points = [
        PlottedPoint(
            row["method"],
            float(row["cross_iwn"]),
            float(row["cross_nwn"]),
            detail=f"NWN {row['cross_nwn']:.4f}, {row['cross_wn']} of {row['cross_iwn']} wins",
        )
        for row in read_table_b6()
    ]
    return _figure(5, points, "iwn", None)


def _figure(
    number: int, points: Sequence[PlottedPoint], certainty: Certainty, measure: str | None
) -> Scatter:
    counts = count_dominators([(point.x, point.y) for point in points], "weak")
    marked = [_marked(point, count) for point, count in zip(points, counts, strict=True)]
    marked.sort(key=lambda point: (-point.y, -point.x, point.name))
    title = f"Figure {number} of Tax et al. (2015): {measure or 'across measures'}"
    figure = make_plane(f"tax2015-figure-{number}", title, marked, certainty, "weak", measure)
    return replace(figure, caption=f"{figure.caption} Source: {SOURCE}.")


def _marked(point: PlottedPoint, dominated_by: int) -> PlottedPoint:
    front = {0: FRONT, 1: RANK_2}.get(dominated_by, OTHER)
    return replace(point, front=front, labelled=front != OTHER or point.name in BASELINES)
