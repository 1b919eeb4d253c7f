"""Formulas as genetic programming varies them: flat, in postfix order, never as linked nodes.

In postfix order a subtree is a slice that ends with its root, so that crossover and mutation are
slices put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankwise.models.scorers.expression import CONSTANT, OPERATIONS, Expression

LOGARITHM = OPERATIONS["log"]
_JOINING = tuple(code for code in OPERATIONS.values() if code != LOGARITHM)


class Tree(NamedTuple):
    """One formula: codes and constants as in `Expression`."""

    codes: tuple[int, ...]
    constants: tuple[float, ...]


@dataclass(frozen=True)
class ExpressionTrees:
    """How formulas are drawn and varied.

    Attributes:
        width: how many features they may name.
        deepest: levels of a formula at most; one that would have more is not made, and its parent
            stays.
        logarithms: whether log is among the operations.
        constant_share: how likely a leaf is a constant, uniform in [0, 1], and not a feature.
    """

    width: int
    deepest: int
    logarithms: bool = True
    constant_share: float = 0.1

    def scorer(self, tree: Tree) -> Expression:
        """The function that a formula is."""
        return Expression(
            np.array(tree.codes, dtype=np.int64),
            np.array(tree.constants, dtype=np.float64),
            self.width,
        )

    def populate(self, rng: np.random.Generator, count: int) -> list[Tree]:
        """Formulas of all depths from 2, half of them full: Koza's ramped half-and-half."""
        depths = range(min(2, self.deepest), self.deepest + 1)
        return [
            self.grow(rng, depths[number % len(depths)], full=number % 2 == 0)
            for number in range(count)
        ]

    def grow(self, rng: np.random.Generator, depth: int, *, full: bool = False) -> Tree:
        """A random formula of at most `depth` levels; a `full` one has leaves at the last only."""
        codes: list[int] = []
        constants: list[float] = []
        self._add(rng, depth, full, codes, constants)
        return Tree(tuple(codes), tuple(constants))

    def cross(self, rng: np.random.Generator, first: Tree, second: Tree) -> Tree:
        """The first with one of its subtrees replaced by one of the second."""
        start, end = draw_subtree(rng, first)
        other_start, other_end = draw_subtree(rng, second)
        return self._limited(first, replaced(first, start, end, second, other_start, other_end))

    def mutate(self, rng: np.random.Generator, tree: Tree) -> Tree:
        """A subtree replaced by a random one."""
        start, end = draw_subtree(rng, tree)
        grown = self.grow(rng, int(rng.integers(1, max(2, self.deepest // 2) + 1)))
        made = replaced(tree, start, end, grown, 0, len(grown.codes))
        return self._limited(tree, made)

    def change_point(self, rng: np.random.Generator, tree: Tree) -> Tree:
        """One place replaced by another of its kind: an operation, or a leaf."""
        place = int(rng.integers(len(tree.codes)))
        code = tree.codes[place]
        if code == LOGARITHM:
            return tree
        one = self._draw_leaf(rng) if code not in _JOINING else self._draw_joining(rng)
        return replaced(tree, place, place + 1, one, 0, 1)

    def _limited(self, parent: Tree, made: Tree) -> Tree:
        return made if levels(made) <= self.deepest else parent

    def _add(
        self,
        rng: np.random.Generator,
        depth: int,
        full: bool,
        codes: list[int],
        constants: list[float],
    ) -> None:
        """Append a random formula."""
        # Growing, a leaf may come at any level but the first.
        if depth <= 1 or (not full and codes and rng.random() < 0.3):
            leaf = self._draw_leaf(rng)
            codes += leaf.codes
            constants += leaf.constants
            return
        operations = len(_JOINING) + self.logarithms
        drawn = int(rng.integers(operations))
        self._add(rng, depth - 1, full, codes, constants)
        if drawn < len(_JOINING):
            self._add(rng, depth - 1, full, codes, constants)
        codes.append(_JOINING[drawn] if drawn < len(_JOINING) else LOGARITHM)
        constants.append(0.0)

    def _draw_joining(self, rng: np.random.Generator) -> Tree:
        return Tree((_JOINING[int(rng.integers(len(_JOINING)))],), (0.0,))

    def _draw_leaf(self, rng: np.random.Generator) -> Tree:
        if rng.random() < self.constant_share:
            return Tree((CONSTANT,), (float(rng.random()),))
        return Tree((int(rng.integers(self.width)),), (0.0,))


def replaced(
    tree: Tree, start: int, end: int, other: Tree, other_start: int, other_end: int
) -> Tree:
    """The tree with one of its slices replaced by one of another."""
    return Tree(
        tree.codes[:start] + other.codes[other_start:other_end] + tree.codes[end:],
        tree.constants[:start] + other.constants[other_start:other_end] + tree.constants[end:],
    )


def draw_subtree(rng: np.random.Generator, tree: Tree) -> tuple[int, int]:
    """The slice of a subtree; every root is equally likely."""
    root = int(rng.integers(len(tree.codes)))
    return find_subtree(tree.codes, root), root + 1


def find_subtree(codes: tuple[int, ...], root: int) -> int:
    """Where the subtree that ends at `root` begins."""
    needed, place = 1, root
    while True:
        needed += _arity(codes[place]) - 1
        if needed == 0:
            return place
        place -= 1


def levels(tree: Tree) -> int:
    """How deep a formula is; a leaf alone has one level."""
    below: list[int] = []
    for code in tree.codes:
        arity = _arity(code)
        if arity == 0:
            below.append(1)
        elif arity == 1:
            below[-1] += 1
        else:
            right = below.pop()
            below[-1] = 1 + max(below[-1], right)
    return below[0]


def join(trees: list[Tree], code: int = OPERATIONS["+"]) -> Tree:
    """The formulas joined by one operation, from the left."""
    codes, constants = list(trees[0].codes), list(trees[0].constants)
    for tree in trees[1:]:
        codes += [*tree.codes, code]
        constants += [*tree.constants, 0.0]
    return Tree(tuple(codes), tuple(constants))


def substitute(tree: Tree, parts: list[Tree], width: int) -> Tree:
    """The formula with its columns from `width` on replaced by the formulas that they stand for."""
    codes: list[int] = []
    constants: list[float] = []
    for code, constant in zip(tree.codes, tree.constants, strict=True):
        part = parts[code - width] if code >= width else Tree((code,), (constant,))
        codes += part.codes
        constants += part.constants
    return Tree(tuple(codes), tuple(constants))


def _arity(code: int) -> int:
    if code >= 0 or code == CONSTANT:
        return 0
    return 1 if code == LOGARITHM else 2
