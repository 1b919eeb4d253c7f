"""All trees of a model in shared tables: what source code and ONNX graphs are written from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.models.exports.tree_form import (
    Categories,
    Node,
    additive_trees,
    flatten,
    flatten_shared,
)
from rankwise.rankers.scorers.expected_label import ExpectedLabel
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.scorers.stumps import Stumps
from rankwise.rankers.scorers.trees import Trees

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
