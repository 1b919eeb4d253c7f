"""Vespa's ranking expressions as we read them: a rank profile's functions, in double precision."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.models.hostile_json import read_model_bytes
from rankwise.models.runtimes.runtime import Floats, OpenedExport, checked_only

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
        return self._call(_CALLS[token] if token in _CALLS else _unknown(token))

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


def _unknown(name: str) -> Callable[..., Value]:
    raise ValueError(f"there is no function {name}")
