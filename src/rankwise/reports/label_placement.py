"""Label placement: names beside their marks, never over each other and never outside the frame.

Greedy with repair: each label takes the cheapest free place among those around its mark, nearest
first; then every label is lifted and placed again while the others stay, which undoes most of the
harm an early choice did. Covering an unlabelled mark or crossing a leader costs, overlapping a
label or a labelled mark is not allowed. Within a cloud of marks it no longer matters how many are
covered: a label on the cloud beside its mark says more than one far away. A place at which another
mark is as near as the label's own costs too, as a reader would take the name for the other's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DIRECTIONS = 24
REPAIRS = 3
COVERED_MARK = 14.0
AMBIGUOUS = 10.0
MOST_COVERED = 4
CROSSED_LEADER = 45.0
LEADER_STEPS = 16
SHORT_LIST = 100


@dataclass(frozen=True)
class LabelPlacement:
    """Centres of the labels, and the distances from their marks; NaN where no place was free."""

    centres: Array
    distances: Array


def place_labels(
    anchors: Array,
    sizes: Array,
    marks: Array,
    *,
    radius: float,
    frame: tuple[float, float],
    lines: Array | None = None,
) -> LabelPlacement:
    """Find a centre for each label of `sizes (n, 2)` beside its mark in `anchors (n, 2)`.

    `marks (m, 2)` are the marks without labels and `lines (l, 2)` points of lines, both better not
    covered, `radius` the radius of a mark, `frame` the width and height in which every label must
    lie wholly; all in the same unit.
    """
    others = _Others(marks, np.zeros((0, 2)) if lines is None else lines)
    count = len(anchors)
    centres = np.full((count, 2), np.nan)
    distances = np.full(count, np.nan)
    for _ in range(1 + REPAIRS):
        before = centres.copy()
        for label in range(count):
            centres[label] = np.nan
            found = _best_place(label, centres, anchors, sizes, others, radius, frame)
            centres[label], distances[label] = found[:2], found[2]
        if np.array_equal(before, centres, equal_nan=True):
            break
    return LabelPlacement(centres, distances)


class _Others(NamedTuple):
    """What labels keep off where they can: marks without labels, and points of lines."""

    marks: Array
    lines: Array


def _best_place(
    label: int,
    centres: Array,
    anchors: Array,
    sizes: Array,
    others: _Others,
    radius: float,
    frame: tuple[float, float],
) -> Array:
    """The cheapest free centre of one label and its distance from the mark, or NaN."""
    half = sizes[label] / 2
    places, distances = _around(anchors[label], sizes[label], radius, max(frame))
    inside = np.all((places >= half) & (places <= np.asarray(frame) - half), axis=1)
    places, distances = places[inside], distances[inside]
    standing = ~np.isnan(centres[:, 0])
    labels, halves = centres[standing], sizes[standing] / 2
    free = ~_overlap(places, half, labels, halves).any(axis=1)
    free &= ~_overlap(places, half, anchors, np.full((len(anchors), 2), radius)).any(axis=1)
    places, distances = places[free], distances[free]
    if len(places) == 0:
        return np.full(3, np.nan)
    hidden = np.concatenate([others.marks, others.lines])
    covered = _overlap(places, half, hidden, np.full((len(hidden), 2), radius)).sum(axis=1)
    cost = distances + COVERED_MARK * np.minimum(covered, MOST_COVERED)
    cost += AMBIGUOUS * _ambiguous(places, half, anchors[label], others.marks, anchors, radius)
    near = np.argsort(cost, kind="stable")[:SHORT_LIST]
    crossed = _crossings(places[near], half, anchors[label], labels, halves, anchors[standing])
    best = near[np.argmin(cost[near] + CROSSED_LEADER * crossed)]
    return np.append(places[best], distances[best])


def _around(anchor: Array, size: Array, radius: float, reach: float) -> tuple[Array, Array]:
    """Centres around a mark, right first, then up and down, in rings of growing radius."""
    steps = np.arange(DIRECTIONS)
    angles = np.where(steps % 2 == 0, steps, -steps - 1) * (np.pi / DIRECTIONS)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    square = directions / np.abs(directions).max(axis=1, keepdims=True)
    gaps = radius * 1.3 * np.concatenate([[1.0], np.geomspace(1.6, 1.3 * reach / radius, 40)])
    centres = anchor + square[None] * size / 2 + directions[None] * gaps[:, None, None]
    preference = np.linspace(0.0, 0.5 * radius, DIRECTIONS)
    costs = gaps[:, None] + preference[None]
    return centres.reshape(-1, 2), costs.reshape(-1)


def _ambiguous(
    places: Array, half: Array, anchor: Array, marks: Array, anchors: Array, radius: float
) -> NDArray[np.bool_]:
    """At which places a mark elsewhere is not clearly farther from the label than its own."""
    every = np.concatenate([marks, anchors])
    elsewhere = every[(np.abs(every - anchor) > 0.5 * radius).any(axis=1)]
    own = measure_gaps(places, half, anchor[None])[:, 0]
    near = _overlap(places, half + own[:, None] + radius, elsewhere, np.zeros((1, 2)))
    return np.asarray(near.any(axis=1))


def measure_gaps(places: Array, half: Array, marks: Array) -> Array:
    """How far each mark is from the edge of a label at each place: 0 where it is covered."""
    apart = np.abs(places[:, None] - marks[None]) - half
    return np.asarray(np.linalg.norm(np.maximum(apart, 0.0), axis=2))


def _overlap(places: Array, half: Array, centres: Array, halves: Array) -> NDArray[np.bool_]:
    """Which rectangles (places × centres) share area."""
    across, along = (
        np.abs(places[:, axis, None] - centres[:, axis]) < half[..., axis, None] + halves[:, axis]
        for axis in (0, 1)
    )
    return np.asarray(across & along)


def _crossings(
    places: Array, half: Array, anchor: Array, labels: Array, halves: Array, anchors: Array
) -> Array:
    """How often each place brings a leader and a label, or two leaders, into each other's way."""
    own = _along(anchor[None], places)
    others = _along(anchors, labels)
    nothing = np.zeros(2)
    over_labels = _overlap(own.reshape(-1, 2), nothing, labels, halves).reshape(*own.shape[:2], -1)
    over_leaders = _overlap(places, half, others.reshape(-1, 2), nothing[None])
    over_leaders = over_leaders.reshape(len(places), *others.shape[:2])
    leaders = _cross(anchor[None, None], places[:, None], anchors[None], labels[None])
    counted = over_labels.any(axis=1).sum(axis=1) + over_leaders.any(axis=2).sum(axis=1)
    return np.asarray(counted + leaders.sum(axis=1), dtype=np.float64)


def _along(starts: Array, ends: Array) -> Array:
    """Points on the way from each start to its end: an array (leaders, steps, 2)."""
    share = np.linspace(0.0, 1.0, LEADER_STEPS)[None, :, None]
    return np.asarray(starts[:, None] * (1 - share) + ends[:, None] * share)


def _cross(start: Array, end: Array, other_start: Array, other_end: Array) -> NDArray[np.bool_]:
    """Whether two segments cross properly."""
    first = _turn(start, end, other_start) * _turn(start, end, other_end) < 0
    second = _turn(other_start, other_end, start) * _turn(other_start, other_end, end) < 0
    return np.asarray(first & second)


def _turn(start: Array, end: Array, target: Array) -> Array:
    """Twice the signed area of the triangle: positive where `target` lies to the left."""
    along, across = end - start, target - start
    return np.asarray(along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0])
