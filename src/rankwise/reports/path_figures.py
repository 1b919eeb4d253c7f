"""The figures of a path: weights, features kept and validation along one parameter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from rankwise.experiments.feature_path import FeaturePath, PathPoint
from rankwise.files import make_folder
from rankwise.reports.figures import Axis, Lines, PlottedLine

Place = tuple[float, float]

MOST_NAMED = 12


def draw_path(
    found: FeaturePath, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the figures into a folder; the files that were written."""
    from rankwise.reports.matplotlib_renderer import save

    home = make_folder(folder)
    return [path for figure in make_path_figures(found) for path in save(figure, home, formats)]


def make_path_figures(found: FeaturePath) -> list[Lines]:
    """The figures as data: weights in the mean of the folds, the others fold by fold."""
    figures = [_draw_weights(found), _draw_kept(found)]
    return [*figures, _draw_validation(found)] if found.chosen else figures


def _draw_weights(found: FeaturePath) -> Lines:
    sizes = {number: max(abs(y) for _, y in _weights(found, number)) for number in found.features}
    named = sorted(sizes, key=lambda number: -sizes[number])[:MOST_NAMED]
    lines = tuple(
        PlottedLine(found.name_feature(number), _weights(found, number), number in named)
        for number in found.features
    )
    return _lines(
        found,
        "path-weights",
        "Weights of the features",
        "The weight of every feature that ever has one, mean over the folds; the "
        f"{min(MOST_NAMED, len(named))} that grow largest are named.",
        "weight",
        lines,
    )


def _draw_kept(found: FeaturePath) -> Lines:
    return _lines(
        found,
        "path-features-kept",
        "Features kept",
        "How many features have a weight, fold by fold.",
        "features kept",
        _by_fold(found, lambda point: float(point.features_kept)),
        whole=True,
    )


def _draw_validation(found: FeaturePath) -> Lines:
    return _lines(
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
    place = _scale(found)
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


def _weights(found: FeaturePath, number: int) -> tuple[Place, ...]:
    place = _scale(found)
    return tuple(
        (place(value), sum(weights) / len(weights))
        for value in found.values
        for weights in [[one.weights[number - 1] for one in found.points if one.value == value]]
    )


def _lines(
    found: FeaturePath,
    name: str,
    title: str,
    caption: str,
    y_title: str,
    lines: tuple[PlottedLine, ...],
    whole: bool = False,
) -> Lines:
    xs = [_scale(found)(value) for value in found.values]
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


def _scale(found: FeaturePath) -> Callable[[float], float]:
    return math.log10 if _is_logarithmic(found) else float
