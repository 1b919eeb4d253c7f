"""A model as one Python file: tuples of numbers and the loops over them, no packages.

The file is imported and called row by row.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.models.formats.format import Content, EngineNames, Floats, OpenedExport, run_in
from rankwise.models.formats.tree_nodes import forest_of
from rankwise.models.model_file import ModelFile, read_model_bytes
from rankwise.models.scorers.expression import LARGEST, Expression
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import Network

_HEAD = '''"""{title}

`score(row)` takes {features} numbers in the order of FEATURES; NULL is NaN or None.
"""

import math

'''
_ROW = '''
def score(row):
    """The score of one document, higher is better."""
    return _score([math.nan if value is None else float(value) for value in row])


def score_rows(rows):
    """One score for each row."""
    return [score(row) for row in rows]
'''
_WALK = '''
NEARLY_ZERO = {nearly_zero!r}


def _add_leaves(x, first, last):
    """The leaves reached in trees first to last - 1; rule 1 sends NULL left, 2 takes 0 for NULL."""
    total = 0.0
    for node in ROOTS[first:last]:
        while node >= 0:
            value = x[COLUMNS[node]]
            if value != value or (RULES[node] >= 2 and abs(value) <= NEARLY_ZERO):
                left = RULES[node] & 1
            else:
                left = value <= THRESHOLDS[node]
            node = LEFT[node] if left else RIGHT[node]
        total += LEAVES[-1 - node]
    return total

'''
_SUM = """
def _score(x):
    return _add_leaves(x, 0, len(ROOTS)) / {divisor!r}

"""
_MEAN_LABEL = '''
def _score(x):
    """The mean of the labels under the softmax of the classes' sums."""
    starts = (0, *ENDS[:-1])
    sums = [_add_leaves(x, a, b) / d for a, b, d in zip(starts, ENDS, DIVISORS)]
    highest = max(sums)
    masses = [math.exp(one - highest) for one in sums]
    total = sum(masses)
    mean = 0.0
    for label, mass in zip(LABELS, masses):
        mean += label * (mass / total)
    return mean

'''
_WEIGHTED = """
def _score(x):
    total = {intercept!r}
    for column, weight in zip(COLUMNS, WEIGHTS):
        total += x[column] * weight
    return total

"""
_NETWORK = """
def _activate(total):
    {activation}


def _score(x):
    values = [(one - mean) / scale for one, mean, scale in zip(x, MEANS, SCALES)]
    weight, bias = iter(WEIGHTS), iter(BIASES)
    for layer, outputs in enumerate(SIZES[1:], 1):
        totals = []
        for _ in range(outputs):
            total = next(bias)
            for value in values:
                total += next(weight) * value
            totals.append(total)
        values = totals if layer == len(SIZES) - 1 else [_activate(one) for one in totals]
    return values[0]

"""
_FORMULA = '''
def _bounded(value):
    value = {largest!r} if value > {largest!r} else value
    return -{largest!r} if value < -{largest!r} else value


_JOIN = {{
    "+": lambda a, b: _bounded(a + b),
    "-": lambda a, b: _bounded(a - b),
    "*": lambda a, b: _bounded(a * b),
    "/": lambda a, b: 1.0 if b == 0.0 else _bounded(a / b),
}}


def _score(x):
    """Postfix: features (x1 is the first) and constants wait until an operation joins them."""
    waiting = []
    for token in POSTFIX:
        if not isinstance(token, str):
            waiting.append(token)
        elif token == "log":
            value = abs(waiting.pop())
            waiting.append(math.log(value) if value != 0.0 else 0.0)
        elif token in _JOIN:
            right, left = waiting.pop(), waiting.pop()
            waiting.append(_JOIN[token](left, right))
        else:
            waiting.append(x[int(token[1:]) - 1])
    return waiting[0]

'''
_ACTIVATIONS = {
    "tanh": "return math.tanh(total)",
    "relu": "return 0.0 if total < 0.0 else total",
    # exp overflows where C gives infinity.
    "sigmoid": "return 0.0 if total < -745.0 else 1.0 / (1.0 + math.exp(-total))",
}


def write_source(file: ModelFile, names: EngineNames) -> Content:
    """The Python file of any kind of model."""
    title = repr(f"{file.model.ranker}, {file.paper}")[1:-1].replace('"', "'")
    head = _HEAD.format(title=title, features=file.model.scorer.n_features)
    return head + _table("FEATURES", file.names) + _body(file) + _ROW, []


def _body(file: ModelFile) -> str:
    scorer = file.model.scorer
    if isinstance(scorer, Linear):
        used = np.flatnonzero(scorer.weights)
        tables = _table("COLUMNS", used.tolist())
        tables += _table("WEIGHTS", scorer.weights[used].tolist())
        return tables + _WEIGHTED.format(intercept=scorer.intercept)
    if isinstance(scorer, Network):
        arrays = ("weights", "biases", "means", "scales")
        tables = "".join(_table(name.upper(), getattr(scorer, name).tolist()) for name in arrays)
        code = _NETWORK.format(activation=_ACTIVATIONS[scorer.activation])
        return tables + _table("SIZES", scorer.sizes) + code
    if isinstance(scorer, Expression):
        return _table("POSTFIX", scorer.tokens()) + _FORMULA.format(largest=LARGEST)
    forest = forest_of(scorer, zeros=True, categories="shared")
    names = ("columns", "thresholds", "rules", "left", "right", "leaves", "roots")
    text = "".join(_table(name.upper(), getattr(forest.tables, name)) for name in names)
    text += _WALK.format(nearly_zero=float(np.float32(1e-35)))
    if not forest.labels:
        return text + _SUM.format(divisor=forest.divisors[0])
    for name in ("ends", "divisors", "labels"):
        text += _table(name.upper(), getattr(forest, name))
    return text + _MEAN_LABEL


def _table(name: str, values: Iterable[object]) -> str:
    written = [repr(value) for value in values]
    lines = (", ".join(written[start : start + 8]) for start in range(0, len(written), 8))
    return f"{name} = (\n" + "".join(f"    {line},\n" for line in lines) + ")\n"


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """Run the file, which defines `score_rows`."""
    space: dict[str, Any] = {"__name__": "exported_model"}
    try:
        exec(compile(read_model_bytes(path), str(path), "exec"), space)
        score_rows = space["score_rows"]
    except Exception as error:
        raise RankwiseError(f"{path} is no exported Python file: {error!r}") from error

    def score(rows: Floats) -> Floats:
        try:
            return np.array(score_rows(rows.tolist()), dtype=np.float64)
        except Exception as error:
            raise RankwiseError(f"{path} cannot score: {error!r}") from error

    return run_in(f"Python {platform.python_version()}", score)
