from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import RankwiseError
from rankwise.models.scorers import trees as trees_file
from rankwise.models.scorers.trees import Trees

NAN = float("nan")


def stump(**changes) -> Trees:
    """One node: x_1 ≤ 0.5 gives 1, more gives 2; a second tree of one leaf adds 10."""
    arrays = {
        "columns": [1],
        "thresholds": [0.5],
        "missing": [0],
        "missing_left": [0],
        "left": [-1],
        "right": [-2],
        "gains": [3.0],
        "roots": [0, -3],
        "values": [1.0, 2.0, 10.0],
        "features": 2,
    }
    return Trees.from_json(arrays | changes)


def random_trees(seed: int, width: int = 3, count: int = 4) -> Trees:
    """Trees grown by splitting random leaves, as LightGBM numbers nodes and leaves."""
    rng = np.random.default_rng(seed)
    left: list[int] = []
    right: list[int] = []
    roots, leaves = [], 0
    for _ in range(count):
        splits = int(rng.integers(0, 6))
        first = len(left)
        open_ends: list[tuple[list[int], int]] = []
        for node in range(first, first + splits):
            left.append(0)
            right.append(0)
            if open_ends:
                side, parent = open_ends.pop(int(rng.integers(len(open_ends))))
                side[parent] = node
            open_ends += [(left, node), (right, node)]
        for side, parent in open_ends:
            side[parent] = -1 - leaves
            leaves += 1
        roots.append(first if splits else -1 - leaves)
        leaves += not splits
    nodes = len(left)
    return Trees(
        columns=rng.integers(0, width, nodes),
        thresholds=rng.choice([-1.0, 0.0, 0.5, 1.0], nodes),
        missing=rng.integers(0, 3, nodes),
        missing_left=rng.integers(0, 2, nodes),
        left=np.array(left, dtype=np.int64),
        right=np.array(right, dtype=np.int64),
        gains=rng.random(nodes),
        roots=np.array(roots, dtype=np.int64),
        values=rng.normal(size=leaves),
        width=width,
        divisor=float(rng.choice([1.0, 3.0])),
    )


def literal_score(trees: Trees, row: np.ndarray) -> float:
    total = 0.0
    for root in trees.roots.tolist():
        node = root
        while node >= 0:
            node = (trees.left if goes_left(trees, node, row) else trees.right)[node]
        total += trees.values[-1 - node]
    return total / trees.divisor


def goes_left(trees: Trees, node: int, row: np.ndarray) -> bool:
    value = row[trees.columns[node]]
    is_missing = {
        0: False,
        1: np.isnan(value) or abs(value) <= np.float32(1e-35),
        2: np.isnan(value),
    }[int(trees.missing[node])]
    if is_missing:
        return bool(trees.missing_left[node])
    return (0.0 if np.isnan(value) else value) <= trees.thresholds[node]


@given(
    st.integers(0, 10_000),
    st.lists(
        st.lists(
            st.sampled_from([-1.0, -1e-36, 0.0, -0.0, 1e-35, 1e-34, 0.5, 0.7, 1.0, 2.0, NAN]),
            min_size=3,
            max_size=3,
        ),
        min_size=1,
        max_size=8,
    ),
)
def test_scores_are_those_of_a_literal_walk(seed, rows) -> None:
    trees, features = random_trees(seed), np.array(rows)
    expected = [literal_score(trees, row) for row in features]
    assert trees.score(features).tolist() == expected


@pytest.mark.parametrize("rows", [0, 1, 15, 16, 17, 255, 256, 257, 600])
@pytest.mark.parametrize("null_row", [None, 0, 300])
def test_scores_do_not_depend_on_how_many_rows_are_scored_together(rows, null_row) -> None:
    trees = random_trees(11, count=9)
    features = np.random.default_rng(rows).choice([-1.0, 0.0, 0.5, 0.7, 2.0], (rows, 3))
    if null_row is not None and null_row < rows:
        features[null_row, 1] = NAN
    expected = [literal_score(trees, row) for row in features]
    assert trees.score(features).tolist() == expected


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_tree_that_is_one_long_branch_is_walked_to_its_end(missing) -> None:
    depth = 100
    trees = Trees(
        columns=np.zeros(depth, dtype=np.int64),
        thresholds=np.arange(depth, dtype=np.float64),
        missing=np.full(depth, missing),
        missing_left=np.zeros(depth, dtype=np.int64),
        left=-1 - np.arange(depth),
        right=np.append(np.arange(1, depth), -1 - depth),
        gains=np.zeros(depth),
        roots=np.zeros(1, dtype=np.int64),
        values=np.arange(depth + 1, dtype=np.float64) + 7.0,
        width=1,
    )
    features = np.arange(-0.5, depth + 20.0)[:, np.newaxis]
    expected = [7.0 + min(depth, math.ceil(value)) for value in features[:, 0]]
    assert trees.score(features).tolist() == expected


def test_trees_that_no_file_was_checked_for_are_checked_before_they_score() -> None:
    with pytest.raises(RankwiseError, match="after their parents"):
        replace(stump(), left=np.array([0])).score(np.zeros((1, 2)))


@pytest.mark.parametrize("shape", [(2, 1), (2,), (0, 0)])
def test_too_few_features_are_refused(shape) -> None:
    with pytest.raises(RankwiseError, match="a matrix of 2 columns"):
        stump().score(np.zeros(shape))


def test_a_value_at_the_threshold_goes_left() -> None:
    rows = np.array([[9.0, 0.5], [9.0, np.nextafter(0.5, 1.0)]])
    assert stump().score(rows).tolist() == [1.0 + 10.0, 2.0 + 10.0]


@pytest.mark.parametrize(
    ("missing", "value", "expected"),
    [(0, NAN, 11.0), (1, NAN, 12.0), (1, 0.0, 12.0), (1, 1e-36, 12.0), (2, NAN, 12.0), (2, 0, 11)],
)
def test_what_counts_as_missing_goes_the_way_of_the_missing(missing, value, expected) -> None:
    trees = stump(missing=[missing], missing_left=[0])
    assert trees.score(np.array([[0.0, value]])).tolist() == [expected]


def test_the_divisor_makes_an_average() -> None:
    assert stump(divisor=2).score(np.zeros((1, 2))).tolist() == [(1.0 + 10.0) / 2.0]


@pytest.mark.parametrize("seed", range(5))
def test_json_gives_the_same_trees_to_the_bit(seed) -> None:
    trees = random_trees(seed)
    again = Trees.from_json(json.loads(json.dumps(trees.as_json())))
    features = np.random.default_rng(seed).normal(size=(50, 3))
    assert again.score(features).tobytes() == trees.score(features).tobytes()
    assert again.as_json() == trees.as_json()


def test_rows_shared_out_to_threads_have_the_same_scores(monkeypatch) -> None:
    trees = random_trees(3)
    features = np.random.default_rng(0).normal(size=(1001, 3))
    whole = trees.score(features)
    monkeypatch.setattr(trees_file, "_WALKS_WORTH_A_THREAD", 1)
    monkeypatch.setattr(trees_file, "processors", lambda: 3)
    assert trees_file._shares(1001, 4) == [0, 333, 667, 1001]
    assert trees.score(features).tobytes() == whole.tobytes()


def test_importance_adds_the_gains_of_each_feature() -> None:
    trees = replace(
        stump(),
        columns=np.array([1, 0, 1]),
        gains=np.array([3.0, 5.0, 0.25]),
        width=3,
    )
    assert trees.importance().tolist() == [5.0, 3.25, 0.0]


def test_features_in_another_layout_of_memory_have_the_same_scores() -> None:
    trees, features = random_trees(1), np.random.default_rng(1).normal(size=(20, 3))
    assert trees.score(np.asfortranarray(features)).tolist() == trees.score(features).tolist()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"features": 0}, "at least one feature"),
        ({"features": None}, "whole numbers under 'features'"),
        ({"columns": [2]}, "columns"),
        ({"columns": [-1]}, "columns"),
        ({"columns": []}, "as many"),
        ({"gains": [1.0, 2.0]}, "as many"),
        ({"thresholds": ["0.5"]}, "numbers under 'thresholds'"),
        ({"thresholds": [float("inf")]}, "finite"),
        ({"missing": [3]}, "missing"),
        ({"missing_left": [2]}, "missing_left"),
        ({"left": [0]}, "after their parents"),
        ({"right": [1]}, "right"),
        ({"left": [-4]}, "left"),
        ({"roots": [1]}, "roots"),
        ({"roots": [-4]}, "roots"),
        ({"values": []}, "roots"),
        ({"divisor": 0}, "divisor"),
        ({"divisor": "2"}, "divisor"),
    ],
)
def test_arrays_that_are_no_trees_are_refused(changes, said) -> None:
    with pytest.raises(RankwiseError, match=said):
        stump(**changes)
