"""PMML 4.4: RegressionModel, MiningModel of TreeModels, NeuralNetwork; all in double precision.

PMML runs in JPMML-Evaluator, on the machine's Java, in a process of its own. Its Python package,
jpmml_evaluator, is under the AGPL and needs Java; neither comes with Rankwise.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from rankwise import __version__
from rankwise.errors import RankwiseError
from rankwise.models.formats.format import Content, EngineNames, Floats, OpenedExport, run_in
from rankwise.models.formats.tree_nodes import Leaf, Node, additive_trees, splits_of
from rankwise.models.model_file import ModelFile
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import Network
from rankwise.models.scorers.trees import ExpectedLabel

_NAMESPACE = "http://www.dmg.org/PMML-4_4"
# XML has no way to write these.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ACTIVATIONS = {"tanh": "tanh", "relu": "rectifier", "sigmoid": "logistic"}


def write_document(file: ModelFile, names: EngineNames) -> Content:
    """The document of any kind of model; the field `score` (or `score_…`) is what it predicts."""
    if any(_UNWRITABLE.search(name) for name in file.names):
        raise RankwiseError("names of features in PMML must be text that XML can hold")
    target = target_field(file.names)
    title = f"{file.model.ranker}, {file.paper}"
    root = Element("PMML", {"xmlns": _NAMESPACE, "version": "4.4"})
    header = SubElement(root, "Header", {"description": _UNWRITABLE.sub("?", title)})
    SubElement(header, "Application", {"name": "rankwise", "version": __version__})
    dictionary = SubElement(root, "DataDictionary")
    for name in (*file.names, target):
        SubElement(dictionary, "DataField", _number_field(name))
    scorer = file.model.scorer
    if isinstance(scorer, Linear):
        _add_linear(root, scorer, file.names, target)
    elif isinstance(scorer, Network):
        _add_network(root, scorer, file.names, target)
    elif isinstance(scorer, ExpectedLabel):
        _add_expected_label(root, scorer, file.names, target)
    else:
        add_trees(root, additive_trees(scorer), file.names, target)
    ElementTree.indent(root, " ")
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n', []


def target_field(names: Iterable[str]) -> str:
    """A name for the score that no feature has."""
    taken, found = set(names), "score"
    while found in taken:
        found += "_"
    return found


def _add_linear(root: Element, scorer: Linear, names: tuple[str, ...], target: str) -> None:
    """Features of weight 0 are left out, so that they may be NULL."""
    used = np.flatnonzero(scorer.weights).tolist()
    model = SubElement(root, "RegressionModel", {"functionName": "regression"})
    _add_schema(model, [names[column] for column in used], target)
    table = SubElement(model, "RegressionTable", {"intercept": repr(scorer.intercept)})
    for column in used:
        weight = repr(float(scorer.weights[column]))
        SubElement(table, "NumericPredictor", {"name": names[column], "coefficient": weight})


def _add_network(root: Element, scorer: Network, names: tuple[str, ...], target: str) -> None:
    model = SubElement(root, "NeuralNetwork", {"functionName": "regression",
                       "activationFunction": _ACTIVATIONS[scorer.activation]})  # fmt: skip
    _add_schema(model, names, target)
    inputs = SubElement(model, "NeuralInputs")
    before = [f"0,{number}" for number in range(len(names))]
    scaling = zip(before, names, scorer.means.tolist(), scorer.scales.tolist(), strict=True)
    for neuron, name, mean, scale in scaling:
        one = SubElement(inputs, "NeuralInput", {"id": neuron})
        derived = SubElement(one, "DerivedField", {"optype": "continuous", "dataType": "double"})
        quotient = SubElement(derived, "Apply", {"function": "/"})
        difference = SubElement(quotient, "Apply", {"function": "-"})
        SubElement(difference, "FieldRef", {"field": name})
        _add_constant(difference, mean)
        _add_constant(quotient, scale)
    layers = scorer.layers()
    for depth, (weights, biases) in enumerate(layers, 1):
        is_last = {"activationFunction": "identity"} if depth == len(layers) else {}
        layer = SubElement(model, "NeuralLayer", is_last)
        neurons = [f"{depth},{number}" for number in range(len(biases))]
        for neuron, row, bias in zip(neurons, weights.tolist(), biases.tolist(), strict=True):
            one = SubElement(layer, "Neuron", {"id": neuron, "bias": repr(bias)})
            for source, weight in zip(before, row, strict=True):
                SubElement(one, "Con", {"from": source, "weight": repr(weight)})
        before = neurons
    outputs = SubElement(model, "NeuralOutputs")
    output = SubElement(outputs, "NeuralOutput", {"outputNeuron": before[0]})
    derived = SubElement(output, "DerivedField", {"optype": "continuous", "dataType": "double"})
    SubElement(derived, "FieldRef", {"field": target})


def _add_expected_label(
    root: Element, scorer: ExpectedLabel, names: tuple[str, ...], target: str
) -> None:
    """A chain: the sum of each class's trees, then the mean of the labels under their softmax."""
    model = SubElement(root, "MiningModel", {"functionName": "regression"})
    _add_schema(model, names, target)
    chain = SubElement(model, "Segmentation", {"multipleModelMethod": "modelChain"})
    sums = [f"{target}_class_{k}" for k in range(1, len(scorer.classes) + 1)]
    for name, trees in zip(sums, scorer.classes, strict=True):
        segment = SubElement(chain, "Segment")
        SubElement(segment, "True")
        add_trees(segment, additive_trees(trees), names, None, output=name)
    segment = SubElement(chain, "Segment")
    SubElement(segment, "True")
    mean = SubElement(segment, "RegressionModel", {"functionName": "regression"})
    _add_schema(mean, sums, target)
    _add_mean_label(SubElement(mean, "LocalTransformations"), sums, scorer.labels.tolist())
    table = SubElement(mean, "RegressionTable", {"intercept": "0"})
    SubElement(table, "NumericPredictor", {"name": "mean_label", "coefficient": "1"})


def _add_mean_label(parent: Element, sums: list[str], labels: list[float]) -> None:
    highest = _add_derived(parent, "highest", "max")
    for name in sums:
        SubElement(highest, "FieldRef", {"field": name})
    for name in sums:
        exponent = SubElement(_add_derived(parent, f"mass_{name}", "exp"), "Apply",
                              {"function": "-"})  # fmt: skip
        SubElement(exponent, "FieldRef", {"field": name})
        SubElement(exponent, "FieldRef", {"field": "highest"})
    quotient = _add_derived(parent, "mean_label", "/")
    above = SubElement(quotient, "Apply", {"function": "sum"})
    for name, label in zip(sums, labels, strict=True):
        product = SubElement(above, "Apply", {"function": "*"})
        _add_constant(product, label)
        SubElement(product, "FieldRef", {"field": f"mass_{name}"})
    below = SubElement(quotient, "Apply", {"function": "sum"})
    for name in sums:
        SubElement(below, "FieldRef", {"field": f"mass_{name}"})


def _add_derived(parent: Element, name: str, function: str) -> Element:
    field = SubElement(parent, "DerivedField", _number_field(name))
    return SubElement(field, "Apply", {"function": function})


def _add_schema(model: Element, names: Iterable[str], target: str) -> None:
    schema = SubElement(model, "MiningSchema")
    SubElement(schema, "MiningField", {"name": target, "usageType": "target"})
    for name in names:
        SubElement(schema, "MiningField", {"name": name})


def _add_constant(parent: Element, value: float) -> None:
    SubElement(parent, "Constant", {"dataType": "double"}).text = repr(value)


def _number_field(name: str) -> dict[str, str]:
    return {"name": name, "optype": "continuous", "dataType": "double"}


def add_trees(
    parent: Element,
    trees: Sequence[Node],
    names: Sequence[str],
    target: str | None,
    output: str | None = None,
) -> None:
    """A model below `parent` that predicts `target`, or calls its sum `output` for a later one."""
    model = SubElement(parent, "MiningModel", {"functionName": "regression"})
    _add_tree_schema(model, trees, names, target)
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
    _add_tree_schema(model, [tree], names, None)
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


def _add_tree_schema(
    model: Element, trees: Sequence[Node], names: Sequence[str], target: str | None
) -> None:
    schema = SubElement(model, "MiningSchema")
    if target is not None:
        SubElement(schema, "MiningField", {"name": target, "usageType": "target"})
    for column in sorted({split.column for split in splits_of(trees)}):
        SubElement(schema, "MiningField", {"name": names[column]})


# Python and Java in one process would share signals and standard output with the caller.
_PROGRAM = """
import json, sys
from jpmml_evaluator import make_evaluator
given = json.load(sys.stdin)
evaluator = make_evaluator(given["path"], backend="jpype").verify()
target = evaluator.getTargetFields()[0].getName()
scores = []
for row in given["rows"]:
    values = dict(zip(given["names"], row))
    scores.append(evaluator.evaluate(values, nan_as_missing=False).get(target))
print("scores:" + json.dumps(scores))
"""


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """A document; every call starts a Java machine."""
    try:
        version = importlib.metadata.version("jpmml_evaluator")
        importlib.metadata.version("jpype1")
    except importlib.metadata.PackageNotFoundError as error:
        raise RankwiseError(
            "running a PMML document needs jpmml_evaluator (under the AGPL) and Java; "
            "install it with: pip install jpmml_evaluator JPype1"
        ) from error
    if not shutil.which("java"):
        raise RankwiseError("running a PMML document needs Java: install it (version 11 or later)")
    return run_in(
        f"jpmml_evaluator {version}", partial(_run_jpmml, path, tuple(names)), resident=False
    )


def _run_jpmml(path: Path, names: tuple[str, ...], rows: Floats) -> Floats:
    values = [[None if value != value else value for value in row] for row in rows.tolist()]
    given = json.dumps({"path": str(path), "names": names, "rows": values})
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], input=given, capture_output=True, text=True, check=False
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("scores:")]
    if done.returncode or not said:
        raise RankwiseError(f"JPMML cannot score {path}: {done.stderr[-300:]}")
    found = json.loads(said[0].removeprefix("scores:"))
    return np.array([np.nan if one is None else one for one in found], dtype=np.float64)
