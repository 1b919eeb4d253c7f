"""The trees of PMML documents: a MiningModel that adds up TreeModels."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from rankwise.models.exports.tree_form import Leaf, Node, splits_of


def add_trees(
    parent: Element,
    trees: Sequence[Node],
    names: Sequence[str],
    target: str | None,
    output: str | None = None,
) -> None:
    """A model below `parent` that predicts `target`, or calls its sum `output` for a later one."""
    model = SubElement(parent, "MiningModel", {"functionName": "regression"})
    _add_schema(model, trees, names, target)
    if output is not None:
        outputs = SubElement(model, "Output")
        SubElement(outputs, "OutputField", {"name": output, "optype": "continuous",
                   "dataType": "double", "feature": "predictedValue"})  # fmt: skip
    segments = SubElement(model, "Segmentation", {"multipleModelMethod": "sum"})
    for tree in trees or [Leaf(0.0)]:
        segment = SubElement(segments, "Segment")
        SubElement(segment, "True")
        _add_tree(segment, tree, names)


def _add_tree(segment: Element, tree: Node, names: Sequence[str]) -> None:
    model = SubElement(segment, "TreeModel", {"functionName": "regression",
                       "missingValueStrategy": "defaultChild",
                       "splitCharacteristic": "binarySplit"})  # fmt: skip
    _add_schema(model, [tree], names, None)
    root = _NumberedNodes(names)
    root.add(model, tree, None)


class _NumberedNodes:
    """Numbers the nodes of one tree: `defaultChild` names a node by its number."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.count = 0

    def add(self, parent: Element, node: Node, predicate: dict[str, str] | None) -> str:
        number = str(self.count)
        self.count += 1
        element = SubElement(parent, "Node", {"id": number})
        if predicate is None:
            SubElement(element, "True")
        else:
            SubElement(element, "SimplePredicate", predicate)
        if isinstance(node, Leaf):
            element.set("score", repr(node.value))
            return number
        test = {"field": self.names[node.column], "value": repr(node.threshold)}
        left = self.add(element, node.left, {**test, "operator": "lessOrEqual"})
        right = self.add(element, node.right, {**test, "operator": "greaterThan"})
        element.set("defaultChild", left if node.null_left else right)
        return number


def _add_schema(
    model: Element, trees: Sequence[Node], names: Sequence[str], target: str | None
) -> None:
    schema = SubElement(model, "MiningSchema")
    if target is not None:
        SubElement(schema, "MiningField", {"name": target, "usageType": "target"})
    for column in sorted({split.column for split in splits_of(trees)}):
        SubElement(schema, "MiningField", {"name": names[column]})
