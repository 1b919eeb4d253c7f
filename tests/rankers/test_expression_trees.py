"""Formulas that vary: always formulas, never too deep, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.models.scorers.expression import OPERATIONS, Expression, expression_depth
from rankwise.rankers.search.formula_trees import (
    ExpressionTrees,
    Tree,
    find_subtree,
    join,
    levels,
    substitute,
)
from rankwise.rankers.search.gprank import GeneticProgramming, GeneticRates
from rankwise.rankers.search.iprank import ImmuneProgramming, ImmuneRates


def tree_of(*tokens, width=9):
    formula = Expression.of(tokens, width)
    return Tree(tuple(formula.codes.tolist()), tuple(formula.constants.tolist()))


@given(seed=st.integers(0, 10_000), deepest=st.integers(1, 7), logarithms=st.booleans())
@settings(max_examples=40)
def test_variation_makes_formulas_within_the_depth(seed, deepest, logarithms) -> None:
    rng = np.random.default_rng(seed)
    trees = ExpressionTrees(3, deepest, logarithms)
    population = trees.populate(rng, 12)
    for _ in range(3):
        first, second = population[rng.integers(12)], population[rng.integers(12)]
        population += [
            trees.cross(rng, first, second),
            trees.mutate(rng, first),
            trees.change_point(rng, second),
        ]
    for tree in population:
        assert expression_depth(tree.codes, 3) > 0
        assert levels(tree) <= deepest
        assert len(tree.codes) == len(tree.constants)
        assert logarithms or OPERATIONS["log"] not in tree.codes


def test_full_formulas_have_all_their_levels() -> None:
    trees = ExpressionTrees(3, 5, logarithms=False)
    grown = trees.grow(np.random.default_rng(0), 5, full=True)
    assert levels(grown) == 5
    assert len(grown.codes) == 2**5 - 1


def test_a_subtree_is_the_slice_that_ends_with_its_root() -> None:
    tree = tree_of("x1", "x2", "x3", "*", "log", "+")
    assert [find_subtree(tree.codes, root) for root in range(6)] == [0, 1, 2, 1, 1, 0]
    assert levels(tree) == 4


def test_crossing_takes_parts_of_both_parents() -> None:
    rng = np.random.default_rng(0)
    trees = ExpressionTrees(9, 4)
    first, second = tree_of("x1", "x2", "+"), tree_of("x3", "x4", "*")
    children = {trees.cross(rng, first, second).codes for _ in range(60)}
    assert (2, 1, OPERATIONS["+"]) in children
    assert second.codes in children
    assert all(set(codes) <= {0, 1, 2, 3, *OPERATIONS.values()} for codes in children)


def test_joined_formulas_are_added_and_substituted_ones_written_out() -> None:
    rows = np.random.default_rng(0).random((5, 2))
    x, y = rows.T
    parts = [tree_of("x1", "x2", "*", width=2), tree_of("x2", "log", width=2)]
    trees = ExpressionTrees(2, 9)
    assert trees.scorer(join(parts)).score(rows) == pytest.approx(x * y + np.log(y))
    above = tree_of("x3", "x4", "-", "x1", "/", width=4)
    found = trees.scorer(substitute(above, parts, 2)).score(rows)
    assert found == pytest.approx((x * y - np.log(y)) / x)


def counted(tree) -> float:
    """A figure to climb: how often the first feature is named, without the others."""
    return float(sum(code == 0 for code in tree.codes) - sum(code > 0 for code in tree.codes))


@pytest.mark.parametrize(
    ("make", "rates"),
    [
        (GeneticProgramming, GeneticRates(crossover=0.9, mutation=0.1, tournament=3)),
        (ImmuneProgramming, ImmuneRates(replacement=0.1, mutation=0.3)),
    ],
)
def test_generations_climb_and_never_fall(make, rates) -> None:
    rng = np.random.default_rng(2)
    trees = ExpressionTrees(4, 5)
    evolution = make(trees, trees.populate(rng, 30), rng, rates)
    best = []
    for generation in range(25):
        if generation:
            evolution.breed()
        assert len(evolution.population) == 30
        evolution.take_figures(np.array([counted(tree) for tree in evolution.population]))
        best.append(counted(evolution.best))
    assert np.all(np.diff(best) >= 0)
    assert best[-1] > best[0]


def test_of_equally_good_formulas_the_shortest_is_best() -> None:
    long, short = tree_of("x1", "x1", "+"), tree_of("x1")
    rng, trees = np.random.default_rng(0), ExpressionTrees(9, 3)
    for evolution in (
        GeneticProgramming(trees, [long, short], rng, GeneticRates(0.9, 0.1, 2)),
        ImmuneProgramming(trees, [long, short], rng, ImmuneRates(0.1, 0.3)),
    ):
        evolution.take_figures(np.array([0.5, 0.5]))
        assert evolution.best == short


def test_antibodies_are_cloned_the_more_the_better_they_are() -> None:
    rng, trees = np.random.default_rng(0), ExpressionTrees(9, 3)
    start = [tree_of(f"x{number}") for number in range(1, 5)]
    evolution = ImmuneProgramming(trees, start * 100, rng, ImmuneRates(0.0, 0.0))
    evolution.take_figures(np.array([0.0, 1.0, 2.0, 3.0] * 100))
    evolution.breed()
    counts = [evolution.population.count(tree) for tree in start]
    shares = np.array([0.0, 1 / 3, 2 / 3, 1.0]) + 0.1
    assert sum(counts) == 400
    assert counts == pytest.approx((400 * shares / shares.sum()).tolist(), abs=40)
