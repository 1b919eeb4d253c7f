"""Each estimator against its equation, evaluated literally on small tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from rankwise.comparison.cells import group_cells
from rankwise.comparison.estimates import Floats, ResultSample, sum_parts
from rankwise.comparison.estimates import _bradley_terry_parts as bradley_terry_parts
from rankwise.comparison.estimates import _plackett_luce_parts as plackett_luce_parts
from rankwise.comparison.estimators import ESTIMATORS
from rankwise.comparison.method_ranking import compare_table
from rankwise.comparison.mixed_model import (
    Design,
    estimate_mixed_model,
    find_ratios,
    find_scales,
    make_design,
    solve_henderson,
)
from rankwise.comparison.strengths import fit_bradley_terry, fit_plackett_luce

from .tables import Fact, dense_facts, punched, sparse_facts, table_of

FACTS = punched(dense_facts(7, 4, signal=1.0, noise=0.4, seed=3), 0.3, seed=1)
RATIOS = ((0.5, 2.0), (3.0, 0.1), (1.0, 1.0))


def sample_of(facts: list[Fact]) -> ResultSample:
    comparison = compare_table(table_of(facts))
    return ResultSample(comparison.cells, comparison.unversioned)


def scores(name: str, facts: list[Fact]) -> dict[str, float]:
    sample = sample_of(facts)
    found = ESTIMATORS[name].estimate(sample).score.tolist()
    return {
        method: score
        for method, score in zip(sample.cells.methods, found, strict=True)
        if score == score
    }


def test_winning_numbers_are_those_of_the_comparison() -> None:
    rows = compare_table(table_of(FACTS)).rows
    assert scores("nwn", FACTS) == {row.method: row.nwn for row in rows}


def test_the_mean_rank_is_the_mean_of_places_between_last_and_first() -> None:
    facts = [("A", "d1", "MAP", 0.3), ("B", "d1", "MAP", 0.2), ("C", "d1", "MAP", 0.1),
             ("A", "d2", "MAP", 0.5), ("B", "d2", "MAP", 0.5)]  # fmt: skip
    # On d2 both share rank 1.5 of 2.
    assert scores("mean-rank", facts) == {
        "A": ((1 - 0 / 2) + (1 - 0.5 / 1)) / 2,
        "B": ((1 - 1 / 2) + (1 - 0.5 / 1)) / 2,
        "C": 1 - 2 / 2,
    }


@pytest.mark.parametrize(
    ("name", "fit"), [("bradley-terry", fit_bradley_terry), ("plackett-luce", fit_plackett_luce)]
)
def test_strengths_are_those_of_the_fit_less_their_mean(name: str, fit: object) -> None:
    strengths = fit(compare_table(table_of(FACTS))).by_method()  # type: ignore[operator]
    middle = sum(strengths.values()) / len(strengths)
    assert scores(name, FACTS) == pytest.approx({m: s - middle for m, s in strengths.items()})


@pytest.mark.parametrize("name", ["bradley-terry", "plackett-luce"])
def test_parts_of_the_gradient_are_its_differences(name: str) -> None:
    """Gradient and curvature of each method and data set, by differences of the likelihood."""
    facts = [*FACTS, ("m00", "level", "MAP", 0.4), ("m01", "level", "MAP", 0.4),
             ("m02", "level", "MAP", 0.5)]  # fmt: skip
    sample = sample_of(facts)
    parts = bradley_terry_parts if name == "bradley-terry" else plackett_luce_parts
    strength = np.linspace(-1, 1, len(sample.cells.methods))
    gradient, curvature = sum_parts(sample, parts(sample.cells, strength))
    step = 1e-4
    for method in range(len(strength)):
        for group in np.unique(sample.group).tolist():
            around = []
            for shift in (-step, 0.0, step):
                moved = strength.copy()
                moved[method] += shift
                around.append(_likelihood(name, facts, sample, moved, group))
            slope = (around[2] - around[0]) / (2 * step)
            bend = (2 * around[1] - around[0] - around[2]) / step**2
            assert gradient[method, group] == pytest.approx(slope, abs=1e-6)
            assert curvature[method, group] == pytest.approx(bend, abs=1e-5)


def _likelihood(
    name: str, facts: list[Fact], sample: ResultSample, strength: Floats, group: int
) -> float:
    """The likelihood of all cells of one data set, pair by pair and place by place."""
    code = {method: number for number, method in enumerate(sample.cells.methods)}
    datasets = [
        one for one, number in zip(sample.cells.datasets, sample.groups, strict=True)
        if number == group
    ]  # fmt: skip
    total = 0.0
    for measure in sample.cells.measures:
        cell = [(strength[code[m]], v) for m, d, e, v in facts if d in datasets and e == measure]
        for own, value in cell:
            lower = [other for other, rival in cell if rival < value]
            if name == "plackett-luce":
                total += own - np.log(np.exp(own) + sum(np.exp(other) for other in lower))
                continue
            level = [other for other, rival in cell if rival == value]
            level.remove(own)
            total -= sum(np.log1p(np.exp(other - own)) for other in lower)
            total -= sum(np.log1p(np.exp(other - own)) for other in level) / 2
    return total


def matrices(design: Design) -> tuple[Floats, Floats, Floats]:
    """X, Z of methods and Z of pairs, one row a value."""
    rows = np.arange(len(design.value))
    cells = np.zeros((len(rows), design.cells))
    methods = np.zeros((len(rows), len(design.codes)))
    pairs = np.zeros((len(rows), len(design.pair_method)))
    cells[rows, design.cell] = 1
    methods[rows, design.pair_method[design.pair]] = 1
    pairs[rows, design.pair] = 1
    return cells, methods, pairs


def design_of(facts: list[Fact]) -> Design:
    sample = sample_of(facts)
    return make_design(sample, sample.cells.value)


@pytest.mark.parametrize("ratios", RATIOS)
def test_henderson_s_equations_with_all_effects_give_the_same(ratios: tuple[float, float]) -> None:
    """β, u and w in one system of equations, none of them taken into the covariance."""
    design = design_of(FACTS)
    a, b = ratios
    cells, methods, pairs = matrices(design)
    both = np.hstack([cells, methods, pairs])
    p, q = cells.shape[1], methods.shape[1]
    prior = np.concatenate([np.zeros(p), np.full(q, 1 / a), np.full(pairs.shape[1], 1 / b)])
    inverse = np.linalg.inv(both.T @ both + np.diag(prior))
    solution = inverse @ both.T @ design.value
    residual = design.value @ (design.value - both @ solution) / (len(design.value) - p)
    found = solve_henderson(design, a, b)
    assert found.effects == pytest.approx(solution[p : p + q])
    assert found.residual == pytest.approx(residual)
    assert found.covariance == pytest.approx(residual * inverse[p : p + q, p : p + q])


@pytest.mark.parametrize("ratios", RATIOS)
def test_the_criterion_is_the_restricted_likelihood(ratios: tuple[float, float]) -> None:
    """-2 log of it by the covariance V of all values: log|V| + log|X'V⁻¹X| + y'Py, with σ² free."""
    design = design_of(FACTS)
    cells, methods, pairs = matrices(design)
    a, b = ratios
    shape = np.eye(len(cells)) + a * methods @ methods.T + b * pairs @ pairs.T
    inverse = np.linalg.inv(shape)
    inside = cells.T @ inverse @ cells
    fitted = cells @ np.linalg.solve(inside, cells.T @ inverse @ design.value)
    free = len(cells) - cells.shape[1]
    residual = design.value @ inverse @ (design.value - fitted) / free
    expected = np.linalg.slogdet(shape)[1] + np.linalg.slogdet(inside)[1] + free * np.log(residual)
    assert solve_henderson(design, a, b).criterion == pytest.approx(expected)


def test_the_ratios_are_the_highest_of_their_neighbours() -> None:
    design = design_of(FACTS)
    a, b = find_ratios(design)

    def penalised(a: float, b: float) -> float:
        return solve_henderson(design, a, b).criterion - np.log(a) - np.log(b)

    for factor in (0.8, 1.25):
        assert penalised(a, b) < penalised(a * factor, b)
        assert penalised(a, b) < penalised(a, b * factor)


def test_methods_with_few_results_are_drawn_to_the_mean() -> None:
    """Of two methods with the same lead the one that was tried once has the smaller effect."""
    facts = dense_facts(6, 6, signal=0.0, noise=0.3, seed=2)
    means = {
        (d, e): np.mean([v for _, x, y, v in facts if (x, y) == (d, e)]) for _, d, e, _ in facts
    }
    lead = [(name, d, e, mean + 0.03) for (d, e), mean in means.items() for name in ("often",)]
    once = [("once", *fact[1:]) for fact in lead if fact[1] == "d0"]
    found = scores("mixed-model", [*facts, *lead, *once])
    assert 0 < found["once"] < found["often"]


def test_a_scale_is_that_of_its_cell_and_of_all() -> None:
    facts = [("A", "d1", "MAP", 0.1), ("B", "d1", "MAP", 0.3), ("A", "d2", "MAP", 0.0),
             ("B", "d2", "MAP", 0.2), ("C", "d2", "MAP", 0.7)]  # fmt: skip
    cells = group_cells(table_of(facts))
    means = {"d1": 0.2, "d2": 0.3}
    distance = np.array([
        value - means[cells.datasets[code]]
        for value, code in zip(cells.value, cells.dataset, strict=True)
    ])  # fmt: skip
    one, other = 2 * 0.1**2, 0.3**2 + 0.1**2 + 0.4**2
    pooled = (one + other) / 3
    assert find_scales(cells, distance) == pytest.approx(
        [((4 * pooled + one) / (4 + 1)) ** 0.5, ((4 * pooled + other) / (4 + 2)) ** 0.5]
    )


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_clear_order_is_found_through_holes(name: str) -> None:
    found = scores(name, punched(dense_facts(8, 8, signal=5.0, noise=0.1), 0.3))
    assert sorted(found, key=lambda method: -found[method]) == sorted(found)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_where_all_are_level_nobody_is_ahead(name: str) -> None:
    facts = [(m, d, "MAP", 0.5) for m in "ABC" for d in ("d1", "d2", "d3")]
    found = list(scores(name, facts).values())
    assert found == pytest.approx([found[0]] * len(found) if found else [])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_intervals_lie_around_scores_and_one_data_set_has_one_by_a_model_only(name: str) -> None:
    facts = [*dense_facts(6, 5, signal=1.0, noise=0.5), ("once", "d0", "MAP", 0.41)]
    sample = sample_of(facts)
    found = ESTIMATORS[name].estimate(sample)
    once = sample.cells.methods.index("once")
    assert np.isnan(found.lower[once]) == (not name.endswith("mixed-model"))
    known = ~np.isnan(found.lower)
    assert known.sum() >= 6
    assert (found.lower[known] <= found.score[known]).all()
    assert (found.score[known] <= found.upper[known]).all()


@settings(max_examples=60, deadline=None)
@given(sparse_facts())
def test_any_table_is_scored_and_wins_losses_and_ties_add_up(facts: list[Fact]) -> None:
    cells = group_cells(table_of(facts))
    assert (cells.wins + cells.losses + cells.ties == cells.rivals).all()
    if not len(cells):
        return
    sample = ResultSample(cells, np.arange(len(cells.datasets)))
    shares = (cells.wins + cells.ties / 2) / cells.rivals
    for start, end in zip(cells.bounds[:-1], cells.bounds[1:], strict=True):
        assert shares[start:end].sum() == pytest.approx((end - start) / 2)
    with_results = np.unique(cells.method)
    for name, one in ESTIMATORS.items():
        found = one.estimate(sample).score
        if name != "nwn":
            assert not np.isnan(found[with_results]).any()
        assert np.isnan(np.delete(found, with_results)).all()


def test_four_measures_of_a_data_set_are_no_four_data_sets() -> None:
    """Nearly the same values in four measures leave the interval of the model as wide."""
    facts = punched(dense_facts(8, 6, signal=1.0, noise=0.5, seed=4), 0.3)
    single = [fact for fact in facts if fact[2] == "MAP"]
    names = ("NDCG@1", "NDCG@3", "NDCG@5", "MAP")
    rest = iter(np.random.default_rng(0).normal(0, 0.001, 4 * len(single)).tolist())
    fourfold = [(m, d, name, v + next(rest)) for m, d, _, v in single for name in names]
    widths = []
    for chosen in (single, fourfold):
        found = estimate_mixed_model(sample_of(chosen))
        widths.append(np.nanmean(found.upper - found.lower))
    assert widths[1] > 0.75 * widths[0]
