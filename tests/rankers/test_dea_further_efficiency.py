"""Super- and cross-efficiency against their programs as written, solved by scipy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from rankwise.errors import RankwiseError
from rankwise.rankers.dea.cross_efficiency import GOALS, cross_efficiency
from rankwise.rankers.dea.efficiency import ccr
from rankwise.rankers.dea.super_efficiency import super_efficiency

Floats = NDArray[np.float64]


def random_units(rng: np.random.Generator) -> tuple[Floats, Floats]:
    n, m, s = rng.integers(2, 10), rng.integers(1, 4), rng.integers(1, 4)
    return rng.integers(1, 9, (n, m)) * 1.0, rng.integers(0, 9, (n, s)) * 1.0


def literal_super(inputs: Floats, outputs: Floats, n: int) -> float:
    """The program of the docstring, with its equation; infinite where unbounded."""
    others = np.arange(len(inputs)) != n
    rows = np.hstack([outputs, -inputs])[others]
    equation = np.concatenate([np.zeros(outputs.shape[1]), inputs[n]])[np.newaxis]
    objective = np.concatenate([-outputs[n], np.zeros(inputs.shape[1])])
    solved = linprog(objective, rows, np.zeros(len(rows)), equation, [1.0])
    return np.inf if solved.status == 3 else float(-solved.fun)


def literal_goal(inputs: Floats, outputs: Floats, n: int, score: float, sign: float) -> float:
    """Best or worst μ·A with ν·B = 1 among the optimal weights of n."""
    others = np.arange(len(inputs)) != n
    rows = np.hstack([outputs, -inputs])
    nothing = np.zeros(outputs.shape[1])
    equations = np.vstack(
        [
            np.concatenate([nothing, inputs[others].sum(axis=0)]),
            np.concatenate([outputs[n], -score * inputs[n]]),
        ]
    )
    objective = np.concatenate([outputs[others].sum(axis=0), np.zeros(inputs.shape[1])])
    solved = linprog(-sign * objective, rows, np.zeros(len(rows)), equations, [1.0, 0.0])
    assert solved.status == 0
    return float(-sign * solved.fun)


def test_super_efficiency_of_one_input_and_output_is_the_ratio_to_the_next_best() -> None:
    found = super_efficiency([[2.0], [4.0], [5.0]], [[1.0], [3.0], [2.0]])
    assert found == pytest.approx([(1 / 2) / (3 / 4), (3 / 4) / (1 / 2), (2 / 5) / (3 / 4)])


def test_super_efficiency_is_its_program_as_written() -> None:
    rng = np.random.default_rng(0)
    beyond = 0
    for _ in range(25):
        inputs, outputs = random_units(rng)
        found = super_efficiency(inputs, outputs)
        expected = np.array([literal_super(inputs, outputs, n) for n in range(len(inputs))])
        assert found == pytest.approx(expected, abs=1e-8)
        beyond += int(np.count_nonzero(np.isfinite(found) & (found > 1.0 + 1e-6)))
    assert beyond > 20


def test_super_efficiency_tells_efficient_units_apart_and_leaves_the_others() -> None:
    rng = np.random.default_rng(1)
    inputs, outputs = rng.random((20, 2)) + 0.1, rng.random((20, 2))
    plain, beyond = ccr(inputs, outputs).scores, super_efficiency(inputs, outputs)
    efficient = plain > 1.0 - 1e-9
    assert 1 < efficient.sum() < 20
    assert len(set(np.round(beyond[efficient], 9))) == efficient.sum()
    assert (beyond[efficient] >= 1.0 - 1e-9).all()
    assert np.array_equal(beyond[~efficient], plain[~efficient])


def test_the_only_unit_with_an_output_is_beyond_all_bounds() -> None:
    found = super_efficiency([[1.0], [1.0], [0.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    # The third has no inputs, so it is not judged, and leaves outputs no price.
    assert np.isnan(found[2])
    alone = super_efficiency([[1.0], [1.0]], [[1.0, 0.0], [0.0, 1.0]])
    assert np.isinf(alone).all()


@pytest.mark.parametrize(("goal", "sign"), [("benevolent", 1.0), ("aggressive", -1.0)])
def test_weights_serve_their_goal_as_written(goal: str, sign: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(15):
        inputs, outputs = random_units(rng)
        found = cross_efficiency(inputs, outputs, goal)
        own = ccr(inputs, outputs).scores
        for n, row in enumerate(found.table):
            assert row[n] == pytest.approx(own[n], abs=1e-7)
            assert (row[np.isfinite(row)] <= 1.0 + 1e-7).all()
            expected = literal_goal(inputs, outputs, n, float(own[n]), sign)
            assert goal_reached(inputs, outputs, n, goal) == pytest.approx(expected, abs=1e-6)


def goal_reached(inputs: Floats, outputs: Floats, n: int, goal: str) -> float:
    """With one input the row is μ·Y_j / ν·X_j with known X, so μ·A / ν·B follows from it; with
    several the weights themselves are needed, so the others are first made one unit.
    """
    others = np.arange(len(inputs)) != n
    joined_inputs = np.vstack([inputs, inputs[others].sum(axis=0)])
    joined_outputs = np.vstack([outputs, outputs[others].sum(axis=0)])
    # A sum of units is never more efficient than its parts: it changes no optimal weights.
    table = cross_efficiency(joined_inputs, joined_outputs, goal).table
    return float(table[n, -1])


def test_scores_are_means_over_all_judges() -> None:
    rng = np.random.default_rng(3)
    inputs, outputs = random_units(rng)
    for goal in GOALS:
        found = cross_efficiency(inputs, outputs, goal)
        assert found.scores == pytest.approx(np.nanmean(found.table, axis=0))
        assert (found.scores <= ccr(inputs, outputs).scores + 1e-7).all()


def test_benevolent_judges_are_kinder_than_aggressive_ones_on_the_whole() -> None:
    inputs = np.ones((4, 1))
    outputs = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.5, 0.4]])
    kind, harsh = (cross_efficiency(inputs, outputs, goal).scores for goal in GOALS[:2])
    assert kind.sum() > harsh.sum() + 0.1


def test_one_unit_and_units_without_inputs() -> None:
    assert cross_efficiency([[2.0]], [[3.0]]).scores == pytest.approx([1.0])
    found = cross_efficiency([[1.0], [0.0], [2.0]], [[1.0], [0.0], [1.0]])
    assert found.scores[[0, 2]] == pytest.approx([1.0, 1 / 2])
    assert np.isnan(found.scores[1])


def test_an_unknown_goal_is_refused() -> None:
    with pytest.raises(RankwiseError, match="must be one of benevolent, aggressive, any"):
        cross_efficiency([[1.0]], [[1.0]], "kind")
