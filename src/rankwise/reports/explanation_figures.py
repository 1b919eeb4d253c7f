"""The figures of a model's explanation: what counts, how the score depends, why A is above B."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from rankwise.files import make_folder, plain_name
from rankwise.models import ModelImportance, OrderExplanation, PartialDependence
from rankwise.reports.figures import FRONT, OTHER, Axis, Bar, Bars, Figure, PlottedPoint, Scatter

_MOST_BARS = 20
Explained: TypeAlias = ModelImportance | OrderExplanation | PartialDependence


def draw_explanation(
    found: Explained, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the figure of an explanation into a folder; the files that were written."""
    from rankwise.reports.matplotlib_renderer import save

    return save(explanation_figure(found), make_folder(folder), formats)


def explanation_figure(found: Explained) -> Figure:
    """The figure as data."""
    if isinstance(found, ModelImportance):
        return _importance(found)
    if isinstance(found, OrderExplanation):
        return _order(found)
    return _dependence(found)


def _importance(found: ModelImportance) -> Bars:
    bars = tuple(
        Bar(name, value, *_from_zero(value)) for name, value in list(found.features.items())
    )[:_MOST_BARS]
    what = f"loss of {found.measure}" if found.measure else f"importance by {found.by}"
    return Bars(
        "model-importance",
        "What counts in the model",
        f"The features that count most, by {found.by}.",
        _axis(what, [bar.value for bar in bars]),
        bars,
    )


def _order(found: OrderExplanation) -> Bars:
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
        _axis("contribution to the difference of scores", [bar.value for bar in bars]),
        bars,
    )


def _dependence(found: PartialDependence) -> Scatter:
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


def _axis(title: str, values: Sequence[float]) -> Axis:
    return Axis(title, min(0.0, *values, 0.0), max(0.0, *values, 0.0))
