"""LightGBM's model text, version 4: trees as they are; a linear model as leaves with its formula.

LightGBM grows trees whose leaves hold weighted sums (`linear_tree`), summed in the order of ours;
a tree with the same sum in both of its leaves is a linear model (a tree must have a split to be
read). A NULL among the features that count makes LightGBM take a constant, written as 0.

What was written is run in LightGBM. LightGBM's own text is read as trees that score without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.formats.format import Content, EngineNames, Floats, OpenedExport, run_in
from rankwise.models.formats.linear_json import linear_of
from rankwise.models.formats.tree_nodes import Leaf, Node, Split, additive_trees, flatten
from rankwise.models.model_file import ModelFile, read_model_bytes
from rankwise.models.scorers.trees import Trees

# Bits of decision_type.
_CATEGORIES, _NULL_LEFT, _ZERO_MISSING, _NAN_MISSING = 1, 2, 4, 8
_PLAIN = re.compile(r"[A-Za-z0-9_.\-]+")


def write_trees(file: ModelFile, names: EngineNames) -> Content:
    """Trees in LightGBM's own arrays; averages as sums of divided leaves."""
    trees = additive_trees(file.model.scorer, zeros=True, categories="kept")
    return _document(file, [_tree_lines(tree) for tree in trees])


def write_linear(file: ModelFile, names: EngineNames) -> Content:
    """Two leaves whose formula is the weighted sum with its intercept."""
    linear = linear_of(file)
    used = np.flatnonzero(linear.weights)
    lines = {
        **_tree_lines(Split(0, 0.0, True, Leaf(0.0), Leaf(0.0))),
        "is_linear": 1,
        "leaf_const": _listed([linear.intercept] * 2),
        "num_features": _listed([len(used)] * 2),
        "leaf_features": _listed(used.tolist() * 2),
        "leaf_coeff": _listed(linear.weights[used].tolist() * 2),
    }
    text, remarks = _document(file, [lines])
    return text, [*remarks, "a weighted sum with NULL is NaN here and 0 in LightGBM"]


def _document(file: ModelFile, trees: Iterable[dict[str, object]]) -> Content:
    names, remarks = _names(file)
    head = {
        "version": "v4",
        "num_class": 1,
        "num_tree_per_iteration": 1,
        "label_index": 0,
        "max_feature_idx": len(names) - 1,
        "objective": "lambdarank",
        "feature_names": " ".join(names),
        "feature_infos": " ".join(["none"] * len(names)),
    }
    parts = ["tree\n" + _lines(head)]
    for number, tree in enumerate(trees):
        parts.append(_lines({"Tree": number, **tree}))
    return "\n".join([*parts, "end of trees", "", "parameters:", "end of parameters", ""]), remarks


def _tree_lines(tree: Node) -> dict[str, object]:
    flat = flatten(tree)
    sets = [split.categories for split in flat.splits if split.categories]
    lines: dict[str, object] = {"num_leaves": len(flat.values), "num_cat": len(sets)}
    if flat.splits:
        lines |= {
            "split_feature": _listed(split.column for split in flat.splits),
            "split_gain": _listed(0 for _ in flat.splits),
            "threshold": _listed(_thresholds(flat.splits)),
            "decision_type": _listed(map(_decision, flat.splits)),
            "left_child": _listed(flat.left),
            "right_child": _listed(flat.right),
        }
    if sets:
        lines |= _category_lines(sets)
    lines["leaf_value"] = _listed(flat.values)
    return lines | {"is_linear": 0, "shrinkage": 1}


def _thresholds(splits: Iterable[Split]) -> Iterator[float | int]:
    """Where there are categories, the number of their set."""
    sets = count()
    for split in splits:
        yield next(sets) if split.categories else split.threshold


def _category_lines(sets: Sequence[Sequence[int]]) -> dict[str, object]:
    """Every set as bits of words of 32, and where the words of each end."""
    words = [_words(categories) for categories in sets]
    ends = [0, *np.cumsum([len(own) for own in words]).tolist()]
    return {
        "cat_boundaries": _listed(ends),
        "cat_threshold": _listed(word for own in words for word in own),
    }


def _words(categories: Sequence[int]) -> list[int]:
    words = [0] * (max(categories) // 32 + 1)
    for category in categories:
        words[category // 32] |= 1 << category % 32
    return words


def _decision(split: Split) -> int:
    if split.categories:
        return _CATEGORIES + _NAN_MISSING
    missing = _ZERO_MISSING if split.zero_is_missing else _NAN_MISSING
    return missing + (_NULL_LEFT if split.null_left else 0)


def _names(file: ModelFile) -> tuple[list[str], list[str]]:
    """Names that LightGBM takes: without blanks and the marks of JSON."""
    if all(_PLAIN.fullmatch(name) for name in file.names):
        return list(file.names), []
    numbered = [f"Column_{number}" for number in range(len(file.names))]
    return numbered, ["names that LightGBM does not take are replaced by Column_0, Column_1, …"]


def _lines(values: dict[str, object]) -> str:
    return "".join(f"{key}={value}\n" for key, value in values.items())


def _listed(values: Iterable[object]) -> str:
    return " ".join(map(repr, values))


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """A booster, on one thread."""
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtra("running LightGBM's model text", "trees") from error
    try:
        text = read_model_bytes(path).decode("utf-8")
        booster = lightgbm.Booster(model_str=text)
    except lightgbm.basic.LightGBMError as error:
        raise RankwiseError(f"LightGBM cannot load {path}: {error}") from error

    def score(rows: Floats) -> Floats:
        found = booster.predict(rows, raw_score=True, num_threads=1)
        return np.asarray(found, dtype=np.float64).reshape(len(rows))

    return run_in(f"lightgbm {lightgbm.__version__}", score)


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
    decisions = _read_integers(trees, "decision_type")
    categories = [own for tree in trees for own in _node_categories(tree)]
    thresholds = np.where(decisions & 1, 0.0, _read_numbers(trees, "threshold"))
    offsets = np.repeat(first_node, inner), np.repeat(first_leaf, inner)
    return Trees(
        columns=_read_integers(trees, "split_feature"),
        # Infinite where only NULL goes the other way; every finite value is below this as well.
        thresholds=np.minimum(thresholds, np.finfo(np.float64).max),
        missing=decisions >> 2,
        missing_left=(decisions >> 1) & 1,
        left=_placed(_read_integers(trees, "left_child"), *offsets),
        right=_placed(_read_integers(trees, "right_child"), *offsets),
        gains=_read_numbers(trees, "split_gain"),
        roots=np.where(inner > 0, first_node, -1 - first_leaf),
        values=_read_numbers(trees, "leaf_value"),
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


def _read_integers(trees: list[dict[str, str]], key: str) -> NDArray[np.int64]:
    return np.array([int(item) for tree in trees for item in tree[key].split()], dtype=np.int64)


def _read_numbers(trees: list[dict[str, str]], key: str) -> NDArray[np.float64]:
    return np.array([float(item) for tree in trees for item in tree[key].split()], dtype=np.float64)


def _placed(
    children: NDArray[np.int64], first_node: NDArray[np.int64], first_leaf: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Children counted from the first node or leaf of all trees rather than of their own."""
    return np.where(children >= 0, children + first_node, children - first_leaf)
