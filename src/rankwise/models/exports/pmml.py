"""PMML 4.4: RegressionModel, MiningModel of TreeModels, NeuralNetwork; all in double precision."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from rankwise import __version__
from rankwise.errors import RankwiseError
from rankwise.models.exports.pmml_trees import add_trees
from rankwise.models.exports.target import Content, EngineNames
from rankwise.models.exports.tree_form import additive_trees
from rankwise.models.model_file import ModelFile
from rankwise.rankers.scorers.expected_label import ExpectedLabel
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.network import Network

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
