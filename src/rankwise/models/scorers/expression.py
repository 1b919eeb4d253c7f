"""A formula of features and constants: f(x) = x_3 * log(x_1) + 0.5, kept in postfix order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import RankwiseError
from rankwise.models.scorers.scorer import Scorer, integers, matrix_of, numbers
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, function

OPERATIONS = {"+": -1, "-": -2, "*": -3, "/": -4, "log": -5}
"""The codes of the operations, as in expression.h; columns are their own codes, from 0."""
CONSTANT = -6
"""The code of a constant."""
LARGEST = 1e150
"""Results beyond it are set to it, so that formulas of numbers never overflow."""

_SYMBOLS = {code: symbol for symbol, code in OPERATIONS.items()}
_LONGEST = 100_000
_DEEPEST = 1000
_MOST_FEATURES = 2**31
_ROWS_AT_ONCE = 64
_POINTS = 64

_expression_scores = function(
    "rankwise_expression_scores",
    *(DOUBLES, INT64, INT64, INT64S, DOUBLES, INT64, DOUBLES_OUT, INT64, DOUBLES_OUT),
    returns=INT64,
)


@dataclass(frozen=True, eq=False)
class Expression(Scorer):
    """f(x), a formula over +, −, ·, ÷ and log in postfix order: operands, then what joins them.

    Division by 0 gives 1 and log(x) is ln |x|, 0 at 0, as genetic programming has them; a result
    of + − · ÷ beyond ±1e150 is set to that bound. So finite features have finite scores. A NULL
    feature makes the score NaN.

    Attributes:
        codes: a column from 0, an operation of `OPERATIONS`, or `CONSTANT`, place by place.
        constants: the value where the code is `CONSTANT`; 0 elsewhere.
        width: how many features a document must have.
    """

    kind: ClassVar[str] = "expression"
    codes: NDArray[np.int64]
    constants: NDArray[np.float64]
    width: int

    def __post_init__(self) -> None:
        if not 1 <= self.width < _MOST_FEATURES:
            raise RankwiseError(f"a formula must have at least one feature, found {self.width}")
        if not 1 <= len(self.codes) == len(self.constants) <= _LONGEST:
            raise RankwiseError(
                f"a formula must have 1 to {_LONGEST} places, found {len(self.codes)}"
            )
        if not 1 <= self.depth <= _DEEPEST:
            raise RankwiseError(
                "a formula must join the operands before it until one value is left, with at most "
                f"{_DEEPEST} waiting, found {' '.join(map(str, self.tokens()[:8]))} …"
            )

    @classmethod
    def of(cls, tokens: Iterable[str | float], width: int) -> Expression:
        """From tokens in postfix order: `x1` the first feature, `+`, `log`, or a number."""
        known = list(tokens)
        codes = [_code_of(token, width) for token in known]
        constants = [
            float(token) if code == CONSTANT else 0.0
            for token, code in zip(known, codes, strict=True)
        ]
        return cls(np.array(codes, dtype=np.int64), np.array(constants, dtype=np.float64), width)

    @cached_property
    def depth(self) -> int:
        """How many values are kept at once; 0 where the codes are no formula."""
        return expression_depth(self.codes.tolist(), self.width)

    @property
    def n_features(self) -> int:
        """The width of the data that it was learned from."""
        return self.width

    def score(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value of the formula, row by row."""
        matrix = matrix_of(features, self.width)
        scores = np.empty(len(matrix))
        stack = np.empty(self.depth * _ROWS_AT_ONCE)
        fits = _expression_scores(
            matrix,
            *matrix.shape,
            self.codes,
            self.constants,
            len(self.codes),
            stack,
            self.depth,
            scores,
        )
        if not fits:
            raise ValueError("the codes of a formula must not change")
        return scores

    def score_sparse(self, sparse: SparseFeatures) -> NDArray[np.float64]:
        """As `score`, of the features that are asked for alone."""
        used, places = np.unique(self.codes[self.codes >= 0], return_inverse=True)
        codes = self.codes.copy()
        codes[codes >= 0] = places
        narrow = Expression(codes, self.constants, max(1, len(used)))
        chosen = sparse.take_columns(used).widened(narrow.width)
        return Scorer.score_sparse(narrow, chosen)

    def tokens(self) -> list[str | float]:
        """The formula as `of` takes it."""
        return [
            constant if code == CONSTANT else _SYMBOLS.get(code, f"x{code + 1}")
            for code, constant in zip(self.codes.tolist(), self.constants.tolist(), strict=True)
        ]

    def importance(self) -> NDArray[np.float64]:
        """The median of |f(x) − f(z)| over fixed points of the unit cube.

        x and z differ in one feature, which is 1 and 0; features of LETOR's normalised data lie
        between these.
        """
        total = np.zeros(self.width)
        used = np.unique(self.codes[self.codes >= 0])
        points = np.zeros((_POINTS, self.width))
        points[:, used] = np.random.default_rng(0).random((_POINTS, len(used)))
        for column in used.tolist():
            high, low = points.copy(), points.copy()
            high[:, column], low[:, column] = 1.0, 0.0
            total[column] = np.median(np.abs(self.score(high) - self.score(low)))
        return total

    def as_json(self) -> dict[str, Any]:
        """`features`, their number, and `postfix`, the tokens."""
        return {"features": self.width, "postfix": self.tokens()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Expression:
        """From the values of `as_json`."""
        width = int(integers({"features": [values.get("features")]}, "features")[0])
        tokens = values.get("postfix")
        if not isinstance(tokens, list) or not len(tokens) <= _LONGEST:
            raise RankwiseError(
                f"a model file must hold a list of at most {_LONGEST} tokens under 'postfix'"
            )
        constants = [token for token in tokens if not isinstance(token, str)]
        numbers({"postfix": constants}, "postfix")
        return cls.of(tokens, width)


def expression_depth(codes: Sequence[int], width: int) -> int:
    """How many values a formula keeps at once; 0 where the codes are none over `width` features."""
    kept = deepest = 0
    for code in codes:
        if not CONSTANT <= code < width:
            return 0
        if code >= 0 or code == CONSTANT:
            kept += 1
        elif code != OPERATIONS["log"]:
            kept -= 1
        if kept < 1:
            return 0
        deepest = max(deepest, kept)
    return deepest if kept == 1 else 0


def _code_of(token: str | float, width: int) -> int:
    if not isinstance(token, str):
        return CONSTANT
    if token in OPERATIONS:
        return OPERATIONS[token]
    named = re.fullmatch("x([1-9][0-9]{0,9})", token, re.ASCII)
    if named is None or int(named[1]) > width:
        raise RankwiseError(
            f"the tokens of a formula must be numbers, {', '.join(OPERATIONS)} or x1 to x{width}, "
            f"found {token[:40]!r}"
        )
    return int(named[1]) - 1
