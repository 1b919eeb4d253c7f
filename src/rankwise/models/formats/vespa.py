"""Vespa: a rank profile whose expressions compute the model, in double precision.

Each feature is a function of its own at the top of the profile, the one place to say which rank
feature it is. A comparison with NaN is false in Vespa, so that `f <= t` sends NULL right and
`!(f > t)` sends it left. What was written is scored by Vespa's ranking expressions as we read them:
a rank profile's functions, in double precision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.models.formats.engine_features import OF
from rankwise.models.formats.format import Content, EngineNames, Floats, OpenedExport, checked_only
from rankwise.models.formats.tree_nodes import Leaf, Node, additive_trees
from rankwise.models.model_file import ModelFile, read_model_bytes
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import Network
from rankwise.models.scorers.scorer import Scorer
from rankwise.models.scorers.trees import ExpectedLabel, Trees

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


_FUNCTION = re.compile(r"function (\w+)\(\) \{\s*expression: (.*)\n")
_SCORE = re.compile(r"first-phase \{\s*expression: (.*)\n")
_TOKEN = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\w+|<=|[()+\-*/,>!]")
_FEATURE = re.compile(r"feature_(\d+)")

Value = NDArray[Any]
Formula = Callable[["_Row"], Value]


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """Parse every expression of the profile; features are those of the functions feature_1, …"""
    text = read_model_bytes(path).decode("utf-8")
    functions, score = dict(_FUNCTION.findall(text)), _SCORE.search(text)
    if score is None:
        raise RankwiseError(f"{path} is no rank profile: it must have a first phase")
    try:
        formulas = {
            name: _Parser(body).parse()
            for name, body in functions.items()
            if not _FEATURE.fullmatch(name)
        }
        whole = _Parser(score[1]).parse()
    except (ValueError, IndexError, RecursionError) as error:
        raise RankwiseError(f"{path} has an expression that cannot be read: {error}") from error

    def score_rows(rows: Floats) -> Floats:
        with np.errstate(all="ignore"):
            found = whole(_Row(rows, formulas))
        return np.broadcast_to(np.asarray(found, dtype=np.float64), len(rows)).copy()

    return checked_only("Vespa", score_rows)


class _Row:
    """The values of names for all rows, each function computed once."""

    def __init__(self, rows: Floats, formulas: dict[str, Formula]) -> None:
        self.rows, self.formulas = rows, formulas
        self.known: dict[str, Value] = {}

    def value(self, name: str) -> Value:
        if name not in self.known:
            feature = _FEATURE.fullmatch(name)
            if feature:
                self.known[name] = self.rows[:, int(feature[1]) - 1]
            else:
                self.known[name] = self.formulas[name](self)
        return self.known[name]


_CALLS: dict[str, Callable[..., Value]] = {
    "if": lambda test, yes, no: np.where(np.asarray(test) != 0, np.asarray(yes), np.asarray(no)),
    "max": np.maximum,
    "exp": np.exp,
    "tanh": np.tanh,
    "relu": lambda x: np.where(x < 0.0, 0.0, x),
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
}


class _Parser:
    """Sums of products of factors; comparisons bind weakest."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        self.place = 0

    def parse(self) -> Formula:
        found = self._comparison()
        if self.place < len(self.tokens):
            raise ValueError(f"something follows its end: {self.tokens[self.place]}")
        return found

    def _next(self) -> str:
        self.place += 1
        return str(self.tokens[self.place - 1])

    def _peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def _comparison(self) -> Formula:
        left = self._operations(("+", "-"), lambda: self._operations(("*", "/"), self._factor))
        if self._peek() not in ("<=", ">"):
            return left
        sign = self._next()
        right = self._operations(("+", "-"), lambda: self._operations(("*", "/"), self._factor))
        if sign == "<=":
            return lambda row: left(row) <= right(row)
        return lambda row: left(row) > right(row)

    def _operations(self, signs: tuple[str, str], part: Callable[[], Formula]) -> Formula:
        """From left to right, as one loop: sums of hundreds of trees nest no deeper for it."""
        first, rest = part(), []
        while self._peek() in signs:
            rest.append((self._next(), part()))
        if not rest:
            return first

        def compute(row: _Row) -> Value:
            total = first(row)
            for sign, formula in rest:
                total = _ARITHMETIC[sign](total, formula(row))
            return total

        return compute

    def _factor(self) -> Formula:
        token = self._next()
        if token == "!":
            inner = self._factor()
            return lambda row: np.asarray(inner(row)) == 0
        if token == "-":
            inner = self._factor()
            return lambda row: -inner(row)
        if token == "(":
            inner = self._comparison()
            self._expect(")")
            return inner
        if token[0].isdigit():
            number = np.float64(token)
            return lambda row: np.asarray(number)
        if self._peek() != "(":
            return lambda row: row.value(token)
        return self._call(_CALLS[token] if token in _CALLS else _unknown_function(token))

    def _call(self, function: Callable[..., Value]) -> Formula:
        self._expect("(")
        arguments = [self._comparison()]
        while self._peek() == ",":
            self._next()
            arguments.append(self._comparison())
        self._expect(")")
        return lambda row: function(*(one(row) for one in arguments))

    def _expect(self, token: str) -> None:
        found = self._next()
        if found != token:
            raise ValueError(f"expected {token}, found {found}")


_ARITHMETIC: dict[str, Callable[[Value, Value], Value]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}


def _unknown_function(name: str) -> Callable[..., Value]:
    raise ValueError(f"there is no function {name}")
