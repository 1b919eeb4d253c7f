"""What all tree layouts are written from: binary trees whose leaves are added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.scorers.stumps import Stumps
from rankwise.rankers.scorers.trees import Trees

DEEPEST = 200
LARGEST_SINGLE = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Leaf:
    """A value that is added to the score."""

    value: float


@dataclass(frozen=True)
class Split:
    """x_column ≤ threshold goes left, otherwise right; NULL goes left where `null_left`."""

    column: int
    threshold: float
    null_left: bool
    left: Leaf | Split
    right: Leaf | Split


Node = Leaf | Split


def additive_trees(scorer: Scorer) -> list[Node]:
    """The trees whose leaves, added in this order, are the score."""
    if isinstance(scorer, Stumps):
        return _from_stumps(scorer)
    if isinstance(scorer, Trees):
        return _from_trees(scorer)
    raise RankwiseError(f"a model of trees or stumps is needed for this, found {scorer.kind}")


def splits_of(trees: Sequence[Node]) -> list[Split]:
    """All inner nodes."""
    waiting, found = list(trees), []
    while waiting:
        node = waiting.pop()
        if isinstance(node, Split):
            found.append(node)
            waiting += [node.left, node.right]
    return found


def single_at_most(threshold: float) -> float:
    """The largest single precision number ≤ threshold: for single precision x the same split."""
    if abs(threshold) >= LARGEST_SINGLE:
        return float(np.copysign(LARGEST_SINGLE, threshold))
    nearest = np.float32(threshold)
    if float(nearest) > threshold:
        nearest = np.nextafter(nearest, np.float32(-np.inf))
    return float(nearest)


def single_above(threshold: float) -> float:
    """The smallest single precision c with x < c wherever x ≤ threshold, for single precision x."""
    below = single_at_most(threshold)
    if below == LARGEST_SINGLE:
        return below
    return float(np.nextafter(np.float32(below), np.float32(np.inf)))


def _from_stumps(stumps: Stumps) -> list[Node]:
    """a [x_j > θ] is a tree with 0 on the left and a on the right."""
    return [
        Split(column, threshold, True, Leaf(0.0), Leaf(weight))
        for column, threshold, weight in zip(
            stumps.columns.tolist(),
            stumps.thresholds.tolist(),
            stumps.weights.tolist(),
            strict=True,
        )
    ]


def _from_trees(trees: Trees) -> list[Node]:
    _refuse(trees)
    leaves = [Leaf(value) for value in (trees.values / trees.divisor).tolist()]
    nodes: dict[int, Node] = {-1 - number: leaf for number, leaf in enumerate(leaves)}
    columns, thresholds = trees.columns.tolist(), trees.thresholds.tolist()
    left, right = trees.left.tolist(), trees.right.tolist()
    # Children come after their parents, so that both exist when the parent is made.
    for number in reversed(range(len(columns))):
        nodes[number] = Split(
            columns[number],
            thresholds[number],
            _null_left(trees, number),
            nodes[left[number]],
            nodes[right[number]],
        )
    return [nodes[root] for root in trees.roots.tolist()]


def _null_left(trees: Trees, number: int) -> bool:
    """Nodes without a rule for the missing read NULL as 0."""
    if trees.missing[number] == 0:
        return bool(trees.thresholds[number] >= 0.0)
    return bool(trees.missing_left[number])


def _refuse(trees: Trees) -> None:
    if np.any(trees.missing == 1):
        raise RankwiseError(
            "trees that take 0 for missing cannot be exported exactly; train without that rule"
        )
    children = np.concatenate([trees.left, trees.right, trees.roots])
    inner = children[children >= 0]
    if len(np.unique(inner)) < len(inner):
        raise RankwiseError("a node of the trees has two parents: this is no tree")
    depth = np.ones(len(trees.columns), dtype=np.int64)
    for number in range(len(trees.columns)):
        for child in (trees.left[number], trees.right[number]):
            if child >= 0:
                depth[child] = depth[number] + 1
    if depth.max(initial=0) > DEEPEST:
        raise RankwiseError(
            f"trees to export must not be deeper than {DEEPEST} splits, found {depth.max()}"
        )
