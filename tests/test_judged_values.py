"""Judgements and scores in memory that are not what they must be: one sentence each."""

from __future__ import annotations

import math
from typing import Any

import pytest

import rankwise as rw
from rankwise.errors import RankwiseError

ROWS: dict[str, Any] = {"qid": [1, 1]}
WRONG: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "a pair of labels and ids": (([1, 0], [1, 1]), [1, 2], {}),
    "labels alone": ([1, 0], [1, 2], {}),
    "a text for a label": ([1, "x"], [1, 2], ROWS),
    "ragged labels": ([[1], [2, 3]], [1, 2], ROWS),
    "ragged scores": ([1, 0], [[1], [2, 3]], ROWS),
    "a number beyond doubles": ([1, 0], [10**5000, 1], ROWS),
    "ragged ids": ([1, 0], [1, 2], {"qid": [[1], [1, 2]]}),
    "texts for rows": ([1, 0], [1, 2], {"group": ["a"]}),
    "a number for rows": ([1, 0], [1, 2], {"group": 5}),
    "a number for documents": ([1, 0], [1, 2], {**ROWS, "document_ids": 5}),
    "a text for a score": ({"q": {"d": 1}}, {"q": {"d": "x"}}, {}),
    "a text for a judgement": ({"q": {"d": "a"}}, {"q": {"d": 1}}, {}),
    "a judgement beyond doubles": ({"q": {"d": 10**400}}, {"q": {"d": 1}}, {}),
    "no documents": ({"q": 5}, {"q": {"d": 1}}, {}),
    "nothing": (None, [1, 2], {}),
}


@pytest.mark.parametrize("name", WRONG)
def test_values_that_cannot_be_judged(name: str) -> None:
    judgements, scores, how = WRONG[name]
    with pytest.raises(RankwiseError) as caught:
        rw.evaluate(judgements, scores, ["NDCG@5"], **how)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("measures", [5, [5], [None], [["MAP"]], "NDCG@ten"])
def test_measures_that_are_none(measures: Any) -> None:
    with pytest.raises(RankwiseError, match=r"measures must be names|the cut-off of 'NDCG@ten'"):
        rw.evaluate([1, 0], [1, 2], measures, qid=[1, 1])


def test_measures_in_one_text() -> None:
    found = rw.evaluate([1, 0], [1, 2], "NDCG@5,MAP", qid=[1, 1])
    # The relevant document is second: 1 / log2(3), and 1 / 2.
    assert found["NDCG@5"].mean == pytest.approx(1 / math.log2(3))
    assert found["MAP"].mean == 1 / 2


@pytest.mark.parametrize("group", [[1.5, 0.5], [3, -1], [2, 0], [math.nan], [[2]], ["2"], [1]])
def test_rows_per_query_must_be_whole_numbers_that_cover_the_rows(group: Any) -> None:
    """All doors alike: a count of 1.5 is not cut to 1."""
    for door in (
        lambda: rw.evaluate([1, 0], [1, 2], "MAP", group=group),
        lambda: rw.Dataset.from_arrays([[1.0], [2.0]], [1, 0], group=group),
    ):
        with pytest.raises(RankwiseError, match="group must"):
            door()


@pytest.mark.parametrize("how", [{"qid": [1, 2]}, {"group": [2]}, {"document_ids": ["a", "b"]}])
def test_what_judgements_know_themselves_is_not_left_aside(how: dict[str, Any]) -> None:
    pandas = pytest.importorskip("pandas")
    known: list[tuple[Any, Any]] = [
        (rw.Dataset.from_arrays([[1.0], [2.0]], [1, 0], [1, 1]), [1, 2]),
        (pandas.DataFrame({"label": [1, 0], "qid": [1, 1]}), [1, 2]),
        ({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 2}}),
    ]
    for judgements, scores in known:
        with pytest.raises(RankwiseError, match=f"only labels alone need {next(iter(how))}"):
            rw.evaluate(judgements, scores, "MAP", **how)


def test_what_missing_queries_are_must_be_known() -> None:
    judgements, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1}}
    wrong: Any = "ignore"
    with pytest.raises(RankwiseError, match="must be one of error, skip, zero, found 'ignore'"):
        rw.evaluate(judgements, run, "MAP", missing_queries=wrong)
