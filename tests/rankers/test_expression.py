"""Formulas as scorers: literal values, bounds, files that may be hostile, sparse rows."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import RankwiseError
from rankwise.models.scorers.expression import LARGEST, Expression
from rankwise.rankers.search.formula_trees import ExpressionTrees


def literal(tokens, row):
    """The formula by Python's own arithmetic."""
    waiting = []
    for token in tokens:
        if not isinstance(token, str):
            waiting.append(token)
        elif token.startswith("x"):
            waiting.append(row[int(token[1:]) - 1])
        elif token == "log":
            value = abs(waiting.pop())
            waiting.append(math.log(value) if value else 0.0)
        else:
            b, a = waiting.pop(), waiting.pop()
            found = {"+": a + b, "-": a - b, "*": a * b}.get(token)
            found = (a / b if b else 1.0) if found is None else found
            waiting.append(max(-LARGEST, min(LARGEST, found)) if b or token != "/" else 1.0)
    return waiting[0]


def test_the_equation_of_the_page() -> None:
    formula = Expression.of(["x3", "x1", "log", "*", 0.5, "+"], 3)
    row = np.array([[2.0, 9.0, 3.0]])
    assert formula.score(row).tolist() == [3.0 * math.log(2.0) + 0.5]
    assert formula.n_features == 3


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (["x1", "x2", "/"], 1.0),
        (["x2", "log"], 0.0),
        (["x1", "log"], math.log(4.0)),
        (["x3", "x3", "*"], LARGEST),
        (["x1", "x3", "x3", "*", "-"], -LARGEST),
        (["x3"], 1e200),
    ],
)
def test_division_by_0_logarithms_and_bounds(tokens, expected) -> None:
    found = Expression.of(tokens, 3).score(np.array([[-4.0, 0.0, 1e200]]))
    assert found.tolist() == [expected]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40)
def test_random_formulas_have_their_literal_values(seed) -> None:
    rng = np.random.default_rng(seed)
    trees = ExpressionTrees(4, deepest=6)
    formula = trees.scorer(trees.grow(rng, 6))
    rows = rng.choice([0.0, -1.5, 0.3, 1e9, 1e160, 1e-200], (70, 4))
    found = formula.score(rows)
    assert found.tolist() == [literal(formula.tokens(), row) for row in rows.tolist()]
    assert np.isfinite(found).all()
    back = Expression.from_json(json.loads(json.dumps(formula.as_json())))
    assert back.score(rows).tobytes() == found.tobytes()


def test_null_is_no_number_but_only_where_it_is_asked_for() -> None:
    rows = np.array([[1.0, np.nan]])
    assert np.isnan(Expression.of(["x1", "x2", "+"], 2).score(rows)[0])
    assert Expression.of(["x1", "log"], 2).score(rows).tolist() == [0.0]


def test_sparse_rows_score_as_dense_ones() -> None:
    rng = np.random.default_rng(0)
    features = np.where(rng.random((90, 30)) < 0.1, rng.random((90, 30)), 0.0)
    sparse = SparseFeatures.from_dense(features)
    for tokens in (["x30", "x2", "-", "x7", "/", "log"], [0.5]):
        formula = Expression.of(tokens, 30)
        found = formula.score_sparse(sparse)
        assert found.tobytes() == formula.score(features).tobytes()


def test_importance_is_what_a_feature_moves() -> None:
    found = Expression.of(["x1", 3.0, "*", "x3", "-"], 4).importance()
    assert found.tolist() == pytest.approx([3.0, 0.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"postfix": []}, "places"),
        ({"postfix": None}, "tokens"),
        ({"postfix": ["x1", "x1"]}, "until one value is left"),
        ({"postfix": ["+"]}, "until one value is left"),
        ({"postfix": ["x1", "+"]}, "until one value is left"),
        ({"postfix": ["x0"]}, "x1 to x2"),
        ({"postfix": ["x3"]}, "x1 to x2"),
        ({"postfix": ["x1\n"]}, "x1 to x2"),
        ({"postfix": ["x" + "9" * 400]}, "x1 to x2"),
        ({"postfix": ["__import__"]}, "found '__import__'"),
        ({"postfix": [None]}, "list of numbers"),
        ({"postfix": [True]}, "list of numbers"),
        ({"postfix": [float("inf")]}, "finite"),
        ({"postfix": [10**400]}, "finite"),
        ({"postfix": ["x1"] * 2000 + ["+"] * 1999}, "at most 1000 waiting"),
        ({"postfix": ["x1"] * 100_001}, "at most 100000"),
        ({"features": 0}, "at least one feature"),
        ({"features": "2"}, "whole numbers"),
    ],
)
def test_what_is_no_formula_is_refused(values, words) -> None:
    with pytest.raises(RankwiseError, match=words):
        Expression.from_json({"features": 2, "postfix": [1.0]} | values)
