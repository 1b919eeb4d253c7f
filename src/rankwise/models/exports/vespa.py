"""Vespa: a rank profile whose expressions compute the model, in double precision.

Each feature is a function of its own at the top of the profile, the one place to say which rank
feature it is. A comparison with NaN is false in Vespa, so that `f <= t` sends NULL right and
`!(f > t)` sends it left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rankwise.models.exports.engine_features import OF
from rankwise.models.exports.target import Content, EngineNames
from rankwise.models.exports.tree_form import Leaf, Node, additive_trees
from rankwise.models.model_file import ModelFile
from rankwise.rankers.scorers.expected_label import ExpectedLabel
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.network import Network
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.scorers.trees import Trees

_FIELD = re.compile(r"[A-Za-z_]\w*")
_RANK_FEATURE = re.compile(r"[A-Za-z_]\w*\([\w,. ]*\)(\.\w+)?")
_RANK_FEATURES = {"bm25": "bm25", "length": "fieldLength"}
_ATTRIBUTE_REMARK = (
    "features are read as attributes of their names; say in the functions at the top of the "
    "profile where they are other rank features"
)


def write_profile(file: ModelFile, names: EngineNames) -> Content:
    """The rank profile of any kind of model."""
    functions, remarks = _features(file)
    more, score = _functions(file.model.scorer)
    profile = re.sub(r"\W", "_", names.model)
    blocks = [_block(f"function {name}()", text) for name, text in (functions | more).items()]
    blocks.append(_block("first-phase", score))
    return f"rank-profile {profile} {{\n" + "".join(blocks) + "}\n", remarks


def _features(file: ModelFile) -> tuple[dict[str, str], list[str]]:
    functions, unknown = {}, []
    for number, given in enumerate(file.names, 1):
        name = _as_rank_feature(given)
        if _RANK_FEATURE.fullmatch(name):
            functions[f"feature_{number}"] = name
        elif _FIELD.fullmatch(name):
            functions[f"feature_{number}"] = f"attribute({name})"
        else:
            functions[f"feature_{number}"] = f"attribute(feature_{number})"
            unknown.append(name)
    if not unknown:
        return functions, [_ATTRIBUTE_REMARK]
    first = f"the feature {unknown[0]!r} is no name that Vespa takes; its attribute is called by "
    return functions, [_ATTRIBUTE_REMARK, first + f"its number, as are {len(unknown) - 1} others"]


def _as_rank_feature(name: str) -> str:
    """The rank feature that Vespa has for a feature of a built data set, else the name."""
    what, _, field = name.partition(OF)
    known = _RANK_FEATURES.get(what)
    return name if known is None or not _FIELD.fullmatch(field) else f"{known}({field})"


def _functions(scorer: Scorer) -> tuple[dict[str, str], str]:
    """Functions by name, and the expression of the score."""
    if isinstance(scorer, Linear):
        used = np.flatnonzero(scorer.weights).tolist()
        terms = [f"feature_{j + 1} * {_number(float(scorer.weights[j]))}" for j in used]
        return {}, " + ".join([_number(scorer.intercept), *terms])
    if isinstance(scorer, Network):
        return _network(scorer)
    if isinstance(scorer, ExpectedLabel):
        return _expected_label(scorer)
    return _forest(scorer, "tree")


def _forest(scorer: Scorer, name: str) -> tuple[dict[str, str], str]:
    trees = additive_trees(scorer, divided=False)
    functions = {f"{name}_{n}": _tree(tree) for n, tree in enumerate(trees, 1)}
    total = " + ".join(functions) or "0.0"
    if isinstance(scorer, Trees) and scorer.divisor != 1.0:
        return functions, f"({total}) / {_number(scorer.divisor)}"
    return functions, total


def _tree(node: Node) -> str:
    if isinstance(node, Leaf):
        return _number(node.value)
    feature, threshold = f"feature_{node.column + 1}", _number(node.threshold)
    test = f"!({feature} > {threshold})" if node.null_left else f"{feature} <= {threshold}"
    return f"if ({test}, {_tree(node.left)}, {_tree(node.right)})"


def _network(scorer: Network) -> tuple[dict[str, str], str]:
    functions = {
        f"scaled_{n}": f"(feature_{n} - {_number(mean)}) / {_number(scale)}"
        for n, (mean, scale) in enumerate(
            zip(scorer.means.tolist(), scorer.scales.tolist(), strict=True), 1
        )
    }
    before, layers = list(functions), scorer.layers()
    for depth, (weights, biases) in enumerate(layers, 1):
        totals = [
            _weighted(before, row, bias)
            for row, bias in zip(weights.tolist(), biases.tolist(), strict=True)
        ]
        if depth == len(layers):
            return functions, totals[0]
        hidden = {
            f"hidden_{depth}_{n}": f"{scorer.activation}({total})"
            for n, total in enumerate(totals, 1)
        }
        functions |= hidden
        before = list(hidden)
    return functions, "0.0"


def _weighted(inputs: Sequence[str], weights: Sequence[float], bias: float) -> str:
    terms = (f"{_number(w)} * {name}" for w, name in zip(weights, inputs, strict=True))
    return " + ".join([_number(bias), *terms])


def _expected_label(scorer: ExpectedLabel) -> tuple[dict[str, str], str]:
    functions: dict[str, str] = {}
    sums = [f"class_{k}" for k in range(1, len(scorer.classes) + 1)]
    for name, trees in zip(sums, scorer.classes, strict=True):
        more, total = _forest(trees, f"{name}_tree")
        functions |= more | {name: total}
    highest = sums[0]
    for _, name in pairwise(sums):
        highest = f"max({highest}, {name})"
    functions["highest"] = highest
    functions |= {f"mass_{name}": f"exp({name} - highest)" for name in sums}
    functions["mass"] = " + ".join(f"mass_{name}" for name in sums)
    means = (
        f"{_number(label)} * (mass_{name} / mass)"
        for label, name in zip(scorer.labels.tolist(), sums, strict=True)
    )
    return functions, " + ".join(means)


def _block(head: str, expression: str) -> str:
    return f"    {head} {{\n        expression: {expression}\n    }}\n"


def _number(value: float) -> str:
    return f"({value!r})" if value < 0.0 else repr(value)
