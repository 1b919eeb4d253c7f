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
