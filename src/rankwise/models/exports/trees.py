"""Trees and stumps for other tools.

All these tools hold thresholds, features and leaves in single precision. Thresholds are moved to
the single precision number that splits single precision features in the same way, so documents
reach the same leaves wherever the features are single precision numbers; other features are rounded
by the tool and may fall on the other side of a threshold. Leaves keep all digits here and are
rounded by the tool, so that scores agree to about seven digits.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.models.exports.tree_form import (
    Leaf,
    Node,
    additive_trees,
    single_above,
    single_at_most,
    splits_of,
)
from rankwise.models.model_file import ModelFile

# What Solr adds to every threshold it reads.
_SOLR_SLACK = np.float32(1e-6)
_SINGLE = (
    "exact for features that are single precision numbers; leaves are held in single precision "
    "there, so that scores agree to about seven digits"
)


def ranklib_trees(file: ModelFile) -> tuple[str, list[str]]:
    """RankLib's ensemble in XML, under the name of LambdaMART, which adds up its trees.

    Features are numbers from 1. RankLib strips and joins lines and then counts on there being no
    blanks between elements, so that every element has a line of its own.
    """
    trees = additive_trees(file.model.scorer)
    lines = ["## LambdaMART", f"## No. of trees = {len(trees)}", "", "<ensemble>"]
    for number, tree in enumerate(trees, 1):
        lines += [f'<tree id="{number}" weight="1.0">', "<split>", *_ranklib(tree), "</split>"]
        lines.append("</tree>")
    return "\n".join([*lines, "</ensemble>"]) + "\n", [_SINGLE, *_null_remark(trees, "RankLib")]


def xgboost_trees(file: ModelFile) -> tuple[str, list[str]]:
    """XGBoost's JSON dump: x < split_condition goes to `yes`, NULL goes to `missing`."""
    trees = additive_trees(file.model.scorer)
    dump = [_XGBoostTree(file.names).node(tree, 0) for tree in trees]
    lines = ",\n".join(json.dumps(tree, ensure_ascii=False, allow_nan=False) for tree in dump)
    remark = "the search engines' plug-ins ignore `missing` and read an absent feature as 0"
    return f"[\n{lines}\n]\n", [_SINGLE, remark]


def solr_trees(file: ModelFile) -> tuple[str, list[str]]:
    """Solr's MultipleAdditiveTreesModel.

    Solr adds 1e-6 to every threshold; the thresholds written here are such that the sum, in single
    precision, is the one that is meant. Where no number gives that sum, the nearest below is taken
    and a remark counts them.
    """
    trees = additive_trees(file.model.scorer)
    document = {
        "class": "org.apache.solr.ltr.model.MultipleAdditiveTreesModel",
        "name": file.model.ranker,
        "features": [{"name": name} for name in file.names],
        "params": {"trees": [{"weight": "1", "root": _solr(tree, file.names)} for tree in trees]},
    }
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return text, [_SINGLE, *_null_remark(trees, "Solr"), *_slack_remark(trees)]


def _ranklib(node: Node) -> list[str]:
    if isinstance(node, Leaf):
        return [f"<output> {node.value!r} </output>"]
    return [
        f"<feature> {node.column + 1} </feature>",
        f"<threshold> {single_at_most(node.threshold)!r} </threshold>",
        '<split pos="left">',
        *_ranklib(node.left),
        "</split>",
        '<split pos="right">',
        *_ranklib(node.right),
        "</split>",
    ]


class _XGBoostTree:
    """Numbers the nodes of one tree in the order in which they are written."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.count = 0

    def node(self, node: Node, depth: int) -> dict[str, Any]:
        number = self.count
        self.count += 1
        if isinstance(node, Leaf):
            return {"nodeid": number, "leaf": node.value}
        children = [self.node(child, depth + 1) for child in (node.left, node.right)]
        yes, no = (child["nodeid"] for child in children)
        return {
            "nodeid": number,
            "depth": depth,
            "split": self.names[node.column],
            "split_condition": single_above(node.threshold),
            "yes": yes,
            "no": no,
            "missing": yes if node.null_left else no,
            "children": children,
        }


def _solr(node: Node, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(node, Leaf):
        return {"value": repr(node.value)}
    return {
        "feature": names[node.column],
        "threshold": repr(_before_slack(single_at_most(node.threshold))),
        "left": _solr(node.left, names),
        "right": _solr(node.right, names),
    }


def _before_slack(wanted: float) -> float:
    """A single precision t whose sum with Solr's slack is `wanted`, else the largest below it."""
    target = np.float32(wanted)
    candidate = np.float32(target - _SOLR_SLACK)
    while candidate + _SOLR_SLACK > target:
        candidate = np.nextafter(candidate, np.float32(-np.inf))
    # Off by a step or two at most: where the two are near each other the subtraction is exact.
    while candidate + _SOLR_SLACK < target:
        after = np.nextafter(candidate, np.float32(np.inf))
        if after + _SOLR_SLACK > target:
            break
        candidate = after
    return float(candidate)


def _slack_remark(trees: Sequence[Node]) -> list[str]:
    thresholds = [single_at_most(split.threshold) for split in splits_of(trees)]
    gaps = [one - float(np.float32(_before_slack(one)) + _SOLR_SLACK) for one in thresholds]
    missed = sum(gap > 0.0 for gap in gaps)
    if not missed:
        return []
    return [
        f"Solr adds 1e-6 to thresholds: {missed} of {len(gaps)} end up below what is meant, by at "
        f"most {max(gaps):.1e}"
    ]


def _null_remark(trees: Sequence[Node], reader: str) -> list[str]:
    if not any(split.null_left for split in splits_of(trees)):
        return []
    return [f"{reader} knows no NULL: fill NULL features before it sees them"]
