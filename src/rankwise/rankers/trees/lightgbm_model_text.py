"""LightGBM's model text as trees that score without LightGBM."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers.scorers.trees import Trees


def trees_of_text(text: str, width: int, chosen: slice = slice(None)) -> Trees:
    """The trees of LightGBM's model text, in which all numbers are exact.

    `chosen` takes some of them: of c classes, those of class k are slice(k, None, c).
    """
    heading, *sections = text.partition("\nend of trees")[0].split("\nTree=")
    trees = [dict(_entries(section)) for section in sections[chosen]]
    inner = np.array([len(tree["left_child"].split()) for tree in trees], dtype=np.int64)
    leaves = np.array([int(tree["num_leaves"]) for tree in trees], dtype=np.int64)
    first_node = np.cumsum(inner) - inner
    first_leaf = np.cumsum(leaves) - leaves
    decisions = _integers(trees, "decision_type")
    categories = [own for tree in trees for own in _node_categories(tree)]
    thresholds = np.where(decisions & 1, 0.0, _numbers(trees, "threshold"))
    offsets = np.repeat(first_node, inner), np.repeat(first_leaf, inner)
    return Trees(
        columns=_integers(trees, "split_feature"),
        # Infinite where only NULL goes the other way; every finite value is below this as well.
        thresholds=np.minimum(thresholds, np.finfo(np.float64).max),
        missing=decisions >> 2,
        missing_left=(decisions >> 1) & 1,
        left=_placed(_integers(trees, "left_child"), *offsets),
        right=_placed(_integers(trees, "right_child"), *offsets),
        gains=_numbers(trees, "split_gain"),
        roots=np.where(inner > 0, first_node, -1 - first_leaf),
        values=_numbers(trees, "leaf_value"),
        width=width,
        divisor=float(len(trees)) if "\naverage_output" in heading else 1.0,
        **_categories_of(categories),
    )


def _node_categories(tree: dict[str, str]) -> list[list[int]]:
    """The categories of every node: bits of words, where its threshold counts the sets of words."""
    decisions = [int(one) for one in tree["decision_type"].split()]
    if not any(one & 1 for one in decisions):
        return [[] for _ in decisions]
    words = np.array(tree["cat_threshold"].split(), dtype=np.uint32)
    ends = [int(one) for one in tree["cat_boundaries"].split()]
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    found: list[list[int]] = []
    for decision, number in zip(decisions, tree["threshold"].split(), strict=True):
        place = int(float(number))
        own = bits[32 * ends[place] : 32 * ends[place + 1]] if decision & 1 else bits[:0]
        found.append(np.flatnonzero(own).tolist())
    return found


def _categories_of(nodes: list[list[int]]) -> dict[str, Any]:
    """The categories of all nodes as `Trees` holds them; nothing where there are none."""
    if not any(nodes):
        return {}
    return {
        "category_counts": np.array([len(own) for own in nodes], dtype=np.int64),
        "categories": np.array([one for own in nodes for one in own], dtype=np.int64),
    }


def _entries(section: str) -> list[tuple[str, str]]:
    pairs = (line.partition("=") for line in section.splitlines())
    return [(key, value) for key, _, value in pairs]


def _integers(trees: list[dict[str, str]], key: str) -> NDArray[np.int64]:
    return np.array([int(item) for tree in trees for item in tree[key].split()], dtype=np.int64)


def _numbers(trees: list[dict[str, str]], key: str) -> NDArray[np.float64]:
    return np.array([float(item) for tree in trees for item in tree[key].split()], dtype=np.float64)


def _placed(
    children: NDArray[np.int64], first_node: NDArray[np.int64], first_leaf: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Children counted from the first node or leaf of all trees rather than of their own."""
    return np.where(children >= 0, children + first_node, children - first_leaf)
