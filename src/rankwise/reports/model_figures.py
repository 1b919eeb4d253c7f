"""Figures of models: what explains them, their features along a path, and their cost.

The explanation of a model shows what counts, how the score depends, and why A is above B. A path
shows weights, features kept and validation along one parameter. A recommendation shows how accurate
methods are against how long they take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from rankwise.comparison.winning_numbers import find_front
from rankwise.experiments.feature_studies import FeaturePath, PathPoint
from rankwise.experiments.recommending.recommendation import Recommendation, RecommendedMethod
from rankwise.files import make_folder, plain_name
from rankwise.models import ModelImportance, OrderExplanation, PartialDependence
from rankwise.reports.figures import (
    FRONT,
    OTHER,
    Axis,
    Bar,
    Bars,
    Figure,
    Lines,
    PlottedLine,
    PlottedPoint,
    Scatter,
)

_MOST_BARS = 20
Explained: TypeAlias = ModelImportance | OrderExplanation | PartialDependence


def draw_explanation(
    found: Explained, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the figure of an explanation into a folder; the files that were written."""
    from rankwise.reports.drawing.renderer import save

    return save(explanation_figure(found), make_folder(folder), formats)


def explanation_figure(found: Explained) -> Figure:
    """The figure as data."""
    if isinstance(found, ModelImportance):
        return _make_importance_bars(found)
    if isinstance(found, OrderExplanation):
        return _make_order_bars(found)
    return _make_dependence_lines(found)


def _make_importance_bars(found: ModelImportance) -> Bars:
    bars = tuple(
        Bar(name, value, *_from_zero(value)) for name, value in list(found.features.items())
    )[:_MOST_BARS]
    what = f"loss of {found.measure}" if found.measure else f"importance by {found.by}"
    return Bars(
        "model-importance",
        "What counts in the model",
        f"The features that count most, by {found.by}.",
        _axis_with_zero(what, [bar.value for bar in bars]),
        bars,
    )


def _make_order_bars(found: OrderExplanation) -> Bars:
    """Features that speak for the upper document are filled, those against it hollow."""
    counted = [one for one in found.contributions if one.contribution != 0.0][:_MOST_BARS]
    bars = tuple(
        Bar(
            one.feature,
            one.contribution,
            *_from_zero(one.contribution),
            front=FRONT if one.contribution > 0.0 else OTHER,
            detail=f"{one.above:g} against {one.below:g}",
        )
        for one in counted
    )
    return Bars(
        "why-above",
        f"Why {found.above} is above {found.below} for query {found.query}",
        found.sentence,
        _axis_with_zero("contribution to the difference of scores", [bar.value for bar in bars]),
        bars,
    )


def _make_dependence_lines(found: PartialDependence) -> Scatter:
    """NULL has no place on the axis; the caption tells its score."""
    known = [one for one in found.points if one.value is not None]
    null = next((one.mean for one in found.points if one.value is None), None)
    points = tuple(
        PlottedPoint(f"{one.value:g}", one.value, one.mean, detail=f"{one.low:g} to {one.high:g}")
        for one in known
        if one.value is not None
    )
    places = [point.x for point in points] or [0.0]
    means = [point.y for point in points] or [0.0]
    missing = "" if null is None else f" Where it is NULL the mean score is {null:.4g}."
    return Scatter(
        f"dependence-{plain_name(found.feature)}",
        f"How the score depends on {found.feature}",
        f"The mean score of {found.documents} documents with this value of the feature, less the "
        f"mean over all values.{missing}",
        Axis(found.feature, min(places), max(places)),
        Axis("mean score", min(means), max(means)),
        points,
    )


def _from_zero(value: float) -> tuple[float, float]:
    return min(0.0, value), max(0.0, value)


def _axis_with_zero(title: str, values: Sequence[float]) -> Axis:
    return Axis(title, min(0.0, *values, 0.0), max(0.0, *values, 0.0))


Place = tuple[float, float]

MOST_NAMED = 12


def draw_path(
    found: FeaturePath, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the figures into a folder; the files that were written."""
    from rankwise.reports.drawing.renderer import save

    home = make_folder(folder)
    return [path for figure in make_path_figures(found) for path in save(figure, home, formats)]


def make_path_figures(found: FeaturePath) -> list[Lines]:
    """The figures as data: weights in the mean of the folds, the others fold by fold."""
    figures = [_draw_weights(found), _draw_kept(found)]
    return [*figures, _draw_validation(found)] if found.chosen else figures


def _draw_weights(found: FeaturePath) -> Lines:
    sizes = {
        number: max(abs(y) for _, y in _average_weights(found, number)) for number in found.features
    }
    named = sorted(sizes, key=lambda number: -sizes[number])[:MOST_NAMED]
    lines = tuple(
        PlottedLine(found.name_feature(number), _average_weights(found, number), number in named)
        for number in found.features
    )
    return _make_lines(
        found,
        "path-weights",
        "Weights of the features",
        "The weight of every feature that ever has one, mean over the folds; the "
        f"{min(MOST_NAMED, len(named))} that grow largest are named.",
        "weight",
        lines,
    )


def _draw_kept(found: FeaturePath) -> Lines:
    return _make_lines(
        found,
        "path-features-kept",
        "Features kept",
        "How many features have a weight, fold by fold.",
        "features kept",
        _by_fold(found, lambda point: float(point.features_kept)),
        whole=True,
    )


def _draw_validation(found: FeaturePath) -> Lines:
    return _make_lines(
        found,
        "path-validation",
        f"{found.measure} on validation data",
        f"{found.measure} on the validation part of each fold. A value must be chosen for each "
        "fold alone: the validation parts together are the test data.",
        f"{found.measure} on validation",
        _by_fold(found, lambda point: point.validation),
    )


def _by_fold(
    found: FeaturePath, height: Callable[[PathPoint], float | None]
) -> tuple[PlottedLine, ...]:
    """One line a fold, through the points that have a height."""
    place = _find_scale(found)
    return tuple(
        PlottedLine(
            f"fold {fold}",
            tuple(
                (place(point.value), y)
                for point in found.points
                if point.fold == fold and (y := height(point)) is not None
            ),
            True,
        )
        for fold in found.folds
    )


def _average_weights(found: FeaturePath, number: int) -> tuple[Place, ...]:
    place = _find_scale(found)
    return tuple(
        (place(value), sum(weights) / len(weights))
        for value in found.values
        for weights in [[one.weights[number - 1] for one in found.points if one.value == value]]
    )


def _make_lines(
    found: FeaturePath,
    name: str,
    title: str,
    caption: str,
    y_title: str,
    lines: tuple[PlottedLine, ...],
    whole: bool = False,
) -> Lines:
    xs = [_find_scale(found)(value) for value in found.values]
    ys = [y for line in lines for _, y in line.points] or [0.0]
    x_title = f"log10 of {found.parameter}" if _is_logarithmic(found) else found.parameter
    return Lines(
        name,
        f"{title}: {found.ranker}",
        caption,
        Axis(x_title, min(xs), max(xs)),
        Axis(y_title, min(ys), max(ys), whole),
        tuple(PlottedLine(one.name, tuple(sorted(one.points)), one.labelled) for one in lines),
    )


def _is_logarithmic(found: FeaturePath) -> bool:
    """Whether values are all above 0 and far apart."""
    return min(found.values) > 0.0 and max(found.values) >= 10.0 * min(found.values)


def _find_scale(found: FeaturePath) -> Callable[[float], float]:
    return math.log10 if _is_logarithmic(found) else float


FAMILIAR = ("lambdamart", "ridge-regression", "ranksvm-primal", "random-forest")
"""Rankers that readers know and look for, whether or not they are on the front."""


def draw_recommendation(
    found: Recommendation, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the figure into a folder; the files that were written."""
    from rankwise.reports.drawing.renderer import save

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
        _make_cost_point(one, x, y, on_front)
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
        Axis("Tunings in an hour, power of ten", *_widen_axis(speed.tolist())),
        Axis(f"Share of the best {found.measure}, percent", *_widen_axis(share.tolist())),
        points,
    )


def _make_cost_point(one: RecommendedMethod, x: float, y: float, on_front: bool) -> PlottedPoint:
    return PlottedPoint(
        one.method, x, y, FRONT if on_front else OTHER, on_front or one.ranker in FAMILIAR,
        f"{y:.1f} % of the best, {one.seconds:.3g} s",
    )  # fmt: skip


def _widen_axis(values: list[float]) -> tuple[float, float]:
    """The range of an axis, with room around what is on it."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room
