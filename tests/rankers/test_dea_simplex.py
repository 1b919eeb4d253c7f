from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rankwise.errors import RankwiseError
from rankwise.rankers.dea import simplex
from rankwise.rankers.dea.solvers import solve_family, solve_one

OUTCOMES = {0: simplex.OPTIMAL, 2: simplex.INFEASIBLE, 3: simplex.UNBOUNDED}


def random_program(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Small integers, so that corners are degenerate and regions may be empty or unbounded."""
    rows, columns = rng.integers(1, 9), rng.integers(1, 7)
    matrix = rng.integers(-2, 4, (rows, columns)).astype(float)
    return matrix, rng.integers(-2, 6, rows).astype(float), rng.integers(-2, 4, columns) / 1.0


def test_every_outcome_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    seen = dict.fromkeys(OUTCOMES.values(), 0)
    for _ in range(400):
        matrix, limits, objective = random_program(rng)
        solution, prices = np.zeros(matrix.shape[1]), np.zeros(len(matrix))
        status, _ = simplex.solve_one(matrix, limits, objective, solution, prices)
        expected = linprog(-objective, matrix, limits)
        assert status == OUTCOMES[expected.status]
        seen[status] += 1
        if status == simplex.OPTIMAL:
            assert objective @ solution == pytest.approx(-expected.fun, abs=1e-9)
            assert (matrix @ solution <= limits + 1e-9).all()
            assert solution.min() >= 0.0
            assert prices @ limits == pytest.approx(objective @ solution, abs=1e-9)
            assert (prices @ matrix >= objective - 1e-9).all()
    assert min(seen.values()) > 20


def test_a_program_that_cycles_under_the_textbook_rule_ends() -> None:
    """Beale (1955): the largest reduced cost with the first of tied rows runs in circles."""
    matrix = np.array([[0.25, -60.0, -0.04, 9.0], [0.5, -90.0, -0.02, 3.0], [0.0, 0.0, 1.0, 0.0]])
    limits, objective = np.array([0.0, 0.0, 1.0]), np.array([0.75, -150.0, 0.02, -6.0])
    solution, _ = solve_one(matrix, limits, objective, "compiled")
    assert objective @ solution == pytest.approx(0.05, abs=1e-12)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_a_family_has_the_optima_of_its_programs_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.random((12, 5)) * (rng.random((12, 5)) < 0.6)
    limits = rng.random(12) + 0.1
    values, homes = np.zeros(12), np.full(12, -1)
    solutions = np.zeros((12, 5))
    status, solved, _, _ = simplex.solve_family(
        matrix, limits, matrix.copy(), limits.copy(), values, solutions, homes
    )
    assert status == simplex.OPTIMAL
    assert solved == np.count_nonzero(homes == np.arange(12))
    for k in range(12):
        alone, _ = solve_one(matrix, limits, matrix[k], "compiled")
        assert values[k] == pytest.approx(matrix[k] @ alone, abs=1e-9)
        assert (solutions[k] == solutions[homes[k]]).all()


@pytest.mark.parametrize("solver", ["compiled", "highs"])
def test_a_program_without_an_optimum_is_a_sentence(solver: str) -> None:
    if solver == "highs":
        pytest.importorskip("highspy")
    with pytest.raises(RankwiseError, match="is unbounded"):
        solve_one(np.array([[-1.0]]), np.array([1.0]), np.array([1.0]), solver)
    with pytest.raises(RankwiseError, match="is infeasible"):
        solve_one(np.array([[1.0]]), np.array([-1.0]), np.array([1.0]), solver)


def test_highs_that_is_not_installed_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(RankwiseError, match="install them: pip install 'highspy"):
        solve_one(np.array([[1.0]]), np.array([1.0]), np.array([1.0]), "highs")


def test_what_the_compiled_solver_leaves_is_solved_by_scipy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A kernel that leaves every program open must change no optimum."""
    rng = np.random.default_rng(6)
    matrix, limits = rng.random((6, 3)), np.ones(6)
    values, solutions, homes = np.zeros((2, 6)), np.zeros((2, 6, 3)), np.full((2, 6), -1)
    solve_family(matrix, limits, matrix, limits, values[0], solutions[0], homes[0], "compiled")
    monkeypatch.setattr(simplex, "solve_family", lambda *arrays: (0, 0, 0, 0))
    solve_family(matrix, limits, matrix, limits, values[1], solutions[1], homes[1], "compiled")
    assert homes[1].tolist() == list(range(6))
    np.testing.assert_allclose(values[1], values[0], atol=1e-9)
