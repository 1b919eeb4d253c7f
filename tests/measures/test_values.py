"""Averages, rounding, and how data are held."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures.measure import parse
from rankwise.measures.values import average, measure_values


def judged(labels: list[float], lengths: list[int], **fields: object) -> JudgedScores:
    scores = -np.arange(float(len(labels)))
    ids = [str(number) for number in range(len(lengths))]
    return JudgedScores(np.array(labels), scores, offsets_of(lengths), ids, **fields)  # type: ignore[arg-type]


def mean(name: str, data: JudgedScores) -> float:
    measure = parse(name)
    return average(measure_values(data, [measure])[0], measure, data)


def test_skipped_queries_are_left_out_and_absent_ones_count_as_zero() -> None:
    data = judged([1, 0, 0, 0, 1], [2, 2, 1])
    assert mean("RR", data) == 2 / 3
    assert mean("RR(empty=skip)", data) == 1
    assert mean("P(short=absent)@2", data) == (1 / 2 + 0) / 3


def test_sums_and_geometric_means() -> None:
    data = judged([1, 0, 1, 0, 0], [2, 3])
    assert mean("Retrieved", data) == 5
    assert mean("Relevant", data) == 2
    data = judged([1, 0, 0, 1, 0, 0], [2, 2, 2])
    expected = math.exp((math.log(1) + math.log(1 / 2) + math.log(0.00001)) / 3)
    assert mean("gm_map", data) == pytest.approx(expected, rel=1e-14)


def test_rmse_is_pooled_over_documents_and_surplus_scores() -> None:
    data = judged([1, 0, 2], [2, 1])
    squares = (0 - 1) ** 2 + (-1 - 0) ** 2 + (-2 - 2) ** 2
    assert mean("RMSE", data) == pytest.approx(math.sqrt(squares / 3))
    data = judged([1, 0, 2], [2, 1], surplus_scores=3)
    assert mean("RMSE", data) == pytest.approx(math.sqrt(squares / 6))


def test_rounding_comes_before_the_mean() -> None:
    data = judged([0, 0, 1], [3])
    assert measure_values(data, [parse("RR(rounding=single)")])[0, 0] == np.float32(1 / 3)
    assert measure_values(data, [parse("RR(rounding=5)")])[0, 0] == 0.33333


def test_no_queries_have_no_mean() -> None:
    data = judged([], [])
    assert math.isnan(mean("NDCG@10", data))
    assert mean("Retrieved", data) == 0


def test_a_query_without_documents_scores_zero() -> None:
    data = JudgedScores(np.array([1.0]), np.zeros(1), offsets_of([1]), ["1"],
                        retrieved=np.array([0]))  # fmt: skip
    for name in ("NDCG@10", "AP", "P@5", "P", "Recall", "MeanNDCG", "Bpref", "WTA", "Best@3"):
        assert mean(name, data) == 0, name


def test_scores_of_documents_that_were_not_retrieved_are_not_read() -> None:
    data = JudgedScores(np.array([1.0, 1]), np.array([0, np.nan]), offsets_of([2]), ["1"],
                        retrieved=np.array([1]))  # fmt: skip
    assert mean("Recall", data) == 1 / 2


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"scores": np.zeros(1)}, "found 1 scores for 2 documents"),
        ({"query_offsets": [0, 1]}, "must rise from 0 to the number of documents"),
        ({"query_ids": ["a", "b"]}, "found 2 ids for 1 queries"),
        ({"document_ids": ["a"]}, "found 1 for 2"),
        ({"scores": np.array([0, np.nan])}, "1 of 2 are NaN, the first in row 2"),
        ({"scores": np.array([np.nan, np.nan]), "retrieved": np.array([1])}, "1 of 2 are NaN"),
        ({"retrieved": np.array([3])}, "0 to all of its documents must be retrieved"),
        ({"retrieved": np.array([-1])}, "0 to all of its documents must be retrieved"),
        ({"retrieved": np.array([1, 1])}, "0 to all of its documents must be retrieved"),
    ],
)
def test_data_that_do_not_fit_together_are_refused(
    fields: dict[str, object], sentence: str
) -> None:
    good: dict[str, object] = {"labels": np.zeros(2), "scores": np.zeros(2),
                               "query_offsets": [0, 2], "query_ids": ["a"]}  # fmt: skip
    with pytest.raises(RankwiseError, match=sentence):
        JudgedScores(**{**good, **fields})  # type: ignore[arg-type]
