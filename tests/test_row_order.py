"""Rows of pandas are matched by their index; without one to compare, another order is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import RankwiseError
from rankwise.sklearn_adapter import QuerySplit, RankwiseRanker

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

ROWS = [10, 20, 30, 40, 50, 60]
FRAME = pandas.DataFrame(
    {
        "label": [2, 0, 1, 0, 1, 2],
        "qid": [1, 1, 1, 2, 2, 2],
        "a": [0.1, 0.9, 0.3, 0.5, 0.2, 0.8],
        "b": [1.0, 0.0, 2.0, 5.0, 3.0, 1.0],
    },
    index=ROWS,
)
SCORES = pandas.Series([3.0, 1, 2, 1, 2, 3], index=ROWS)
SHUFFLED = SCORES.sort_values()
LABELS = FRAME["label"]


def test_scores_in_another_order_have_the_same_figures() -> None:
    judgements: list[tuple[Any, dict[str, Any]]] = [
        (FRAME, {}),
        (LABELS, {"qid": FRAME["qid"]}),
        (LABELS.to_numpy(), {"qid": FRAME["qid"]}),
        (LABELS, {"qid": FRAME["qid"].sort_index(ascending=False)}),
        (LABELS, {"group": [3, 3]}),
    ]
    for known, how in judgements:
        for scores in (SCORES, SHUFFLED, SCORES.iloc[::-1], SCORES.to_numpy()):
            assert rw.evaluate(known, scores, "NDCG", **how)["NDCG"].mean == 1.0


@pytest.mark.parametrize(
    "scores",
    [
        SCORES.reset_index(drop=True),
        SCORES.set_axis([10, 10, 20, 30, 40, 50]),
        SCORES.set_axis([*ROWS[:5], 70]),
    ],
    ids=["row numbers", "repeated rows", "another row"],
)
def test_scores_of_other_rows_are_refused(scores: Any) -> None:
    for known, how in ((FRAME, {}), (LABELS, {"qid": FRAME["qid"]})):
        with pytest.raises(RankwiseError, match=r"scores must have the index of .* other or rep"):
            rw.evaluate(known, scores, "NDCG", **how)


def test_an_index_that_nothing_can_be_compared_with_is_refused() -> None:
    data = rw.Dataset.from_frame(FRAME)
    numbered = SCORES.reset_index(drop=True)
    known: list[tuple[Any, dict[str, Any]]] = [
        (data, {}),
        (polars.from_pandas(FRAME), {}),
        (LABELS.to_numpy(), {"group": [3, 3]}),
    ]
    for judgements, how in known:
        for scores in (SHUFFLED, numbered.iloc[::-1], SCORES):
            with pytest.raises(RankwiseError, match="must be in the order of the rows"):
                rw.evaluate(judgements, scores, "NDCG", **how)
        for right in (numbered, SCORES.to_numpy(), polars.Series(SCORES.to_list())):
            assert rw.evaluate(judgements, right, "NDCG", **how)["NDCG"].mean == 1.0
    for field in ("labels", "weights"):
        arrays = {"labels": data.labels, "weights": None, field: SHUFFLED}
        with pytest.raises(RankwiseError, match=f"{field} must be in the order of the rows"):
            rw.Dataset(data.features, query_offsets=data.query_offsets,
                       query_ids=data.query_ids, **arrays)  # fmt: skip


def test_labels_queries_and_documents_follow_the_features() -> None:
    X, names = FRAME[["a", "b"]], pandas.Series(list("uvwxyz"), index=ROWS)
    back = slice(None, None, -1)
    made = rw.Dataset.from_arrays(
        X, LABELS.iloc[back], FRAME["qid"].iloc[back], document_ids=names.iloc[back]
    )
    assert made.labels.tolist() == LABELS.to_list()
    assert list(made.document_ids or ()) == list("uvwxyz")
    with pytest.raises(RankwiseError, match="labels must have the index of features"):
        rw.Dataset.from_arrays(X, LABELS.reset_index(drop=True), FRAME["qid"])


def test_the_estimator_matches_rows_by_their_index() -> None:
    X, y, qid = FRAME[["a", "b"]], LABELS, FRAME["qid"]
    weights = pandas.Series([1.0, 1, 1, 2, 2, 2], index=ROWS)
    last = slice(None, None, -1)

    def fitted(*given: Any, sample_weight: Any = None) -> list[float]:
        model = RankwiseRanker("ridge-regression").fit(*given, sample_weight=sample_weight)
        return list(model.predict(X, qid.iloc[last]))

    plain = fitted(X, y, qid, sample_weight=weights)
    turned = fitted(X, y.iloc[last], qid.iloc[last], sample_weight=weights.iloc[last])
    assert plain == turned
    held = X.assign(qid=qid)
    assert fitted(held, y.iloc[last], qid.iloc[last], sample_weight=weights) == plain
    wrong: list[Callable[[], object]] = [
        lambda: fitted(X, y.reset_index(drop=True), qid),
        lambda: fitted(X, y, qid, sample_weight=weights.reset_index(drop=True)),
        lambda: RankwiseRanker().fit(X, y, qid).predict(X, qid.reset_index(drop=True)),
    ]
    for door in wrong:
        with pytest.raises(RankwiseError, match="must have the index of X"):
            door()


def test_whole_queries_are_split_by_the_index() -> None:
    turned = FRAME["qid"].iloc[::-1]
    for split in (QuerySplit(turned, n_splits=2).split(FRAME),
                  QuerySplit(n_splits=2).split(FRAME, qid=turned)):  # fmt: skip
        assert [test.tolist() for _, test in split] == [[0, 1, 2], [3, 4, 5]]


def test_what_a_mask_covers_is_missing() -> None:
    masked = np.ma.masked_array
    labels, scores = masked([1, 0], [False, True]), masked([1.0, 2.0], [False, True])
    with pytest.raises(RankwiseError, match=r"finite numbers, found 1 of 2 .* \(nan\) in row 2"):
        rw.evaluate(labels, [1, 2], "MAP", qid=[1, 1])
    with pytest.raises(RankwiseError, match="1 of 2 are NaN, the first in row 2"):
        rw.evaluate([1, 0], scores, "MAP", qid=[1, 1])
    with pytest.raises(RankwiseError, match="every row must have a query id, found none in row 2"):
        rw.evaluate([1, 0], [1, 2], "MAP", qid=masked([1, 1], [False, True]))
    X = masked([[1.0, 5], [2, 6]], [[False, True], [False, False]])
    made = rw.Dataset.from_arrays(X, [1, 0], [1, 1])
    assert np.isnan(made.features).tolist() == [[False, True], [False, False]]
    again = rw.Dataset(X, made.labels, made.query_offsets, made.query_ids)
    assert np.isnan(again.features).tolist() == [[False, True], [False, False]]
    with pytest.raises(RankwiseError, match="takes no NaN in X"):
        RankwiseRanker().fit(X, [1, 0], [1, 1])


LARGE = [2**53, 2**53 + 1]


@pytest.mark.parametrize(
    ("known", "scores", "how"),
    [
        ([0, 1], LARGE, {"qid": [1, 1]}),
        ([0, 1], np.array(LARGE), {"qid": [1, 1]}),
        (rw.Dataset.from_arrays([[1.0], [2.0]], [0, 1], [1, 1]), LARGE, {}),
        ({"1": {"a": 0, "b": 1}}, {"1": dict(zip("ab", LARGE, strict=True))}, {}),
        (FRAME[:2].assign(label=[0, 1], score=LARGE), "score", {}),
    ],
)
def test_whole_numbers_that_doubles_do_not_tell_apart(known: Any, scores: Any, how: Any) -> None:
    """As from files: a tool that compares whole numbers does so, and others say that they tie."""
    found = rw.evaluate(known, scores, "P@1", "letor4", **how)
    assert (found["P@1"].mean, found.remarks) == (1.0, ())
    found = rw.evaluate(known, scores, "P@1", **how)
    assert found["P@1"].mean == 0.0
    assert "2 scores are whole numbers beyond 2^53 that differ" in found.remarks[0]


def test_large_whole_numbers_that_doubles_tell_apart_need_no_remark() -> None:
    found = rw.evaluate([0, 1], [2**60, 2**61], "P@1", qid=[1, 1])
    assert (found["P@1"].mean, found.remarks) == (1.0, ())
