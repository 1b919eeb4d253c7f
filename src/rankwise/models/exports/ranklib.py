"""RankLib: Coordinate Ascent for linear models, LambdaMART's ensemble for trees and stumps.

Features are numbers from 1. RankLib reads features in single precision; what single precision means
for thresholds is in `single_precision.py`.
"""

from __future__ import annotations

from rankwise.models.exports.linear_json import intercept_remarks, linear_of
from rankwise.models.exports.single_precision import SINGLE_TREES, null_remarks, single_at_most
from rankwise.models.exports.target import Content, EngineNames
from rankwise.models.exports.tree_form import Leaf, Node, additive_trees
from rankwise.models.model_file import ModelFile


def write_linear(file: ModelFile, names: EngineNames) -> Content:
    """`number:weight`, weights in double precision.

    For features that single precision holds, RankLib's scores are w · x exactly as here but for
    the order of summation.
    """
    weights = linear_of(file).weights.tolist()
    pairs = " ".join(f"{number}:{weight!r}" for number, weight in enumerate(weights, 1))
    return f"## Coordinate Ascent\n{pairs}\n", intercept_remarks(file)


def write_trees(file: ModelFile, names: EngineNames) -> Content:
    """RankLib's ensemble in XML, under the name of LambdaMART, which adds up its trees.

    RankLib strips and joins lines and then counts on there being no blanks between elements, so
    that every element has a line of its own.
    """
    trees = additive_trees(file.model.scorer)
    lines = ["## LambdaMART", f"## No. of trees = {len(trees)}", "", "<ensemble>"]
    for number, tree in enumerate(trees, 1):
        lines += [f'<tree id="{number}" weight="1.0">', "<split>", *_elements(tree), "</split>"]
        lines.append("</tree>")
    text = "\n".join([*lines, "</ensemble>"]) + "\n"
    return text, [SINGLE_TREES, *null_remarks(trees, "RankLib")]


def _elements(node: Node) -> list[str]:
    if isinstance(node, Leaf):
        return [f"<output> {node.value!r} </output>"]
    return [
        f"<feature> {node.column + 1} </feature>",
        f"<threshold> {single_at_most(node.threshold)!r} </threshold>",
        '<split pos="left">',
        *_elements(node.left),
        "</split>",
        '<split pos="right">',
        *_elements(node.right),
        "</split>",
    ]
