"""Efficiency, super- and cross-efficiency against their programs as written, solved by scipy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from studies.dea_efficiency import (
    GOALS,
    WAYS,
    analyse_efficiency,
    ccr,
    cross_efficiency,
    main,
    super_efficiency,
)

from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_writer import write_letor
from rankwise.errors import RankwiseError
from rankwise.rankers.dea.programs import optimal_weights
from tests.rankers.test_dea_pool import made


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


def test_units_that_are_refused() -> None:
    with pytest.raises(RankwiseError, match="a row for every unit, found 1 and 2 rows"):
        ccr([[1.0]], [[1.0], [2.0]])
    with pytest.raises(RankwiseError, match="outputs must be finite and not negative, found -1"):
        ccr([[1.0]], [[-1.0]])
    with pytest.raises(RankwiseError, match="inputs must be a table"):
        ccr([1.0], [[1.0]])


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


def test_scores_are_those_of_each_query_by_itself() -> None:
    data = made(3)
    found = analyse_efficiency(data, goal="aggressive")
    for number, query in enumerate(data.queries()):
        rows = slice(data.query_offsets[number], data.query_offsets[number + 1])
        constant = np.ones((len(query.labels), 1))
        expected = [
            ccr(constant, query.features).scores,
            super_efficiency(constant, query.features),
            cross_efficiency(constant, query.features, "aggressive").scores,
        ]
        for way, scores in zip(WAYS, expected, strict=True):
            assert found.scores[way][rows] == pytest.approx(scores, abs=1e-8)


def test_one_feature_ranks_by_that_feature_whatever_the_way() -> None:
    data = Dataset.from_arrays([[1.0], [4.0], [2.0], [3.0]], [0, 2, 0, 1], [7, 7, 7, 7])
    found = analyse_efficiency(data)
    assert found.scores["efficiency"] == pytest.approx([0.0, 1.0, 1 / 3, 2 / 3])
    assert found.scores["super-efficiency"] == pytest.approx([0.0, 3 / 2, 1 / 3, 2 / 3])
    assert found.scores["cross-efficiency"] == pytest.approx([0.0, 1.0, 1 / 3, 2 / 3])
    assert [(one.map, one.ndcg_at_10) for one in found.rankings] == [(1.0, 1.0)] * 3
    assert (found.efficient, found.unbounded) == (1, 0)


def test_ties_of_efficient_documents_earn_what_is_expected() -> None:
    """Each alone has a feature: both efficient, and the file order must not decide."""
    data = Dataset.from_arrays([[1.0, 0.0], [0.0, 1.0]], [1, 0], [1, 1])
    found = analyse_efficiency(data)
    assert found.unbounded == 2
    assert found.rankings[0].map == pytest.approx((1 + 1 / 2) / 2)
    assert np.isinf(found.scores["super-efficiency"]).all()


def test_refusals() -> None:
    with pytest.raises(RankwiseError, match="no query 'x'; the first one is"):
        analyse_efficiency(made(2), query="x")
    with pytest.raises(RankwiseError, match="goal must be one of"):
        analyse_efficiency(made(2), goal="kind")
    null = Dataset.from_arrays([[np.nan], [1.0]], [1, 0], [1, 1])
    with pytest.raises(RankwiseError, match="cannot take NULL features"):
        analyse_efficiency(null)


def test_the_documents_of_a_query_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "test.txt"
    write_letor(made(3), file)
    main([str(file), "--query", "1"])
    shown = capsys.readouterr().out
    assert "Documents of query 1" in shown
    assert "cross-efficiency" in shown
    assert "of 12 documents are efficient" in shown
