from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from rankwise.comparison.bagplot import (
    Polygon,
    Vertex,
    centroid,
    clipped,
    contains,
    hull,
    magnified,
    reach,
)

coordinates = st.integers(-5, 5).map(Fraction)
vertices = st.tuples(coordinates, coordinates)
point_sets = st.lists(vertices, min_size=1, max_size=12)
lines = st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-4, 4)).filter(
    lambda line: line[:2] != (0, 0)
)


def at(x: float, y: float) -> Vertex:
    return Fraction(x), Fraction(y)


SQUARE: Polygon = (at(0, 0), at(2, 0), at(2, 2), at(0, 2))


def test_clipping_a_square_at_its_diagonal_leaves_a_triangle() -> None:
    assert set(clipped(SQUARE, [(1, -1, 0)])) == {at(0, 0), at(2, 0), at(2, 2)}


def test_thin_parts_survive_clipping() -> None:
    assert set(clipped(SQUARE, [(-1, 0, 0)])) == {at(0, 0), at(0, 2)}
    assert clipped(SQUARE, [(-1, -1, 0)]) == (at(0, 0),)
    assert set(clipped(SQUARE, [(1, -1, 0), (-1, 1, 0)])) == {at(0, 0), at(2, 2)}
    assert clipped(SQUARE, [(1, -1, 0), (-1, 1, 0), (1, 1, -2), (-1, -1, 2)]) == (at(1, 1),)
    assert clipped(SQUARE, [(-1, 0, -1)]) == ()


@given(point_sets, st.lists(lines, max_size=4), vertices)
def test_a_place_is_in_the_clipped_part_when_it_is_in_all(
    points: list[Vertex], cuts: list[tuple[int, int, int]], place: Vertex
) -> None:
    whole = hull(points)
    part = clipped(whole, cuts)
    inside = contains(whole, place) and all(
        a * place[0] + b * place[1] + c >= 0 for a, b, c in cuts
    )
    assert inside == (bool(part) and contains(part, place))


@given(point_sets)
def test_a_hull_holds_its_points_and_its_centroid(points: list[Vertex]) -> None:
    found = hull(points)
    assert set(found) <= set(points)
    assert all(contains(found, point) for point in points)
    assert contains(found, centroid(found))


def test_centroids() -> None:
    assert centroid(SQUARE) == at(1, 1)
    assert centroid((at(0, 0), at(3, 0), at(0, 3))) == at(1, 1)
    assert centroid((at(0, 0), at(1, 4))) == at(1 / 2, 2)
    assert centroid((at(7, 5),)) == at(7, 5)


@given(point_sets, vertices)
def test_reach_ends_on_the_border(points: list[Vertex], towards: Vertex) -> None:
    shape = hull(points)
    inside = centroid(shape)
    if inside == towards:
        return
    far = reach(shape, inside, towards)
    further = far + Fraction(1, 10**6)
    end, beyond = (
        (inside[0] + t * (towards[0] - inside[0]), inside[1] + t * (towards[1] - inside[1]))
        for t in (far, further)
    )
    assert contains(shape, end)
    assert not contains(shape, beyond)


def test_magnifying_moves_vertices_away_from_the_centre() -> None:
    assert magnified((at(1, 0), at(0, 1)), at(0, 0), 3) == (at(3, 0), at(0, 3))
