"""A prepared measure gives the figures of `evaluate`, whatever the tool."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.boosting_data import made

CASES = [
    ("definition", "MAP"),
    ("definition", "NDCG@3"),
    ("definition", "bpref"),
    ("letor3", "NDCG@5"),
    ("letor3", "MAP"),
    ("letor4", "NDCG@5"),
    ("ranklib", "NDCG@5"),
    ("lightgbm", "NDCG@5"),
    ("yahoo", "ERR"),
    ("sklearn", "NDCG@5"),
    ("trec_eval", "MAP"),
    ("ranx", "MAP"),
    ("gdeval", "NDCG@5"),
]


def judged(dataset: Dataset, scores: np.ndarray) -> JudgedScores:
    ids = [str(number) for number in range(1, dataset.n_queries + 1)]
    documents = None if dataset.document_ids is None else list(dataset.document_ids)
    return JudgedScores(dataset.labels, scores, dataset.query_offsets, ids, documents)


def named(dataset: Dataset) -> Dataset:
    return Dataset.from_arrays(
        dataset.features,
        dataset.labels,
        group=dataset.query_lengths,
        document_ids=[f"d{(7 * row) % 101}" for row in range(dataset.n_documents)],
    )


@pytest.mark.parametrize(("tool", "name"), CASES)
def test_mean_and_values_are_those_of_evaluate(tool: str, name: str) -> None:
    dataset = named(made(3, queries=12))
    scores = np.round(dataset.features[:, 0])  # ties
    prepared = TrainingMeasure.of(dataset, name, tool)
    # gdeval rounds the value of each query to five decimals, a training measure never does.
    precision = 1e-5 if tool == "gdeval" else 0.0
    expected = evaluate_judged(judged(dataset, scores), [name], tool)[name]
    assert prepared.mean(scores) == pytest.approx(expected.mean, rel=0, abs=precision)
    if len(expected.values) == dataset.n_queries and tool != "trec_eval":
        shown = np.nan_to_num(expected.values)
        assert prepared.per_query(scores) == pytest.approx(shown, rel=0, abs=precision)


@given(st.integers(0, 10_000))
def test_a_matrix_is_its_rows(seed: int) -> None:
    dataset = made(seed)
    candidates = np.random.default_rng(seed).normal(size=(3, dataset.n_documents))
    prepared = TrainingMeasure.of(dataset, "NDCG@3", "letor4")
    rows = [prepared.per_query(scores) for scores in candidates]
    assert np.array_equal(prepared.matrix(candidates), np.array(rows))


def test_a_query_without_a_figure_counts_as_the_tool_counts_it() -> None:
    # The second query has no relevant document: the definition gives 0, scikit-learn's own
    # averaging and LightGBM's 1 differ, and only `skip` leaves it out of the mean.
    dataset = Dataset.from_arrays([[2.0], [1.0], [2.0], [1.0]], [0, 1, 0, 0], group=[2, 2])
    scores = np.array([2.0, 1.0, 2.0, 1.0])
    assert TrainingMeasure.of(dataset, "MAP").mean(scores) == (1 / 2 + 0) / 2
    skipping = TrainingMeasure.of(dataset, "AP(empty=skip)")
    assert skipping.mean(scores) == 1 / 2
    assert skipping.per_query(scores).tolist() == [1 / 2, 0.0]


def test_open_ties_are_judged_by_expectation_not_by_the_file() -> None:
    dataset = Dataset.from_arrays([[0.0], [0.0]], [1, 0], group=[2])
    flat = np.zeros(2)
    assert TrainingMeasure.of(dataset, "MAP").mean(flat) == 1.0
    assert TrainingMeasure.of(dataset, "MAP", ties="expected").mean(flat) == (1 + 1 / 2) / 2


def test_a_repeated_document_is_read_as_the_tool_reads_it() -> None:
    # The LETOR scripts keep the later row of a document id.
    dataset = Dataset.from_arrays(
        np.ones((3, 1)), [1, 0, 0], group=[3], document_ids=["a", "b", "a"]
    )
    assert TrainingMeasure.of(dataset, "MAP", "letor3").mean(np.array([3.0, 2.0, 1.0])) == 0.0
    assert TrainingMeasure.of(dataset, "MAP").mean(np.array([3.0, 2.0, 1.0])) == 1.0


def test_queries_without_any_figure_have_the_mean_zero() -> None:
    dataset = Dataset.from_arrays([[1.0], [2.0]], [0, 0], group=[2])
    assert TrainingMeasure.of(dataset, "AP(empty=skip)").mean(np.ones(2)) == 0.0


@pytest.mark.parametrize(
    ("name", "tool", "words"),
    [
        ("RMSE", "yahoo", "must rise as rankings get better"),
        ("ERR@5", "letor3", "letor3 does not compute"),
        ("NDGC@5", "definition", "did you mean"),
        ("MAP", "leter3", "did you mean"),
    ],
)
def test_what_cannot_be_a_training_measure_is_one_sentence(
    name: str, tool: str, words: str
) -> None:
    with pytest.raises(RankwiseError, match=words):
        TrainingMeasure.of(made(1), name, tool)


def test_scores_must_be_one_per_document() -> None:
    dataset = made(1)
    with pytest.raises(RankwiseError, match="one score per document"):
        TrainingMeasure.of(dataset).mean(np.ones(dataset.n_documents + 1))
