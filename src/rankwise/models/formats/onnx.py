"""ONNX graphs: input `features` (documents, features), output `score` (documents, 1).

In double precision trees are a TreeEnsemble of ai.onnx.ml 5, the first version whose output is
double; in single precision a TreeEnsembleRegressor of ai.onnx.ml 1, which every onnxruntime reads,
with thresholds that split single precision features in the same way. Graphs run in onnxruntime, on
one thread: sums of several are added in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise import __version__
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.formats.format import Content, EngineNames, Floats, OpenedExport, run_in
from rankwise.models.formats.tree_nodes import (
    NULL_LEFT,
    SINGLE_TREES,
    Forest,
    forest_of,
    single_at_most,
)
from rankwise.models.model_file import ModelFile, read_model_bytes
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import Network

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
    add = add_ensemble if version >= 5 else add_regressor
    sums = add(parts, INPUT, forest, "sums")
    divisors = parts.constant("divisors", np.array(forest.divisors))
    if not forest.labels:
        parts.step("Div", [sums, divisors], OUTPUT)
        return
    divided = parts.step("Div", [sums, divisors], "divided")
    chances = parts.step("Softmax", [divided], "chances", axis=1)
    labels = parts.constant("labels", np.array(forest.labels)[:, np.newaxis])
    parts.step("MatMul", [chances, labels], OUTPUT)


_DOMAIN = "ai.onnx.ml"
_LESS_OR_EQUAL, _SUM, _NO_TRANSFORM = 0, 1, 0


class Parts(Protocol):
    """A graph that nodes are added to."""

    def step(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """One more node, and the name of what it gives."""


def add_ensemble(parts: Parts, features: str, forest: Forest, output: str) -> str:
    """TreeEnsemble of ai.onnx.ml 5, in double precision: nodes and leaves in separate lists."""
    from onnx import numpy_helper

    tables = forest.tables
    columns, rules = list(tables.columns), list(tables.rules)
    thresholds = list(tables.thresholds)
    left, right, roots = list(tables.left), list(tables.right), list(tables.roots)
    targets = _leaf_targets(forest)
    leaves = list(tables.leaves) or [0.0]
    for number, root in enumerate(roots or [-1]):
        # Every tree begins with a node: one that is a leaf gets a node that leads there both ways.
        if root < 0:
            roots[number : number + 1] = [len(columns)]
            columns.append(0)
            thresholds.append(0.0)
            rules.append(0)
            left.append(root)
            right.append(root)
    return parts.step(
        "TreeEnsemble", [features], output,
        domain=_DOMAIN,
        n_targets=len(forest.ends),
        aggregate_function=_SUM,
        post_transform=_NO_TRANSFORM,
        tree_roots=roots,
        nodes_featureids=columns,
        nodes_modes=numpy_helper.from_array(np.full(len(columns), _LESS_OR_EQUAL, np.uint8)),
        nodes_splits=numpy_helper.from_array(np.array(thresholds, np.float64)),
        nodes_missing_value_tracks_true=[rule & NULL_LEFT for rule in rules],
        nodes_truenodeids=[child if child >= 0 else -1 - child for child in left],
        nodes_trueleafs=[int(child < 0) for child in left],
        nodes_falsenodeids=[child if child >= 0 else -1 - child for child in right],
        nodes_falseleafs=[int(child < 0) for child in right],
        leaf_targetids=targets or [0],
        leaf_weights=numpy_helper.from_array(np.array(leaves, np.float64)),
    )  # fmt: skip


def add_regressor(parts: Parts, features: str, forest: Forest, output: str) -> str:
    """TreeEnsembleRegressor of ai.onnx.ml 1, in single precision: nodes numbered tree by tree."""
    nodes: dict[str, list[Any]] = {name: [] for name in _NODE_LISTS}
    leaves: dict[str, list[Any]] = {name: [] for name in _LEAF_LISTS}
    tree = 0
    for target, (first, end) in enumerate(pairwise((0, *forest.ends))):
        for root in forest.tables.roots[first:end]:
            _number_tree(forest, root, tree, target, nodes, leaves)
            tree += 1
    if not tree:
        _add_leaf(nodes, leaves, 0, 0, 0, 0.0)
    return parts.step(
        "TreeEnsembleRegressor", [features], output,
        domain=_DOMAIN, n_targets=len(forest.ends), aggregate_function="SUM",
        post_transform="NONE", **nodes, **leaves,
    )  # fmt: skip


_NODE_LISTS = ("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes",
               "nodes_truenodeids", "nodes_falsenodeids",
               "nodes_missing_value_tracks_true")  # fmt: skip
_LEAF_LISTS = ("target_treeids", "target_nodeids", "target_ids", "target_weights")


def _number_tree(
    forest: Forest, root: int, tree: int, target: int,
    nodes: dict[str, list[Any]], leaves: dict[str, list[Any]],
) -> None:  # fmt: skip
    """Nodes and leaves of a tree have one numbering, in the order in which they are met."""
    tables = forest.tables
    waiting, count = [(root, 0)], 1
    while waiting:
        child, number = waiting.pop(0)
        if child < 0:
            _add_leaf(nodes, leaves, tree, number, target, tables.leaves[-1 - child])
            continue
        values = (tree, number, tables.columns[child], single_at_most(tables.thresholds[child]),
                  "BRANCH_LEQ", count, count + 1, tables.rules[child] & NULL_LEFT)  # fmt: skip
        for name, value in zip(_NODE_LISTS, values, strict=True):
            nodes[name].append(value)
        waiting += [(tables.left[child], count), (tables.right[child], count + 1)]
        count += 2


def _add_leaf(
    nodes: dict[str, list[Any]], leaves: dict[str, list[Any]],
    tree: int, number: int, target: int, value: float,
) -> None:  # fmt: skip
    for name, one in zip(_NODE_LISTS, (tree, number, 0, 0.0, "LEAF", 0, 0, 0), strict=True):
        nodes[name].append(one)
    for name, one in zip(_LEAF_LISTS, (tree, number, target, value), strict=True):
        leaves[name].append(one)


def _leaf_targets(forest: Forest) -> list[int]:
    """The sum that each leaf belongs to: leaves lie tree by tree."""
    targets = [0] * len(forest.tables.leaves)
    for target, (first, end) in enumerate(pairwise((0, *forest.ends))):
        waiting = list(forest.tables.roots[first:end])
        while waiting:
            child = waiting.pop()
            if child < 0:
                targets[-1 - child] = target
            else:
                waiting += [forest.tables.left[child], forest.tables.right[child]]
    return targets


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """A session that takes features in the precision that the graph asks for."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtra("running an ONNX file", "exports") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            read_model_bytes(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise RankwiseError(f"onnxruntime cannot load {path}: {error}") from error
    [given] = session.get_inputs()
    precision = np.float64 if given.type == "tensor(double)" else np.float32

    def score(rows: Floats) -> Floats:
        with np.errstate(over="ignore"):
            fed = rows.astype(precision)
        [found] = session.run(None, {given.name: fed})
        return np.asarray(found[:, 0], dtype=np.float64)

    return run_in(f"onnxruntime {onnxruntime.__version__}", score)
