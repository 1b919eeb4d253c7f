"""The figures of a path as data, and lines drawn with matplotlib."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from rankwise.experiments.feature_studies import FeaturePath, PathPoint
from rankwise.reports.drawing.lines import _apart
from rankwise.reports.drawing.renderer import render
from rankwise.reports.figures import Axis, Lines, PlottedLine, encode_figure
from rankwise.reports.model_figures import MOST_NAMED, make_path_figures


def path(*, validation: bool = True, width: int = 3, values=(0.001, 0.01, 0.1)) -> FeaturePath:
    points = tuple(
        PathPoint(
            fold,
            value,
            width - place if place < width else 0,
            0.4 + fold / 100 + place / 1000 if validation else None,
            tuple((fold + number) * (number + place < width + 1) / 10 for number in range(width)),
        )
        for fold in (1, 2)
        for place, value in enumerate(values)
    )
    return FeaturePath("sparserank", "regularization", "MAP", points, ())


def test_weights_are_means_over_folds_along_the_logarithm() -> None:
    weights, kept, judged = make_path_figures(path())
    assert [figure.name for figure in (weights, kept, judged)] == [
        "path-weights", "path-features-kept", "path-validation",
    ]  # fmt: skip
    assert weights.x == Axis("log10 of regularization", math.log10(0.001), math.log10(0.1))
    expected = [(-3.0, (0.1 + 0.2) / 2), (-2.0, 0.15), (-1.0, 0.15)]
    assert np.array(weights.lines[0].points) == pytest.approx(np.array(expected))
    assert kept.y == Axis("features kept", 1.0, 3.0, whole=True)
    assert [line.name for line in judged.lines] == ["fold 1", "fold 2"]
    assert judged.lines[1].points[0] == pytest.approx((-3.0, 0.42))


def test_values_that_are_near_or_0_stand_as_they_are() -> None:
    assert make_path_figures(path(values=(0.0, 1.0)))[0].x == Axis("regularization", 0.0, 1.0)
    assert make_path_figures(path(values=(5.0, 2.0)))[0].x == Axis("regularization", 2.0, 5.0)


def test_lines_go_from_left_to_right_whatever_the_order_of_values() -> None:
    for figure in make_path_figures(path(values=(0.1, 0.001, 0.01))):
        for line in figure.lines:
            assert list(line.points) == sorted(line.points)


def test_only_the_largest_weights_are_named() -> None:
    lines = make_path_figures(path(width=20))[0].lines
    assert len(lines) == 20
    assert sum(line.labelled for line in lines) == MOST_NAMED


def test_without_validation_there_is_no_third_figure() -> None:
    assert len(make_path_figures(path(validation=False))) == 2


def test_figures_are_plain_data() -> None:
    for figure in make_path_figures(path(width=20)):
        encoded = encode_figure(figure)
        assert encoded["kind"] == "Lines"
        assert json.loads(json.dumps(encoded, allow_nan=False))["name"] == figure.name


def test_lines_are_drawn_the_same_twice() -> None:
    figure = make_path_figures(path(width=20))[0]
    drawn = render(figure, "svg")
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == render(figure, "svg")


def test_a_line_of_one_point_and_hostile_names_are_drawn() -> None:
    lines = (
        PlottedLine("$x^2$ </svg> " + "long " * 40, ((1.0, 0.0),), True),
        PlottedLine("", ((1.0, 0.0),)),
    )
    figure = Lines("c", "", "", Axis("x", 1.0, 1.0), Axis("y", 0.0, 0.0), lines)
    assert ElementTree.fromstring(render(figure, "svg")).tag.endswith("svg")


def test_names_of_lines_that_end_together_are_a_line_apart() -> None:
    placed = dict(_apart([0.5, 0.5, 0.99, 1.0], 0.1))
    heights = sorted(placed.values())
    assert all(later - earlier >= 0.1 - 1e-12 for earlier, later in pairwise(heights))
    assert heights[0] >= 0.0
    assert heights[-1] <= 1.0
