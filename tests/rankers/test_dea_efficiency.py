from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from rankwise.errors import RankwiseError
from rankwise.rankers.dea.efficiency import ccr
from rankwise.rankers.dea.programs import optimal_weights


def literal(inputs: np.ndarray, outputs: np.ndarray, n: int) -> float:
    """Eq. 4 as written, with its equation."""
    rows = np.hstack([outputs, -inputs])
    equation = np.concatenate([np.zeros(outputs.shape[1]), inputs[n]])[np.newaxis]
    objective = np.concatenate([-outputs[n], np.zeros(inputs.shape[1])])
    return float(-linprog(objective, rows, np.zeros(len(rows)), equation, [1.0]).fun)


def test_one_input_and_one_output_compare_ratios() -> None:
    inputs = np.array([[2.0], [4.0], [5.0]])
    outputs = np.array([[1.0], [3.0], [2.0]])
    found = ccr(inputs, outputs)
    assert found.scores == pytest.approx([(1 / 2) / (3 / 4), 1.0, (2 / 5) / (3 / 4)])
    assert [one.tolist() for one in found.reference_sets] == [[1], [1], [1]]


def test_two_inputs_by_hand() -> None:
    """Units (2, 4), (4, 2) are efficient; (4, 4) could do with 3/4 of both."""
    found = ccr([[2.0, 4.0], [4.0, 2.0], [4.0, 4.0]], [[1.0], [1.0], [1.0]])
    assert found.scores == pytest.approx([1.0, 1.0, 0.75])
    assert found.reference_sets[2].tolist() == [0, 1]
    assert found.intensities[2] == pytest.approx([0.5, 0.5, 0.0])


@pytest.mark.parametrize("solver", ["compiled", "highs"])
def test_scores_are_those_of_equation_4(solver: str) -> None:
    if solver == "highs":
        pytest.importorskip("highspy")
    rng = np.random.default_rng(0)
    for _ in range(15):
        n, m, s = rng.integers(1, 12), rng.integers(1, 4), rng.integers(1, 4)
        inputs = rng.integers(1, 9, (n, m)) * 1.0
        outputs = rng.integers(0, 9, (n, s)) * 1.0
        found = ccr(inputs, outputs, solver)
        expected = [literal(inputs, outputs, unit) for unit in range(n)]
        assert found.scores == pytest.approx(expected, abs=1e-9)


def test_theorem_1_weights_of_a_unit_are_optimal_for_its_reference_set() -> None:
    rng = np.random.default_rng(1)
    inputs, outputs = rng.random((20, 3)) + 0.1, rng.random((20, 2))
    found = ccr(inputs, outputs)
    for n, peers in enumerate(found.reference_sets):
        assert len(peers) > 0
        for i in peers:
            ratio = outputs[i] @ found.output_weights[n] / (inputs[i] @ found.input_weights[n])
            assert ratio == pytest.approx(1.0, abs=1e-8)
            assert found.scores[i] == pytest.approx(1.0, abs=1e-8)


def test_strong_duality_the_mixture_covers_the_unit() -> None:
    """Σλ_i Y_i >= Y_n with inputs of at most θ X_n, where θ is the score."""
    rng = np.random.default_rng(2)
    inputs, outputs = rng.random((15, 2)) + 0.1, rng.random((15, 3))
    found = ccr(inputs, outputs)
    assert (found.intensities @ outputs >= outputs - 1e-8).all()
    assert (found.intensities @ inputs <= found.scores[:, np.newaxis] * inputs + 1e-8).all()


def test_a_constant_input_gives_ccr_i() -> None:
    features = np.random.default_rng(3).random((10, 4))
    found = ccr(np.ones((10, 1)), features)
    assert found.scores == pytest.approx(optimal_weights(features, np.zeros(10)).values, abs=1e-9)


def test_units_without_inputs_are_not_judged_and_without_outputs_score_zero() -> None:
    found = ccr([[0.0], [1.0], [2.0]], [[1.0], [0.0], [0.0]])
    assert np.isnan(found.scores[0])
    assert found.scores[1:] == pytest.approx([0.0, 0.0])


def test_the_units_of_measurement_do_not_matter() -> None:
    rng = np.random.default_rng(4)
    inputs, outputs = rng.random((8, 2)) + 0.1, rng.random((8, 2))
    scaled = ccr(inputs * [1e9, 1.0], outputs * [1.0, 1e-9])
    assert scaled.scores == pytest.approx(ccr(inputs, outputs).scores, abs=1e-9)


def test_refusals() -> None:
    with pytest.raises(RankwiseError, match="a row for every unit, found 1 and 2 rows"):
        ccr([[1.0]], [[1.0], [2.0]])
    with pytest.raises(RankwiseError, match="outputs must be finite and not negative, found -1"):
        ccr([[1.0]], [[-1.0]])
    with pytest.raises(RankwiseError, match="inputs must be a table"):
        ccr([1.0], [[1.0]])
