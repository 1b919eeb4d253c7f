"""The public function: every kind of input gives the same figures."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

from rankwise.data import join_run
from rankwise.data.dataset import Dataset
from rankwise.data.formats.trec import read_qrels, read_run
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate

LABELS = [0, 2, 1, 0, 1]
QUERIES = ["a", "a", "a", "b", "b"]
SCORES = [3.0, 2.0, 1.0, 1.0, 2.0]
DOCUMENTS = ["d1", "d2", "d3", "d1", "d2"]
NDCG_A = (3 / math.log2(3) + 1 / 2) / (3 + 1 / math.log2(3))


def expected() -> dict[str, float]:
    return {"a": NDCG_A, "b": 1.0}


def dictionary(values: list[Any]) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {"a": {}, "b": {}}
    for query, document, value in zip(QUERIES, DOCUMENTS, values, strict=True):
        table[query][document] = value
    return table


def test_every_kind_of_input(tmp_path: Path) -> None:
    dataset = Dataset.from_arrays(np.zeros((5, 1)), LABELS, QUERIES)
    columns = {"label": LABELS, "qid": QUERIES, "score": SCORES, "document": DOCUMENTS}
    path = tmp_path / "scores"
    path.write_text("".join(f"{score}\n" for score in SCORES))
    found = [
        evaluate(dataset, SCORES, ["NDCG@10"]),
        evaluate(dataset, path, "NDCG@10"),
        evaluate(np.array(LABELS), np.array(SCORES), ["NDCG@10"], qid=QUERIES),
        evaluate(pandas.DataFrame(columns), "score", ["NDCG@10"]),
        evaluate(polars.DataFrame(columns), "score", ["NDCG@10"]),
        evaluate(pandas.DataFrame(columns), pandas.Series(SCORES), ["NDCG@10"]),
        evaluate(dictionary(LABELS), dictionary(SCORES), ["NDCG@10"]),
    ]
    for evaluation in found:
        assert evaluation["NDCG@10"].per_query == pytest.approx(expected())
    groups = evaluate(LABELS, SCORES, ["NDCG@10"], group=[3, 2])
    assert groups["NDCG@10"].per_query == pytest.approx({"1": NDCG_A, "2": 1.0})


def test_a_tool_by_name() -> None:
    result = evaluate(LABELS, SCORES, "NDCG@10", "letor4", group=[3, 2])
    assert result["NDCG@10"].mean == 0
    assert set(evaluate(LABELS, SCORES, tool="yahoo", group=[3, 2]).results) == {
        "RMSE",
        "ERR",
        "NDCG@10",
    }


def test_judged_and_retrieved_documents_may_differ() -> None:
    """b was judged but not retrieved, c retrieved but never judged."""
    judgements, run = {"q": {"a": 1, "b": 1, "n": 0}}, {"q": {"c": 3.0, "a": 2.0, "n": 1.0}}
    means = evaluate(judgements, run, ["map", "bpref", "num_ret", "recall_5"], "trec_eval").means()
    assert means == {"map": (1 / 2) / 2, "bpref": 1 / 2, "num_ret": 3, "recall_5": 1 / 2}


def test_queries_on_one_side_only() -> None:
    judgements: dict[str, dict[str, float]] = {"1": {"a": 1}, "2": {"a": 1}}
    run = {"1": {"a": 1.0}, "3": {"a": 1.0}}
    with pytest.raises(RankwiseError, match="1 queries of the judgements are not in the run"):
        evaluate(judgements, run, "P@1")
    with pytest.raises(RankwiseError, match="1 queries of the run are not in the judgements"):
        evaluate({"1": {"a": 1}}, run, "P@1")
    assert evaluate(judgements, run, "P@1", missing_queries="skip")["P@1"].mean == 1
    assert evaluate(judgements, run, "P@1", missing_queries="zero")["P@1"].mean == 1 / 2
    joined = join_run(judgements, run)
    assert (joined.only_judged, joined.only_retrieved) == (("2",), ("3",))


def test_trec_files_join(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 b 1 2.0 t\n1 Q0 a 2 1.0 t\n")
    found = evaluate(read_qrels(tmp_path / "qrels"), read_run(tmp_path / "run").scores, "RR")
    assert found["RR"].mean == 1 / 2


@pytest.mark.parametrize(
    ("judgements", "scores", "options", "sentence"),
    [
        ([1, 0], [1.0], {"group": [2]}, "found 1 scores for 2 rows"),
        ([1, 0], [1.0, 2.0], {}, "either qid, a query id per row, or group"),
        ([1, 0], [1.0, 2.0], {"group": [3]}, "must add up to the 2 rows, found 3"),
        ([1, 0, 1], [1.0, 2, 3], {"qid": [1, 2, 1]}, "found query '1' in row 2 again"),
        ([1, 0], [1.0, math.nan], {"group": [2]}, "1 of 2 are NaN, the first in row 2"),
        ({"1": {"a": 1}}, [1.0], {}, "need a run"),
        ({"1": {"a": 1}}, {"1": {"a": math.nan}}, {}, "found NaN for document 'a' of query '1'"),
    ],
)
def test_input_that_does_not_fit(
    judgements: Any, scores: Any, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(RankwiseError) as caught:
        evaluate(judgements, scores, "NDCG@10", **options)
    assert sentence in str(caught.value)


def test_frames_must_have_their_columns() -> None:
    with pytest.raises(RankwiseError, match="must have a column 'qid'"):
        evaluate(pandas.DataFrame({"label": [1]}), [1.0], "P@1")
    with pytest.raises(RankwiseError, match="no column 'mine' of scores"):
        evaluate(pandas.DataFrame({"label": [1], "qid": [1]}), "mine", "P@1")


def test_figures_as_a_frame() -> None:
    frame = evaluate(LABELS, SCORES, ["P@1", "AP"], group=[3, 2]).to_frame()
    assert list(frame.columns) == ["tool", "measure", "query", "value"]
    assert frame[frame["measure"] == "P@1"]["value"].tolist() == [0, 1, 1 / 2]
