from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.optimizers.least_squares import LeastSquares


def made(seed: int = 0, queries: int = 12, features: int = 5, scale: float = 1.0) -> Dataset:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 90, queries)
    values = scale * rng.random((lengths.sum(), features))
    labels = np.round(2.0 * values[:, 0] / scale + rng.random(len(values)))
    return Dataset.from_arrays(values, labels, group=lengths)


def problem(data: Dataset, centre_in_query: bool = False, scale_large: bool = True):
    return LeastSquares.of(
        data, data.labels, centre_in_query=centre_in_query, scale_large=scale_large
    )


def centred(data: Dataset, in_query: bool) -> tuple[np.ndarray, np.ndarray]:
    features, labels = data.features.copy(), data.labels.copy()
    queries = [slice(None)]
    if in_query:
        queries = [slice(*pair) for pair in pairwise(data.query_offsets)]
    for rows in queries:
        features[rows] -= features[rows].mean(axis=0)
        labels[rows] -= labels[rows].mean()
    return features, labels


@pytest.mark.parametrize("in_query", [False, True])
@pytest.mark.parametrize("queries", [1, 12, 60])
def test_the_solution_is_that_of_numpy(in_query, queries) -> None:
    data = made(queries=queries)
    features, labels = centred(data, in_query)
    scorer, rank = problem(data, in_query).solution()
    expected, _, expected_rank, _ = np.linalg.lstsq(features, labels)
    assert rank == expected_rank == 5
    assert scorer.weights == pytest.approx(expected, abs=1e-12)
    assert scorer.score(data.features).mean() == pytest.approx(data.labels.mean(), abs=1e-12)


@given(
    st.integers(1, 12).flatmap(
        lambda rows: st.lists(
            st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=rows, max_size=rows
        )
    ),
    st.integers(0, 1000),
)
def test_among_many_minimisers_the_one_of_least_norm_is_taken(rows, seed) -> None:
    values = np.array(rows, dtype=np.float64)
    # A repeated, a constant and a summed column: the rank is 4 at most.
    one = np.ones((len(values), 1))
    values = np.hstack([values, values[:, :1], one, values[:, 1:2] + values[:, 2:3]])
    labels = np.random.default_rng(seed).integers(0, 3, len(values)).astype(np.float64)
    data = Dataset.from_arrays(values, labels, group=[len(values)])
    features, targets = centred(data, False)
    scorer, rank = problem(data, scale_large=False).solution()
    expected = np.linalg.pinv(features, rcond=1e-10) @ targets
    assert rank == np.linalg.matrix_rank(features, tol=1e-9)
    assert scorer.weights == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("in_query", [False, True])
@pytest.mark.parametrize("penalty", [1e-6, 0.1, 100.0])
def test_the_gradient_of_the_penalised_sum_is_zero(penalty, in_query) -> None:
    data = made(3)
    features, labels = centred(data, in_query)
    weights = problem(data, in_query).solution(penalty)[0].weights
    residuals = features @ weights - labels
    gradient = 2.0 * features.T @ residuals / len(labels) + 2.0 * penalty * weights
    assert gradient == pytest.approx(np.zeros(5), abs=1e-13)


def test_one_triangle_serves_several_penalties() -> None:
    shared = problem(made())
    first = shared.solution(0.3)[0].weights
    shared.solution(2.0)
    assert shared.solution(0.3)[0].weights.tobytes() == first.tobytes()


def test_features_of_1e9_are_solved_as_well_as_small_ones() -> None:
    small, large = made(4), made(4, scale=2.0**30)
    plain, _ = problem(small).solution()
    scaled, rank = problem(large).solution()
    assert rank == 5
    assert scaled.weights * 2.0**30 == pytest.approx(plain.weights, rel=1e-9)


def test_a_large_offset_costs_few_digits() -> None:
    data = made(5)
    moved = data.with_features(data.features + 1e6)
    found = problem(moved).solution()[0].weights
    assert found == pytest.approx(problem(data).solution()[0].weights, abs=1e-8)


def test_the_penalty_counts_large_features_in_standard_deviations() -> None:
    large = made(4, scale=1e9)
    deviations = large.features.std(axis=0)
    units = large.with_features(large.features / deviations)
    expected = problem(units, scale_large=False).solution(0.5)[0].weights / deviations
    assert problem(large).solution(0.5)[0].weights == pytest.approx(expected, rel=1e-9)


def test_squares_beyond_all_numbers_are_refused() -> None:
    data = made()
    features = data.features.copy()
    features[:, 2] *= 1e200
    with pytest.raises(RankwiseError, match="found larger ones in feature 3"):
        problem(data.with_features(features))
