from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.rankers.boosting.weak_rankers import Pool
from rankwise.rankers.dea import dearank as pool_module
from rankwise.rankers.dea.dearank import SMALLEST_SUM, candidates, feature_weighted
from rankwise.rankers.dea.programs import MODELS, optimal_weights
from rankwise.rankers.training.training_measure import TrainingMeasure


def made(n_queries: int = 8, seed: int = 0) -> Dataset:
    """Documents with features in [0, 1] within each query, as LETOR's QueryLevelNorm has them."""
    rng = np.random.default_rng(seed)
    features, labels, qid = [], [], []
    for query in range(n_queries):
        block = rng.random((12, 5))
        block[0] = block.min(axis=0)
        features.append((block - block.min(axis=0)) / np.ptp(block, axis=0))
        labels.append(rng.integers(0, 3, 12))
        qid += [query] * 12
    return Dataset.from_arrays(np.vstack(features), np.concatenate(labels), qid)


@pytest.mark.parametrize("model", MODELS)
def test_candidates_are_the_optimal_weights_of_documents(model: str) -> None:
    train = made()
    found = candidates(train, model)
    assert len(found) > 20
    for weights, home, row in zip(found.weights, found.homes, found.documents, strict=True):
        query = train.query(int(home))
        solved = optimal_weights(query.features, query.labels, model)
        np.testing.assert_allclose(weights, solved.weights[row - train.query_offsets[home]])


def test_near_zero_and_equal_weights_are_left_out() -> None:
    """Labels of 0.1 make weights of ln 1.1, which is less than 0.5."""
    features = [[0.0], [1.0], [0.0], [1.0], [0.0], [1.0]]
    labels = [0.0, 0.1, 0.0, 2.0, 0.0, 2.0]
    train = Dataset.from_arrays(features, labels, [1, 1, 2, 2, 3, 3])
    found = candidates(train, "ccr-o")
    assert np.log(1.1) < SMALLEST_SUM
    assert found.weights == pytest.approx(np.log(3.0) * np.ones((2, 1)))
    assert found.homes.tolist() == [1, 2]
    assert found.distinct().homes.tolist() == [1]
    assert found.without_program == 3


def test_distinct_keeps_the_first_of_equals_and_all_others() -> None:
    found = candidates(made(), "ccr-i")
    twice = replace(
        found,
        weights=np.vstack([found.weights, found.weights * (1 + 1e-13)]),
        homes=np.tile(found.homes, 2),
        documents=np.tile(found.documents, 2),
    )
    once = twice.distinct()
    assert len(once) == len(found.distinct()) <= len(found)
    assert (once.weights == found.distinct().weights).all()


@pytest.mark.parametrize("model", MODELS)
def test_shifting_and_scaling_features_changes_units_only(model: str) -> None:
    train = made()
    units, shifts = np.array([1e9, 1.0, 4.0, 0.5, 1e-6]), np.array([-3e9, 7.0, 0.0, -2.0, 1e-6])
    moved = train.with_features(train.features * units + shifts)
    plain, other = candidates(train, model), candidates(moved, model)
    value = TrainingMeasure.of(train, "MAP")
    best = Pool.of(plain.weights, train, value).performance.mean(axis=1).max()
    best_moved = Pool.of(other.weights, moved, value).performance.mean(axis=1).max()
    assert best_moved == pytest.approx(best, abs=0.02)
    assert other.programs == pytest.approx(plain.programs, rel=0.1)


def test_a_constant_feature_is_never_used() -> None:
    train = made()
    widened = train.with_features(np.column_stack([train.features, np.full(len(train.labels), 5)]))
    for model in MODELS:
        assert not candidates(widened, model).weights[:, -1].any()


def test_data_without_any_difference_are_refused() -> None:
    flat = Dataset.from_arrays(np.ones((4, 2)), [0, 1, 0, 1], [1, 1, 2, 2])
    with pytest.raises(RankwiseError, match="documents differ in some feature, found none in 2"):
        candidates(flat, "ccr-i")
    unlabelled = Dataset.from_arrays(np.eye(4), np.zeros(4), [1, 1, 2, 2])
    with pytest.raises(RankwiseError, match="and have a positive label"):
        candidates(unlabelled, "ccr-o")


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    train = made(20)
    several = candidates(train, "ccr-o")
    monkeypatch.setattr(pool_module, "processors", lambda: 1)
    alone = candidates(train, "ccr-o")
    assert (several.weights == alone.weights).all()
    assert (several.homes == alone.homes).all()


def test_feature_weights_follow_equation_15() -> None:
    """β_tk ∝ Σ_i E(x_i, y_i, f_k) over the features that the candidate uses, in sum β_t."""
    train = made()
    measure = TrainingMeasure.of(train, "NDCG@5")
    pool = Pool.of(candidates(train, "ccr-i").weights, train, measure)
    joined = feature_weighted(pool, train, measure)
    worth = [measure.per_query(train.features[:, k]).sum() for k in range(5)]
    for own, weights in zip(pool.weights, joined.weights, strict=True):
        used = np.flatnonzero(own)
        expected = np.zeros(5)
        expected[used] = [worth[k] / sum(worth[j] for j in used) for k in used]
        assert weights == pytest.approx(expected)
    assert joined.performance is pool.performance


@pytest.mark.parametrize("name", ["letor3/OHSUMED/QueryLevelNorm", "letor4/MQ2008"])
def test_letor_data_are_normalized_already(shared: Path, name: str) -> None:
    """So the programs are solved on the very numbers of the file."""
    train = read(shared / "data" / name / "Fold1" / "train.txt")
    for query in train.queries():
        ranges = np.ptp(query.features, axis=0)
        units = np.where(ranges > 0.0, ranges, 1.0)
        assert ((query.features - query.features.min(axis=0)) / units == query.features).all()


def test_what_ohsumed_leaves_out(shared: Path) -> None:
    train = read(shared / "data/letor3/OHSUMED/QueryLevelNorm/Fold1/train.txt")
    found = candidates(train, "ccr-o")
    empty = ~train.features.any(axis=1)
    assert found.without_program == np.count_nonzero(empty) == 929
    assert found.left_out == np.count_nonzero(empty & (train.labels > 0)) == 210
