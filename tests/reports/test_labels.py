from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankwise.reports.label_placement import LabelPlacement, place_labels

FRAME = (250.0, 180.0)
RADIUS = 2.6

places = st.tuples(st.floats(3, FRAME[0] - 3), st.floats(3, FRAME[1] - 3))
sizes = st.tuples(st.floats(10, 60), st.floats(6, 9))


def placed(
    anchors: list[tuple[float, float]], size: tuple[float, float] = (40, 8)
) -> LabelPlacement:
    marks = np.zeros((0, 2))
    every = np.tile(np.array(size, dtype=float), (len(anchors), 1))
    return place_labels(np.array(anchors, dtype=float), every, marks, radius=RADIUS, frame=FRAME)


def shared_area(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Area common to two rectangles (centre x, centre y, width, height)."""
    sides = [
        min(a[i] + a[i + 2] / 2, b[i] + b[i + 2] / 2)
        - max(a[i] - a[i + 2] / 2, b[i] - b[i + 2] / 2)
        for i in (0, 1)
    ]
    return max(sides[0], 0.0) * max(sides[1], 0.0)


@settings(max_examples=25)
@given(st.lists(st.tuples(places, sizes), min_size=1, max_size=12), st.lists(places, max_size=30))
def test_labels_stay_in_the_frame_and_off_each_other_and_off_labelled_marks(
    labels: list[tuple[tuple[float, float], tuple[float, float]]],
    others: list[tuple[float, float]],
) -> None:
    anchors = np.array([place for place, _ in labels])
    extent = np.array([size for _, size in labels])
    marks = np.array(others, dtype=float).reshape(-1, 2)
    placement = place_labels(anchors, extent, marks, radius=RADIUS, frame=FRAME)
    boxes = np.hstack([placement.centres, extent])
    # Twelve labels of at most 540 square points always find room in 45,000.
    assert not np.isnan(boxes).any()
    assert (placement.centres >= extent / 2).all()
    assert (placement.centres <= np.array(FRAME) - extent / 2).all()
    squares = np.hstack([anchors, np.full((len(anchors), 2), 2 * RADIUS)])
    for i, box in enumerate(boxes):
        assert all(shared_area(box, other) < 1e-9 for other in boxes[i + 1 :])
        assert all(shared_area(box, square) < 1e-9 for square in squares)


def test_a_lonely_label_stands_right_of_its_mark() -> None:
    placement = placed([(100.0, 90.0)])
    assert placement.centres[0, 1] == 90.0
    gap = placement.centres[0, 0] - 20 - 100
    assert RADIUS <= gap <= 2 * RADIUS


def test_at_the_right_edge_the_label_turns_to_another_side() -> None:
    placement = placed([(FRAME[0] - 4, 90.0)])
    assert placement.centres[0, 0] + 20 <= FRAME[0]


def test_a_label_avoids_covering_an_unlabelled_mark() -> None:
    mark = np.array([[125.0, 90.0]])
    anchor, size = np.array([[100.0, 90.0]]), np.array([[40.0, 8.0]])
    centre = place_labels(anchor, size, mark, radius=RADIUS, frame=FRAME).centres[0]
    assert shared_area(np.array([*centre, 40, 8]), np.array([125, 90, 5.2, 5.2])) == 0


def test_a_label_larger_than_the_frame_has_no_place() -> None:
    assert np.isnan(placed([(100.0, 90.0)], (400.0, 8.0)).centres).all()


def test_the_same_input_gives_the_same_places() -> None:
    anchors = [(100.0 + 3 * i, 90.0 - 2 * i) for i in range(8)]
    assert np.array_equal(placed(anchors).centres, placed(anchors).centres)
