"""ONNX graphs: input `features` (documents, features), output `score` (documents, 1).

In double precision trees are a TreeEnsemble of ai.onnx.ml 5, the first version whose output is
double; in single precision a TreeEnsembleRegressor of ai.onnx.ml 1, which every onnxruntime reads,
with thresholds that split single precision features in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise import __version__
from rankwise.errors import MissingExtra
from rankwise.models.exports import onnx_trees
from rankwise.models.exports.forest_tables import Forest, forest_of
from rankwise.models.exports.single_precision import SINGLE_TREES
from rankwise.models.exports.target import Content, EngineNames
from rankwise.models.model_file import ModelFile
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.network import Network

INPUT, OUTPUT = "features", "score"
_OPSET, _IR_VERSION = 17, 8
_ACTIVATIONS = {"tanh": "Tanh", "relu": "Relu", "sigmoid": "Sigmoid"}


def write_double(file: ModelFile, names: EngineNames) -> Content:
    """The graph in double precision."""
    return _graph(file, np.dtype(np.float64), 5), []


def write_single(file: ModelFile, names: EngineNames) -> Content:
    """The graph in single precision."""
    return _graph(file, np.dtype(np.float32), 1), [SINGLE_TREES]


@dataclass
class GraphParts:
    """The nodes and constants of a graph that is being made, all of one precision."""

    precision: np.dtype[Any]
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """A constant in the precision of the graph; whole numbers stay whole."""
        from onnx import numpy_helper

        kept = values if values.dtype.kind == "i" else values.astype(self.precision)
        self.constants.append(numpy_helper.from_array(kept, name))
        return name

    def step(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """One more node, and the name of what it gives."""
        from onnx import helper

        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output


def _graph(file: ModelFile, precision: np.dtype[Any], trees_version: int) -> bytes:
    try:
        from onnx import TensorProto, checker, helper
    except ImportError as error:
        raise MissingExtra("an ONNX file", "exports") from error
    parts = GraphParts(precision)
    scorer = file.model.scorer
    if isinstance(scorer, Linear):
        _add_linear(parts, scorer)
    elif isinstance(scorer, Network):
        _add_network(parts, scorer)
    else:
        _add_forest(parts, forest_of(scorer, zeros=False), trees_version)
    number = TensorProto.DOUBLE if precision == np.float64 else TensorProto.FLOAT
    graph = helper.make_graph(
        parts.nodes,
        "rankwise",
        [helper.make_tensor_value_info(INPUT, number, ["documents", scorer.n_features])],
        [helper.make_tensor_value_info(OUTPUT, number, ["documents", 1])],
        parts.constants,
    )
    domains = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", trees_version)]
    model = helper.make_model(
        graph, opset_imports=domains, ir_version=_IR_VERSION,
        producer_name="rankwise", producer_version=__version__,
    )  # fmt: skip
    checker.check_model(model)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _add_linear(parts: GraphParts, scorer: Linear) -> None:
    """Features of weight 0 are left out, so that they may be NULL."""
    used = np.flatnonzero(scorer.weights)
    columns = parts.constant("columns", used.astype(np.int64))
    weights = parts.constant("weights", scorer.weights[used][:, np.newaxis])
    intercept = parts.constant("intercept", np.array([scorer.intercept]))
    chosen = parts.step("Gather", [INPUT, columns], "chosen", axis=1)
    product = parts.step("MatMul", [chosen, weights], "product")
    parts.step("Add", [product, intercept], OUTPUT)


def _add_network(parts: GraphParts, scorer: Network) -> None:
    centred = parts.step("Sub", [INPUT, parts.constant("means", scorer.means)], "centred")
    before = parts.step("Div", [centred, parts.constant("scales", scorer.scales)], "scaled")
    layers = scorer.layers()
    for number, (weights, biases) in enumerate(layers, 1):
        matrix = parts.constant(f"weights_{number}", weights.T)
        product = parts.step("MatMul", [before, matrix], f"product_{number}")
        is_last = number == len(layers)
        output = OUTPUT if is_last else f"total_{number}"
        total = parts.step("Add", [product, parts.constant(f"bias_{number}", biases)], output)
        if not is_last:
            before = parts.step(_ACTIVATIONS[scorer.activation], [total], f"hidden_{number}")


def _add_forest(parts: GraphParts, forest: Forest, version: int) -> None:
    """Sums of trees, divided; where there are labels, their mean under the softmax of the sums."""
    add = onnx_trees.add_ensemble if version >= 5 else onnx_trees.add_regressor
    sums = add(parts, INPUT, forest, "sums")
    divisors = parts.constant("divisors", np.array(forest.divisors))
    if not forest.labels:
        parts.step("Div", [sums, divisors], OUTPUT)
        return
    divided = parts.step("Div", [sums, divisors], "divided")
    chances = parts.step("Softmax", [divided], "chances", axis=1)
    labels = parts.constant("labels", np.array(forest.labels)[:, np.newaxis])
    parts.step("MatMul", [chances, labels], OUTPUT)
