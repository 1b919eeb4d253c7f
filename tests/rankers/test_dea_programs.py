from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.data.normalization.normalizing import normalize
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.rankers.dea.programs import MODELS, NO_PROGRAM, optimal_weights

Floats = NDArray[np.float64]

LN2, LN3 = np.log(2.0), np.log(3.0)


def literal(features: Floats, labels: Floats, model: str, k: int) -> float:
    """The program of document k as the table of the module states it, by scipy."""
    n, m = features.shape
    harvest = np.log1p(labels)
    free, positive = (None, None), (0, None)
    if model == "ccr-i":
        solved = linprog(-features[k], features, np.ones(n), bounds=[positive] * m)
        return float(-solved.fun)
    if model == "ccr-o":
        kept = features.any(axis=1)
        solved = linprog(features[k], -features[kept], -harvest[kept], bounds=[positive] * m)
        return float(solved.fun)
    if model == "bcc":
        rows = np.column_stack([features, np.ones(n)])
        solved = linprog(rows[k], -rows, -harvest, bounds=[positive] * m + [free])
        return float(solved.fun)
    highest = features.max(axis=0)
    rows = np.column_stack([features, -np.ones(n)])
    least = [(1 / top if top > 0 else 0.0, None) for top in highest]
    solved = linprog(-rows[k], rows, np.zeros(n), bounds=[*least, free])
    return float(solved.fun)


def value_of(features: Floats, labels: Floats, model: str, weights: Floats, k: int) -> float:
    """What weights give document k, with the best free variable."""
    worth = features @ weights
    if model == "bcc":
        return float(worth[k] + (np.log1p(labels) - worth).max())
    if model == "additive":
        return float(worth.max() - worth[k])
    return float(worth[k])


def random_query(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Few values, so that ties, equal documents, zero documents and constant columns happen."""
    n, m = rng.integers(1, 15), rng.integers(1, 7)
    features = rng.integers(0, 5, (n, m)) / 4 if rng.random() < 0.5 else rng.random((n, m))
    return features * (rng.random((n, m)) < 0.7), rng.integers(0, 3, n).astype(float)


@pytest.mark.parametrize("model", MODELS)
def test_the_optimum_is_that_of_the_program_as_written(model: str) -> None:
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(40):
        features, labels = random_query(rng)
        found = optimal_weights(features, labels, model)
        for k in np.flatnonzero(found.homes != NO_PROGRAM):
            assert found.values[k] == pytest.approx(literal(features, labels, model, k), abs=1e-9)
            reached = value_of(features, labels, model, found.weights[k], k)
            assert reached == pytest.approx(found.values[k], abs=1e-9)
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("model", MODELS)
def test_the_compiled_solver_equals_highs_on_random_programs(model: str) -> None:
    pytest.importorskip("highspy")
    rng = np.random.default_rng(2)
    compared = 0
    for _ in range(250):
        features, labels = random_query(rng)
        compiled = optimal_weights(features, labels, model)
        highs = optimal_weights(features, labels, model, "highs")
        np.testing.assert_allclose(compiled.values, highs.values, atol=1e-9, rtol=0)
        compared += int(np.isfinite(compiled.values).sum())
    assert compared > 1000


def test_ccr_i_in_two_features_by_hand() -> None:
    """The frontier runs from (1, 0) over (0.75, 0.75) to (0, 1); the last document lies inside."""
    features = np.array([[1.0, 0.25], [0.75, 0.75], [0.25, 1.0], [0.5, 0.5]])
    found = optimal_weights(features, np.zeros(4), "ccr-i")
    assert found.values == pytest.approx([1.0, 1.0, 1.0, 0.5 / 0.75])
    assert found.weights[3] @ [0.75, 0.75] == pytest.approx(1.0)


def test_ccr_o_in_one_feature_is_the_largest_ratio() -> None:
    """v = max φ(y_i) / x_i, so the optimum of document k is v x_k."""
    features, labels = np.array([[0.5], [1.0], [0.8]]), np.array([1.0, 2.0, 0.0])
    v = max(LN2 / 0.5, LN3 / 1.0)
    found = optimal_weights(features, labels, "ccr-o")
    assert found.values == pytest.approx([v * 0.5, v * 1.0, v * 0.8])
    assert found.weights[:, 0] == pytest.approx(v)


def test_bcc_of_one_feature_lets_the_line_leave_the_origin() -> None:
    """v x + v_0 through (0.5, ln 2) and (1, ln 3) is the lowest line over all documents."""
    features, labels = np.array([[0.5], [1.0], [0.75]]), np.array([1.0, 2.0, 0.0])
    found = optimal_weights(features, labels, "bcc")
    assert found.values == pytest.approx([LN2, LN3, (LN2 + LN3) / 2])


def test_the_additive_model_sums_the_slacks() -> None:
    """Document 2 can gain 0.5 in both features by becoming document 1, and no more."""
    features = np.array([[1.0, 1.0], [0.5, 0.5], [1.0, 0.0]])
    found = optimal_weights(features, np.zeros(3), "additive")
    assert found.values == pytest.approx([0.0, 1.0, 1.0])
    assert (found.weights >= 1.0 - 1e-12).all()


def test_bcc_with_a_constant_input_is_ccr_i() -> None:
    """Lovell and Pastor (1999): min t, μ·x_k = 1, t >= μ·x_i has the optimum 1 / CCR-I."""
    features = np.random.default_rng(3).random((8, 3))
    found = optimal_weights(features, np.zeros(8), "ccr-i")
    rows = np.column_stack([features, -np.ones(8)])
    for k in range(8):
        equation = np.append(features[k], 0.0)[np.newaxis]
        least = linprog(
            np.append(np.zeros(3), 1.0), rows, np.zeros(8), equation, [1.0],
            bounds=[(0, None)] * 3 + [(None, None)],
        )  # fmt: skip
        assert 1.0 / least.fun == pytest.approx(found.values[k], abs=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_an_all_zero_document_has_no_program(model: str) -> None:
    features = np.array([[0.0, 0.0], [1.0, 0.5], [0.5, 1.0]])
    found = optimal_weights(features, [2.0, 1.0, 0.0], model)
    assert found.homes[0] == NO_PROGRAM
    assert np.isnan(found.values[0])
    assert not found.weights[0].any()
    assert np.isfinite(found.values[1:]).all()


def test_a_relevant_all_zero_document_is_left_out_of_ccr_o() -> None:
    features, labels = np.array([[0.0, 0.0], [1.0, 0.5]]), np.array([2.0, 1.0])
    found = optimal_weights(features, labels, "ccr-o")
    assert found.left_out == 1
    assert found.values[1] == pytest.approx(LN2)
    assert optimal_weights(features, labels, "bcc").left_out == 0


@pytest.mark.parametrize("model", MODELS)
def test_identical_documents_share_one_program(model: str) -> None:
    features = np.vstack([[[0.2, 0.1, 0.4]] * 3, [[1.0, 0.5, 0.2], [0.1, 1.0, 1.0]]])
    found = optimal_weights(features, [0.0, 0.0, 0.0, 2.0, 1.0], model)
    assert (found.homes[:3] == found.homes[0]).all()
    assert (found.weights[:3] == found.weights[0]).all()
    assert found.programs <= 3


@pytest.mark.parametrize("model", MODELS)
def test_a_query_without_any_feature_solves_nothing(model: str) -> None:
    found = optimal_weights(np.zeros((3, 2)), [0.0, 1.0, 2.0], model)
    assert found.programs == 0
    assert np.isnan(found.values).all()


def test_ccr_o_of_a_query_without_relevant_documents_is_zero() -> None:
    found = optimal_weights([[0.5, 1.0], [1.0, 0.2]], [0.0, 0.0], "ccr-o")
    assert (found.values == 0.0).all()
    assert not found.weights.any()


@pytest.mark.parametrize("model", MODELS)
def test_the_unit_of_a_feature_does_not_matter(model: str) -> None:
    rng = np.random.default_rng(4)
    features, labels = rng.random((12, 3)), rng.integers(0, 3, 12)
    units = np.array([1e9, 1.0, 1e-9])
    plain = optimal_weights(features, labels, model)
    scaled = optimal_weights(features * units, labels, model)
    np.testing.assert_allclose(scaled.values, plain.values, atol=1e-9)
    k = int(np.nanargmin(plain.values))
    worth = features[k] @ plain.weights[k]
    assert (features * units)[k] @ scaled.weights[k] == pytest.approx(worth, abs=1e-6)


@given(st.integers(0, 2**32 - 1), st.sampled_from(MODELS))
@settings(max_examples=40)
def test_more_documents_never_make_a_document_look_better(seed: int, model: str) -> None:
    """A further constraint lowers a maximum and raises a minimum."""
    rng = np.random.default_rng(seed)
    features, labels = rng.random((7, 3)), rng.integers(0, 3, 7).astype(float)
    features[0] = 1.0
    few = optimal_weights(features[:-1], labels[:-1], model)
    more = optimal_weights(features, labels, model)
    sign = 1.0 if model == "ccr-i" else -1.0
    assert (sign * more.values[:-1] <= sign * few.values + 1e-9).all()


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        ([[1.0, -0.5]], [1.0], "features that are finite and not negative, found -0.5"),
        ([[1.0, np.nan]], [1.0], "features that are finite"),
        ([[1.0, 0.5]], [-1.0], "labels that are finite and not negative, found -1"),
        ([[1.0, 0.5]], [1.0, 2.0], r"shapes \(1, 2\) and \(2,\)"),
        ([1.0, 0.5], [1.0, 2.0], "a row of features and a label each"),
    ],
)
def test_data_that_the_models_cannot_take(features: object, labels: object, message: str) -> None:
    with pytest.raises(RankwiseError, match=message):
        optimal_weights(features, labels)  # type: ignore[arg-type]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(RankwiseError, match="the model must be one of ccr-i, ccr-o"):
        optimal_weights([[1.0]], [1.0], "ccr")
    with pytest.raises(RankwiseError, match="the solver must be one of compiled, highs"):
        optimal_weights([[1.0]], [1.0], "ccr-i", "glpk")


@pytest.fixture(
    scope="module", params=["made up", "letor3/OHSUMED/QueryLevelNorm", "letor4/MQ2008"]
)
def dataset(request: pytest.FixtureRequest) -> Dataset:
    """Every tenth query of a real training part, or made-up ones with as many zeros."""
    if request.param == "made up":
        made = normalize(planted(40, 16, features=10), "query-level")
        zero = np.random.default_rng(5).random(made.features.shape) < 0.3
        return made.with_features(np.where(zero, 0.0, made.features))
    whole = read(request.getfixturevalue("shared") / "data" / request.param / "Fold1" / "train.txt")
    return whole.select_queries(np.arange(0, whole.n_queries, 10))


@pytest.mark.parametrize("model", MODELS)
def test_the_compiled_solver_equals_highs(dataset: Dataset, model: str) -> None:
    """To 1e-9, or where weights are so large that HiGHS's own tolerance of 1e-10 shows, to that."""
    pytest.importorskip("highspy")
    compared = 0
    for query in dataset.queries():
        compiled = optimal_weights(query.features, query.labels, model)
        highs = optimal_weights(query.features, query.labels, model, "highs")
        allowed = np.maximum(1e-9, 1e-12 * highs.weights.max(axis=1))
        apart = np.abs(compiled.values - highs.values)
        assert (apart[np.isfinite(apart)] <= allowed[np.isfinite(apart)]).all()
        assert (np.isnan(compiled.values) == np.isnan(highs.values)).all()
        compared += int(np.isfinite(apart).sum())
    assert compared > 500


def test_all_weights_are_feasible(dataset: Dataset) -> None:
    for query in dataset.queries():
        i = optimal_weights(query.features, query.labels, "ccr-i")
        assert i.weights.min() >= 0.0
        assert (i.weights @ query.features.T).max(initial=0.0) <= 1.0 + 1e-7
        o = optimal_weights(query.features, query.labels, "ccr-o")
        assert o.weights.min() >= 0.0
        bounding = query.features.any(axis=1)
        asked = o.homes != NO_PROGRAM
        reached = o.weights[asked] @ query.features[bounding].T
        assert (reached >= np.log1p(query.labels[bounding]) - 1e-7).all()


def test_some_document_of_every_query_is_efficient(dataset: Dataset) -> None:
    for query in dataset.queries():
        if query.features.any():
            values = optimal_weights(query.features, query.labels, "ccr-i").values
            assert np.nanmax(values) == pytest.approx(1.0, abs=1e-9)
            assert np.nanmin(values) > 0.0


def test_strong_duality(dataset: Dataset) -> None:
    """CCR-I: min Σλ_i, Σλ_i x_i >= x_k, λ >= 0; CCR-O: max Σλ_i φ(y_i), Σλ_i x_i <= x_k, λ >= 0."""
    for query in list(dataset.queries())[::4]:
        asked = np.flatnonzero(query.features.any(axis=1))[::25]
        harvest = np.log1p(query.labels)
        i = optimal_weights(query.features, query.labels, "ccr-i")
        o = optimal_weights(query.features, query.labels, "ccr-o")
        bounding = query.features.any(axis=1)
        for k in asked:
            document = query.features[k]
            cover = linprog(np.ones(len(harvest)), -query.features.T, -document)
            assert i.values[k] == pytest.approx(cover.fun, abs=1e-8)
            packed = linprog(-harvest[bounding], query.features[bounding].T, document)
            assert o.values[k] == pytest.approx(-packed.fun, abs=1e-8)


def test_theorem_1(dataset: Dataset) -> None:
    """Weights under which another document is efficient are optimal for that document too."""
    shared = 0
    for query in dataset.queries():
        found = optimal_weights(query.features, query.labels, "ccr-i")
        worth = query.features @ found.weights.T
        efficient = worth >= 1.0 - 1e-9
        for k in np.flatnonzero(found.homes == np.arange(len(worth)))[::5]:
            reference_set = np.flatnonzero(efficient[:, k])
            assert found.values[reference_set] == pytest.approx(1.0, abs=1e-9)
            shared += len(reference_set)
    assert shared > 100


def query_of_mq2008(shared: Path, number: str, part: str = "train") -> Dataset:
    train = read(shared / f"data/letor4/MQ2008/Fold1/{part}.txt")
    return train.select_queries([list(train.query_ids).index(number)])


def test_weights_of_a_million_still_give_the_optimum(shared: Path) -> None:
    """Document 19 of query 11893: max Σs, Σλ_i x_i - s = x_k, Σλ = 1 is the dual of `additive`."""
    features = query_of_mq2008(shared, "11893").features
    found = optimal_weights(features, np.zeros(len(features)), "additive")
    assert found.weights[19].max() > 1e6
    used = features[:, features.max(axis=0) > 0.0]
    n, m = used.shape
    mixture = np.vstack([np.hstack([used.T, -np.eye(m)]), np.append(np.ones(n), np.zeros(m))])
    slacks = linprog(
        np.append(np.zeros(n), -1.0 / used.max(axis=0)),
        A_eq=mixture,
        b_eq=np.append(used[19], 1.0),
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert found.values[19] == pytest.approx(-slacks.fun, abs=1e-9)


def test_highs_finds_an_optimum_where_a_warm_start_misleads_it(shared: Path) -> None:
    """On query 13923 HiGHS calls a BCC program unbounded unless it starts it from scratch."""
    pytest.importorskip("highspy")
    query = query_of_mq2008(shared, "13923")
    compiled = optimal_weights(query.features, query.labels, "bcc")
    highs = optimal_weights(query.features, query.labels, "bcc", "highs")
    np.testing.assert_allclose(compiled.values, highs.values, atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    ("number", "part", "documents"), [("16363", "vali", range(8)), ("13499", "train", (14, 15))]
)
def test_programs_that_rounding_spoils_are_solved_all_the_same(
    shared: Path, number: str, part: str, documents: Sequence[int]
) -> None:
    """Pivots of 1e-5: rounding looks like an unbounded gain, or like weights of 1e14."""
    query = query_of_mq2008(shared, number, part)
    found = optimal_weights(query.features, query.labels, "additive")
    for k in documents:
        expected = literal(query.features, query.labels, "additive", k)
        assert found.values[k] == pytest.approx(expected, abs=1e-8)
        reached = value_of(query.features, query.labels, "additive", found.weights[k], k)
        assert reached == pytest.approx(expected, abs=1e-6)
