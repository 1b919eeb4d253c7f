"""DirectRank: the best place on a line against all places, sweeps that never fall."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.errors import RankwiseError
from rankwise.rankers.search.directrank import DirectRank, LineMeasure
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import made

REACH = 2.0


def all_places(scores, column, offsets):
    """The middle of every interval between crossings of any two documents of a query."""
    times = [-REACH, REACH]
    for first, last in pairwise(offsets):
        for i in range(first, last):
            for j in range(first, last):
                if column[i] != column[j]:
                    times.append((scores[j] - scores[i]) / (column[i] - column[j]))
    kept = np.unique([time for time in times if abs(time) <= REACH])
    return (kept[1:] + kept[:-1]) / 2


@pytest.mark.parametrize("measure", ["MAP", "NDCG", "NDCG@3"])
@pytest.mark.parametrize("copies", [False, True])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_the_best_of_all_places_is_found(measure, copies, seed) -> None:
    """Of documents that are equal everywhere the first in the file stands above."""
    dataset = made(seed, n_queries=3, length=6)
    rng = np.random.default_rng(seed)
    scores, column = rng.normal(size=(2, dataset.n_documents))
    if copies:
        scores[1::2], column[1::2] = scores[::2], column[::2]
    judged = TrainingMeasure.of(dataset, measure)
    figures = [
        judged.mean(scores + time * column)
        for time in all_places(scores, column, dataset.query_offsets)
    ]
    line = LineMeasure.of(dataset, measure, "definition")
    step, rise = line.best_step(scores, column, REACH)
    assert judged.mean(scores + step * column) == pytest.approx(max(figures), abs=1e-9)
    assert rise == pytest.approx(max(figures) - judged.mean(scores), abs=1e-9)
    assert abs(step) <= REACH


def test_a_column_without_differences_moves_nothing() -> None:
    dataset = made(0)
    line = LineMeasure.of(dataset, "MAP", "definition")
    scores = np.random.default_rng(0).normal(size=dataset.n_documents)
    assert line.best_step(scores, np.ones(dataset.n_documents), 1.0) == (0.0, 0.0)


def test_sweeps_never_fall() -> None:
    dataset = made(1, n_queries=10, n_features=6)
    figures = []
    model = DirectRank(rounds=3).fit(
        dataset, watch=lambda progress: bool(figures.append(progress.training))
    )
    assert len(figures) == 3
    assert np.all(np.diff(figures) >= 0)
    reached = TrainingMeasure.of(dataset, "MAP", ties="expected").mean(model.score(dataset))
    assert reached == pytest.approx(model.facts["training"], abs=1e-12)
    assert np.abs(model.scorer.weights).sum() == pytest.approx(1.0)


def test_a_tool_that_cuts_map_off_judges_rounds_and_weights_follow_the_definition() -> None:
    dataset = made(0)
    dataset = replace(dataset, labels=(dataset.labels > 0).astype(np.float64))
    model = DirectRank(tool="xgboost").fit(dataset)
    assert model.facts["measure_of_tool"] == "definition"
    reached = TrainingMeasure.of(dataset, "MAP", "xgboost").mean(model.score(dataset))
    assert model.facts["selection"] == pytest.approx(reached)
    assert "measure_of_tool" not in DirectRank(tool="letor4").fit(dataset).facts
    with pytest.raises(RankwiseError, match=r"must be given MAP or NDCG.*found MAP@10"):
        DirectRank(tool="xgboost", measure="MAP@10").fit(dataset)


def test_a_measure_that_is_no_sum_over_documents_is_refused() -> None:
    with pytest.raises(RankwiseError, match=r"must be given MAP or NDCG.*found ERR@10"):
        DirectRank(measure="ERR@10").fit(made(0))
