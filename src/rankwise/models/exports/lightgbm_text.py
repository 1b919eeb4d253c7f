"""LightGBM's model text, version 4: trees as they are; a linear model as leaves with its formula.

LightGBM grows trees whose leaves hold weighted sums (`linear_tree`), summed in the order of ours;
a tree with the same sum in both of its leaves is a linear model (a tree must have a split to be
read). A NULL among the features that count makes LightGBM take a constant, written as 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

import numpy as np

from rankwise.models.exports.linear_json import linear_of
from rankwise.models.exports.target import Content, EngineNames
from rankwise.models.exports.tree_form import Leaf, Node, Split, additive_trees, flatten
from rankwise.models.model_file import ModelFile

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
