"""What all tree formats are written from and read into: binary trees whose leaves are added up.

Source code and ONNX graphs are written from shared tables of all trees.

Some tools hold features, thresholds and leaves in single precision. For these, thresholds are moved
to the single precision number that splits single precision features in the same way, so documents
reach the same leaves wherever the features are single precision numbers; other features are rounded
by the tool and may fall on the other side of a threshold. Leaves keep all digits in the file and
are rounded by the tool, so that scores agree to about seven digits. Their arithmetic is repeated as
engines in Java do it with `float`: every value and every sum is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.models.scorers.scorer import Scorer
from rankwise.models.scorers.stumps import Stumps
from rankwise.models.scorers.trees import ExpectedLabel, Trees

DEEPEST = 200
MOST_UNFOLDED = 1_000_000


@dataclass(frozen=True)
class Leaf:
    """A value that is added to the score."""

    value: float


@dataclass(frozen=True)
class Split:
    """x_column ≤ threshold goes left, otherwise right; NULL goes left where `null_left`.

    Where `zero_is_missing`, values within 1e-35 of 0 go where NULL goes. Where there are
    `categories`, these decide in place of the threshold, as `Trees` says.
    """

    column: int
    threshold: float
    null_left: bool
    left: Leaf | Split
    right: Leaf | Split
    zero_is_missing: bool = False
    categories: tuple[int, ...] = ()


Node = Leaf | Split


@dataclass(frozen=True)
class FlatTree:
    """One tree as lists: node 0 is the root, a child c < 0 is leaf −1 − c; no nodes, one leaf."""

    splits: list[Split] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


Categories = Literal["unfolded", "shared", "kept"]
"""What splits by categories become: splits by thresholds, each of them with copies of what follows
or with nodes that several lead to; or what they are."""


def additive_trees(
    scorer: Scorer,
    *,
    divided: bool = True,
    zeros: bool = False,
    categories: Categories = "unfolded",
) -> list[Node]:
    """The trees whose leaves, added in this order, are the score.

    Args:
        scorer: trees or stumps.
        divided: leaves are divided by the divisor of averages; otherwise that is left to do.
        zeros: splits that take 0 for missing may stand in them.
        categories: what splits by categories become.
    """
    if isinstance(scorer, Stumps):
        return _from_stumps(scorer)
    if isinstance(scorer, Trees):
        return _from_trees(scorer, divided, zeros, categories)
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
    """The nodes and leaves of a tree, each parent before its children.

    A node that several lead to is there once for each.
    """
    flat = FlatTree()
    _place(tree, flat, None)
    return flat


def flatten_shared(tree: Node) -> FlatTree:
    """As `flatten`, but every node and leaf is there once, whatever leads to it."""
    flat = FlatTree()
    _place(tree, flat, {})
    return flat


def _place(node: Node, flat: FlatTree, placed: dict[int, int] | None) -> int:
    if placed is not None and id(node) in placed:
        return placed[id(node)]
    if isinstance(node, Leaf):
        flat.values.append(node.value)
        number = -len(flat.values)
    else:
        number = len(flat.splits)
        flat.splits.append(node)
        flat.left.append(0)
        flat.right.append(0)
        flat.left[number] = _place(node.left, flat, placed)
        flat.right[number] = _place(node.right, flat, placed)
    if placed is not None:
        placed[id(node)] = number
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


def _from_trees(trees: Trees, divided: bool, zeros: bool, categories: Categories) -> list[Node]:
    _refuse(trees, zeros)
    if trees.has_categories and categories != "kept":
        nodes = _linked(trees.threshold_form, divided)
        refuse_deep(trees.threshold_form)
        return nodes if categories == "shared" else _Unfolding().trees(nodes)
    return _linked(trees, divided)


def _linked(trees: Trees, divided: bool) -> list[Node]:
    """The roots of the trees, every node made once."""
    values = trees.values / trees.divisor if divided else trees.values
    nodes: dict[int, Node] = {-1 - number: Leaf(one) for number, one in enumerate(values.tolist())}
    columns, thresholds = trees.columns.tolist(), trees.thresholds.tolist()
    left, right = trees.left.tolist(), trees.right.tolist()
    sets = trees.node_categories()
    # Children come after their parents, so that both exist when the parent is made.
    for number in reversed(range(len(columns))):
        nodes[number] = Split(
            columns[number],
            thresholds[number],
            _null_left(trees, number),
            nodes[left[number]],
            nodes[right[number]],
            bool(trees.missing[number] == 1),
            tuple(sets[number]),
        )
    return [nodes[root] for root in trees.roots.tolist()]


class _Unfolding:
    """Copies what several nodes lead to, so that trees are trees, without what is never reached."""

    def __init__(self) -> None:
        self.made = 0

    def trees(self, roots: Sequence[Node]) -> list[Node]:
        return [self.copied(root, {}) for root in roots]

    def copied(self, node: Node, known: dict[int, _Range]) -> Node:
        """The node where of some features it is known which values come here."""
        if isinstance(node, Leaf):
            return node
        here = known.get(node.column, _Range())
        left, right = here.parted(node)
        if right.is_empty:
            return self.copied(node.left, known)
        if left.is_empty:
            return self.copied(node.right, known)
        self.made += 1
        if self.made > MOST_UNFOLDED:
            raise RankwiseError(
                "splits by categories, written as thresholds, must not make more than "
                f"{MOST_UNFOLDED:,} nodes, found more; take lightgbm, c or python, which need none "
                "of these, or train with fewer categories or leaves"
            )
        return replace(
            node,
            left=self.copied(node.left, {**known, node.column: left}),
            right=self.copied(node.right, {**known, node.column: right}),
        )


@dataclass(frozen=True)
class _Range:
    """low < x ≤ high, and NULL where `null`."""

    low: float = -np.inf
    high: float = np.inf
    null: bool = True

    @property
    def is_empty(self) -> bool:
        return not self.null and self.low >= self.high

    def parted(self, split: Split) -> tuple[_Range, _Range]:
        """What goes left and what goes right; both all of it where 0 counts as missing."""
        if split.zero_is_missing:
            return self, self
        left = _Range(self.low, min(self.high, split.threshold), self.null and split.null_left)
        right = _Range(max(self.low, split.threshold), self.high, self.null and not split.null_left)
        return left, right


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
    return refuse_deep(trees)


def refuse_deep(trees: Trees) -> int:
    """Refuse trees too deep for recursion; the depth of the deepest."""
    depth = np.ones(len(trees.columns), dtype=np.int64)
    for number in range(len(trees.columns)):
        for child in (trees.left[number], trees.right[number]):
            if child >= 0:
                depth[child] = max(depth[child], depth[number] + 1)
    if depth.max(initial=0) > DEEPEST:
        raise RankwiseError(
            f"trees to export must not be deeper than {DEEPEST} splits, found {depth.max()}"
        )
    return int(depth.max(initial=0))


NULL_LEFT, ZERO_IS_MISSING = 1, 2


@dataclass(frozen=True)
class ForestTables:
    """Nodes and leaves of all trees one after the other; a child c < 0 is leaf −1 − c.

    Attributes:
        columns, thresholds, left, right: of every node.
        rules: of every node, 1 where NULL goes left, and 2 more where values near 0 are missing.
        leaves: values.
        roots: of every tree, coded as children are.
    """

    columns: list[int] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    rules: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    leaves: list[float] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)

    def add(self, tree: Node, *, shared: bool = False) -> None:
        """Put one more tree at the end; `shared` nodes, which several lead to, are there once."""
        flat = flatten_shared(tree) if shared else flatten(tree)
        node, leaf = len(self.columns), len(self.leaves)

        def moved(child: int) -> int:
            return child + node if child >= 0 else child - leaf

        for split in flat.splits:
            self.columns.append(split.column)
            self.thresholds.append(split.threshold)
            self.rules.append(split.null_left * NULL_LEFT + split.zero_is_missing * ZERO_IS_MISSING)
        self.left.extend(map(moved, flat.left))
        self.right.extend(map(moved, flat.right))
        self.leaves.extend(flat.values)
        self.roots.append(moved(0 if flat.splits else -1))


@dataclass(frozen=True)
class Forest:
    """The sums of a model: sum k adds the trees counts[k - 1] up to counts[k] of the tables.

    Attributes:
        tables: all trees.
        ends: where the trees of each sum end.
        divisors: what each sum is divided by.
        labels: of the classes that the sums are for; none where there is one sum, the score.
    """

    tables: ForestTables
    ends: tuple[int, ...]
    divisors: tuple[float, ...]
    labels: tuple[float, ...] = ()


def forest_of(scorer: Scorer, *, zeros: bool, categories: Categories = "unfolded") -> Forest:
    """The forest of trees, stumps or an expected label.

    `zeros` allows 0 taken for missing; `categories` is as in `additive_trees`.
    """
    how = {"zeros": zeros, "categories": categories}
    if isinstance(scorer, ExpectedLabel):
        return _gather(scorer.classes, how, tuple(scorer.labels.tolist()))
    if isinstance(scorer, Trees | Stumps):
        return _gather([scorer], how, ())
    raise RankwiseError(f"a model of trees is needed for this, found {scorer.kind}")


def _gather(
    scorers: Iterable[Trees | Stumps], how: dict[str, Any], labels: tuple[float, ...]
) -> Forest:
    tables, ends, divisors = ForestTables(), [], []
    for scorer in scorers:
        for tree in additive_trees(scorer, divided=False, **how):
            tables.add(tree, shared=how["categories"] == "shared")
        ends.append(len(tables.roots))
        divisors.append(scorer.divisor if isinstance(scorer, Trees) else 1.0)
    return Forest(tables, tuple(ends), tuple(divisors), labels)


LARGEST_SINGLE = float(np.finfo(np.float32).max)
SINGLE_TREES = (
    "exact for features that are single precision numbers; leaves are held in single precision "
    "there, so that scores agree to about seven digits"
)


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


def null_remarks(trees: Sequence[Node], reader: str) -> list[str]:
    """What is said where NULL goes left somewhere, and the reader knows no NULL."""
    if not any(split.null_left for split in splits_of(trees)):
        return []
    return [f"{reader} knows no NULL: fill NULL features before it sees them"]


Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
_NULL_BY_SIDE = 2


def single_rows(rows: Floats, *, missing_as_zero: bool) -> Singles:
    """Features as an engine receives them; what is too large for single precision is infinite."""
    with np.errstate(over="ignore"):
        found = rows.astype(np.float32)
    return np.where(np.isnan(found), np.float32(0.0), found) if missing_as_zero else found


def single(value: Any) -> np.float32:
    """A number of a file as an engine holds it."""
    with np.errstate(over="ignore"):
        return np.float32(value)


def single_weighted_sums(rows: Singles, weights: Sequence[float], start: float = 0.0) -> Singles:
    """start + w_1 x_1 + w_2 x_2 + …, rounded after every product and sum."""
    total = np.full(len(rows), single(start))
    with np.errstate(over="ignore", invalid="ignore"):
        for column, weight in enumerate(weights):
            total = total + rows[:, column] * single(weight)
    return total


def single_leaf_sums(trees: Sequence[Node]) -> Callable[[Singles], Singles]:
    """The function that adds up the leaves that rows reach, rounded after every sum.

    Thresholds are single precision numbers already, so that comparing doubles is comparing them.
    """
    walked = [_walkable(tree) for tree in trees]

    def add(rows: Singles) -> Singles:
        features = rows.astype(np.float64)
        total = np.zeros(len(rows), dtype=np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for tree in walked:
                total = total + tree.score(features).astype(np.float32)
        return total

    return add


def _walkable(tree: Node) -> Trees:
    flat = flatten(tree)
    inner = len(flat.splits)
    columns = [split.column for split in flat.splits]
    return Trees(
        columns=np.array(columns, dtype=np.int64),
        thresholds=np.array([split.threshold for split in flat.splits], dtype=np.float64),
        missing=np.full(inner, _NULL_BY_SIDE, dtype=np.int64),
        missing_left=np.array([split.null_left for split in flat.splits], dtype=np.int64),
        left=np.array(flat.left, dtype=np.int64),
        right=np.array(flat.right, dtype=np.int64),
        gains=np.zeros(inner),
        roots=np.array([0 if inner else -1], dtype=np.int64),
        values=np.array(flat.values, dtype=np.float64),
        width=max(columns, default=0) + 1,
    )
