"""A recommendation as a figure: how accurate methods are against how long they take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rankwise.comparison.pareto import find_front
from rankwise.experiments.recommending.recommendation import Recommendation, RecommendedMethod
from rankwise.files import make_folder
from rankwise.reports.figures import FRONT, OTHER, Axis, PlottedPoint, Scatter

FAMILIAR = ("lambdamart", "ridge-regression", "ranksvm-primal", "random-forest")
"""Rankers that readers know and look for, whether or not they are on the front."""


def draw_recommendation(
    found: Recommendation, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the figure into a folder; the files that were written."""
    from rankwise.reports.matplotlib_renderer import save

    return save(make_cost_plane(found), make_folder(folder), formats)


def make_cost_plane(found: Recommendation) -> Scatter:
    """The mean share of the best value that methods reach, against how fast they are tuned.

    Speed is log10 of the tunings of this data in an hour, so that better is up and to the right,
    as on every other plane. Methods whose time is not known are left out.
    """
    timed = [one for one in found.methods if one.seconds]
    speed = np.array([math.log10(3600.0 / (one.seconds or 1.0)) for one in timed])
    share = np.array([100.0 * (1.0 - one.loss) for one in timed])
    front = find_front(speed, share, "weak")
    points = tuple(
        _make_point(one, x, y, on_front)
        for one, x, y, on_front in zip(
            timed, speed.tolist(), share.tolist(), front.tolist(), strict=True
        )
    )
    return Scatter(
        "accuracy-against-cost",
        "Accuracy against cost",
        f"Mean share of the best value in {found.measure} that each of {len(points)} methods "
        f"reaches on {len(found.datasets)} data sets, against how often it is tuned in an hour of "
        f"a processor on {found.data}. On the front is a method that no other beats in both.",
        Axis("Tunings in an hour, power of ten", *_widen(speed.tolist())),
        Axis(f"Share of the best {found.measure}, percent", *_widen(share.tolist())),
        points,
    )


def _make_point(one: RecommendedMethod, x: float, y: float, on_front: bool) -> PlottedPoint:
    return PlottedPoint(
        one.method, x, y, FRONT if on_front else OTHER, on_front or one.ranker in FAMILIAR,
        f"{y:.1f} % of the best, {one.seconds:.3g} s",
    )  # fmt: skip


def _widen(values: list[float]) -> tuple[float, float]:
    """The range of an axis, with room around what is on it."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room
