"""What all tree layouts are written from: binary trees whose leaves are added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.scorers.stumps import Stumps
from rankwise.rankers.scorers.trees import Trees

DEEPEST = 200


@dataclass(frozen=True)
class Leaf:
    """A value that is added to the score."""

    value: float


@dataclass(frozen=True)
class Split:
    """x_column ≤ threshold goes left, otherwise right; NULL goes left where `null_left`.

    Where `zero_is_missing`, values within 1e-35 of 0 go where NULL goes.
    """

    column: int
    threshold: float
    null_left: bool
    left: Leaf | Split
    right: Leaf | Split
    zero_is_missing: bool = False


Node = Leaf | Split


@dataclass(frozen=True)
class FlatTree:
    """One tree as lists: node 0 is the root, a child c < 0 is leaf −1 − c; no nodes, one leaf."""

    splits: list[Split] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


def additive_trees(scorer: Scorer, *, divided: bool = True, zeros: bool = False) -> list[Node]:
    """The trees whose leaves, added in this order, are the score.

    Args:
        scorer: trees or stumps.
        divided: leaves are divided by the divisor of averages; otherwise that is left to do.
        zeros: splits that take 0 for missing may stand in them.
    """
    if isinstance(scorer, Stumps):
        return _from_stumps(scorer)
    if isinstance(scorer, Trees):
        return _from_trees(scorer, divided, zeros)
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


def flatten(tree: Node) -> FlatTree:
    """The nodes and leaves of a tree, each parent before its children."""
    flat = FlatTree()
    _place(tree, flat)
    return flat


def _place(node: Node, flat: FlatTree) -> int:
    if isinstance(node, Leaf):
        flat.values.append(node.value)
        return -len(flat.values)
    number = len(flat.splits)
    flat.splits.append(node)
    flat.left.append(0)
    flat.right.append(0)
    flat.left[number] = _place(node.left, flat)
    flat.right[number] = _place(node.right, flat)
    return number


def _from_stumps(stumps: Stumps) -> list[Node]:
    """One tree a feature, whose leaves are the steps of its staircase, as the scorer adds them."""
    trees = []
    for column in np.unique(stumps.columns).tolist():
        own = stumps.columns == column
        steps = [0.0, *np.cumsum(stumps.weights[own]).tolist()]
        trees.append(_staircase(column, stumps.thresholds[own].tolist(), steps))
    return trees


def _staircase(column: int, thresholds: list[float], steps: list[float]) -> Node:
    """Step k where k thresholds lie below x; NULL exceeds none."""
    if not thresholds:
        return Leaf(steps[0])
    middle = len(thresholds) // 2
    below = _staircase(column, thresholds[:middle], steps[: middle + 1])
    above = _staircase(column, thresholds[middle + 1 :], steps[middle + 1 :])
    return Split(column, thresholds[middle], True, below, above)


def _from_trees(trees: Trees, divided: bool, zeros: bool) -> list[Node]:
    _refuse(trees, zeros)
    values = trees.values / trees.divisor if divided else trees.values
    nodes: dict[int, Node] = {-1 - number: Leaf(one) for number, one in enumerate(values.tolist())}
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
            bool(trees.missing[number] == 1),
        )
    return [nodes[root] for root in trees.roots.tolist()]


def _null_left(trees: Trees, number: int) -> bool:
    """Nodes without a rule for the missing read NULL as 0."""
    if trees.missing[number] == 0:
        return bool(trees.thresholds[number] >= 0.0)
    return bool(trees.missing_left[number])


def _refuse(trees: Trees, zeros: bool) -> None:
    if not zeros and np.any(trees.missing == 1):
        raise RankwiseError(
            "trees that take 0 for missing cannot be exported exactly; train without that rule, or "
            "take lightgbm, c or python, which have it"
        )
    refuse_tangled(trees)


def refuse_tangled(trees: Trees) -> int:
    """Refuse nodes with two parents, and trees too deep for recursion; the depth of the deepest."""
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
    return int(depth.max(initial=0))
