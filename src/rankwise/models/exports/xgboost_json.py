"""XGBoost's JSON dump of trees: x < split_condition goes to `yes`, NULL goes to `missing`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rankwise.models.exports.single_precision import SINGLE_TREES, single_above
from rankwise.models.exports.target import Content, EngineNames
from rankwise.models.exports.tree_form import Leaf, Node, additive_trees
from rankwise.models.model_file import ModelFile

_NULL = (
    "plug-ins that came before 2024 (Elasticsearch) or 3.2 (OpenSearch) ignore `missing` and read "
    "an absent feature as 0"
)


def write_trees(file: ModelFile, names: EngineNames) -> Content:
    """The dump, one tree a line."""
    lines = ",\n".join(
        json.dumps(tree, ensure_ascii=False, allow_nan=False) for tree in dump_trees(file)
    )
    return f"[\n{lines}\n]\n", [SINGLE_TREES, _NULL]


def dump_trees(file: ModelFile) -> list[dict[str, Any]]:
    """The trees as XGBoost's dump nests them."""
    return [_NumberedTree(file.names).node(tree, 0) for tree in additive_trees(file.model.scorer)]


class _NumberedTree:
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
