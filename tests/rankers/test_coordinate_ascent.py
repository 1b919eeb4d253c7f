"""Coordinate Ascent: steps against fresh evaluations, climbs that never fall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.measure import parse
from rankwise.rankers.search.coordinate_ascent import CoordinateAscent, StepMeasure
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import made

STEPS = np.array([0.0, 0.001, 0.01, 0.1, 1.0, 10.0, -0.001, -0.5, -8.0, 0.3])


def named(dataset):
    ids = [f"d{number * 7 % 101:03}" for number in range(dataset.n_documents)]
    return Dataset.from_arrays(
        dataset.features, dataset.labels, dataset.query_of_rows, document_ids=ids
    )


@pytest.mark.parametrize(
    ("measure", "tool"),
    [
        ("MAP", "definition"),
        ("MAP", "letor3"),
        ("NDCG@5", "letor4"),
        ("NDCG@8", "letor3"),
        ("ERR@10", "definition"),
        ("P@3", "definition"),
        ("MRR", "definition"),
        ("NDCG@10", "sklearn"),
        ("NDCG@10", "trec_eval"),
        ("NDCG@10", "lightgbm"),
        ("MAP(ties=worst)", "definition"),
        ("MAP(ties=reversed)", "definition"),
        ("MAP(ties=expected)", "definition"),
        ("KendallTau", "definition"),
    ],
)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=6)
def test_steps_give_the_figures_of_fresh_evaluations(measure, tool, seed):
    rng = np.random.default_rng(seed)
    dataset = named(made(seed, n_queries=5, length=7))
    judged = TrainingMeasure.of(dataset, measure, tool)
    steps = StepMeasure(judged)
    for _ in range(2):
        # Rounded, so that there are ties before and after steps.
        scores = np.round(rng.normal(size=dataset.n_documents), 1)
        column = np.round(rng.normal(size=dataset.n_documents), 1)
        expected = [judged.mean(scores + step * column) for step in STEPS]
        assert steps.means(scores, column, STEPS) == pytest.approx(expected, abs=1e-14)


def test_long_lists_that_a_step_turns_round_are_sorted_afresh():
    rng = np.random.default_rng(0)
    dataset = Dataset.from_arrays(np.zeros((900, 1)), rng.integers(0, 3, 900), np.zeros(900))
    scores, column = np.arange(900.0), rng.normal(size=900)
    judged = TrainingMeasure.of(dataset, "MAP")
    expected = [judged.mean(scores + step * column) for step in (0.01, 1e4, -1e4)]
    found = StepMeasure(judged).means(scores, column, np.array([0.01, 1e4, -1e4]))
    assert found == pytest.approx(expected, abs=1e-14)


def test_a_climb_never_falls():
    dataset = made(1, n_queries=10, n_features=6)
    figures = []
    ranker = CoordinateAscent(restarts=1, tolerance=0.0, rounds=3)
    model = ranker.fit(dataset, watch=lambda progress: bool(figures.append(progress.training)))
    assert len(figures) >= 6
    assert np.all(np.diff(figures) >= 0)
    reached = TrainingMeasure.of(dataset, "MAP").mean(model.score(dataset))
    assert reached == model.facts["training"] == max(figures)


def test_no_single_step_betters_a_finished_climb():
    dataset = made(2, n_queries=6)
    model = CoordinateAscent(restarts=1, tolerance=0.0, rounds=100).fit(dataset)
    weights = model.scorer.weights
    judged = TrainingMeasure.of(dataset, "MAP")
    steps = 0.001 * 2.0 ** np.arange(13)
    for column in range(4):
        for step in (*steps, *-steps, -weights[column]):
            moved = weights.copy()
            moved[column] += step
            assert judged.mean(dataset.features @ moved) <= model.facts["training"] + 1e-12


def test_weights_sum_to_one_and_idle_features_have_none():
    dataset = made(3)
    features = np.column_stack([dataset.features, dataset.query_of_rows, np.ones(56)])
    model = CoordinateAscent().fit(dataset.with_features(features), made(3).with_features(features))
    assert np.abs(model.scorer.weights).sum() == pytest.approx(1.0)
    assert model.scorer.weights[4:].tolist() == [0.0, 0.0]


def test_any_measure_is_climbed():
    dataset = made(4, n_queries=20)
    start = TrainingMeasure.of(dataset, "ERR@3").mean(dataset.features.sum(axis=1))
    model = CoordinateAscent(measure="ERR@3").fit(dataset)
    assert model.facts["training"] > start
    assert parse("ERR@3") == TrainingMeasure.of(dataset, "ERR@3").measure


def test_restarts_are_random_by_seed():
    dataset, validation = made(5), made(6)
    runs = [CoordinateAscent().fit(dataset, validation, seed=s).scorer.weights for s in (1, 1, 2)]
    assert runs[0].tobytes() == runs[1].tobytes()
    assert runs[0].tobytes() != runs[2].tobytes()


def test_constant_features_are_refused():
    dataset = made(1).with_features(np.ones((56, 3)))
    with pytest.raises(RankwiseError, match="tell documents of a training query apart"):
        CoordinateAscent().fit(dataset)
