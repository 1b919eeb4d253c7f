"""Judgements and scores in memory that are not what they must be: one sentence each."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.checks.made import planted
from rankwise.comparison.significance_tests import bootstrap_test, randomization_test
from rankwise.errors import RankwiseError
from tests.cli.whole_program import rankwise

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


@pytest.mark.parametrize("tool", ["definition", "trec_eval", "letor4"])
def test_ids_that_are_numbers_are_those_of_files(tool: str) -> None:
    """As a frame gives them; one side may have texts."""
    labels, scores = {1: {7: 1, 8: 0}}, {"1": {"7": 1.0, "8": 2.0}}
    texts = {"1": {"7": 1, "8": 0}}
    for given, run in ((labels, scores), (labels, {1: {7: 1.0, 8: 2.0}}), (texts, scores)):
        found = rw.evaluate(given, run, "P@1", tool)
        assert (found["P@1"].mean, list(found["P@1"].query_ids)) == (0.0, ["1"])
    with pytest.raises(RankwiseError, match="must differ as texts"):
        rw.evaluate({1: {7: 1, "7": 0}}, scores, "P@1", tool)


def test_one_name_is_no_list_of_letters() -> None:
    """Where several may be named, one may be."""
    alone = rw.compare(measures="MAP")
    assert [row.nwn for row in alone.rows] == [row.nwn for row in rw.compare(measures=["MAP"]).rows]
    assert {*rw.compare(datasets="TD2003").cells.datasets} == {
        *rw.compare(datasets=["TD2003"]).cells.datasets
    }
    with pytest.raises(RankwiseError, match="no method called nosuch"):
        rw.compare(methods="nosuch")
    with pytest.raises(RankwiseError, match="has no method called nosuch"):
        rw.place("tax2015_results", methods="nosuch")
    with pytest.raises(RankwiseError, match="needs at least two score files, found 1"):
        rw.significance(rw.Dataset.from_arrays([[1.0]], [1], [1]), "mine.scores")


@pytest.mark.parametrize("seed", [-1, 1.5, None, "x", True])
def test_seeds_are_whole_numbers_from_0(seed: Any) -> None:
    data = planted(4)
    systems = {"a": data.features[:, 0], "b": data.features[:, 1]}
    doors: list[Callable[[], object]] = [
        lambda: rw.fit("ridge-regression", data, seed=seed),
        lambda: rw.significance(data, systems, "MAP", test="bootstrap", seed=seed),
        lambda: rw.resample_datasets(rw.compare(measures="MAP"), 2, seed),
        lambda: randomization_test(np.ones(30) - np.eye(30)[0], seed=seed),
    ]
    if seed is not None:
        doors.append(lambda: rw.split_folds(planted(9), seed=seed))
    for door in doors:
        with pytest.raises(RankwiseError, match="a seed must be"):
            door()


@pytest.mark.parametrize("samples", [0, -1, 1.5, "x", 10**12])
def test_samples_are_a_number_that_can_be_drawn(samples: Any) -> None:
    for test in (randomization_test, bootstrap_test):
        with pytest.raises(RankwiseError, match="up to 100,000,000, at least 1, found"):
            test([0.1, 0.2, 0.4], samples=samples)


def test_a_model_is_saved_with_a_name_for_each_feature_or_none(tmp_path: Path) -> None:
    model = rw.fit("ridge-regression", planted(4))
    with pytest.raises(RankwiseError, match="one name per feature, found 1 for 5"):
        rw.save_model(model, tmp_path / "m.json", feature_names=["a"])
    assert not list(tmp_path.iterdir())


def test_an_infinite_mean_is_not_missing(tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_text("2000 qid:1 1:1\n0 qid:1 1:2\n")
    (tmp_path / "s").write_text("1\n2\n")
    words = ("evaluate", tmp_path / "d.txt", tmp_path / "s", "-m", "DCG@5", "--format")
    (found,) = json.loads(rankwise(*words, "json").out)
    assert found["measures"]["DCG@5"]["mean"] == "inf"
    assert rankwise(*words, "csv").out.splitlines()[-1].endswith(",DCG@5,all,inf")


@pytest.mark.parametrize("missing", ["skip", "zero", "error"])
def test_judgements_and_runs_of_other_queries_give_no_figure(missing: Any, tmp_path: Path) -> None:
    """As tables or as files: a mean over nothing, or of zeros alone, is none."""
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("2 Q0 a 1 1 t\n")
    judgements, run = {"1": {"a": 1}}, {"2": {"a": 1.0}}
    files = (tmp_path / "qrels", tmp_path / "run", "MAP")
    doors: list[Callable[[], object]] = [
        lambda: rw.evaluate(judgements, run, "MAP", missing_queries=missing),
        lambda: rw.evaluate(*files, trec=True, missing_queries=missing),
    ]
    for door in doors:
        with pytest.raises(RankwiseError, match=r"queries of the judgements|are not in the run"):
            door()
    ended = rankwise("evaluate", *files[:2], "--trec", "-m", "MAP")
    assert ended.code == 2 and "are they of one collection?" in ended.err
    words = ("place", "--trec", "--data", files[0], "--scores", files[1], "--dataset", "MQ2008")
    assert rankwise(*words).code == 2


def test_what_was_odd_in_runs_is_said_beside_their_place(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    words = ("--data", tmp_path / "qrels", "--scores", tmp_path / "run", "--dataset", "MQ2008")
    ended = rankwise("place", "--trec", *words, "--bootstrap", 5)
    assert ended.code == 0
    assert "1 queries of the judgements are not in the run and count as lists" in ended.err


def test_judgements_of_a_file_take_runs_in_memory(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    run = {1: {"b": 2.0, "a": 1.0}}
    found = rw.evaluate(qrels, run, "MAP", trec=True)
    assert found["MAP"].per_query == {"1": 1 / 2}
    assert found.remarks[0].startswith("the run: 1 queries of the judgements are not in the run")
    whole = rw.evaluate(qrels, run, "MAP", trec=True, missing_queries="zero")
    assert whole["MAP"].mean == 1 / 4
    wrong: list[Any] = [[1.0, 2.0, 3.0], {"1": {"a": "x"}}, {"1": {"a": None}}, {"1": 5}]
    for scores in wrong:
        with pytest.raises(RankwiseError, match=r"need a run \{query|must be numbers"):
            rw.evaluate(qrels, scores, "MAP", trec=True)


@pytest.mark.parametrize("judged", [1, 1.0, "1", np.int64(1), np.float32(1.0)])
@pytest.mark.parametrize("retrieved", [1, 1.0, "1", np.float64(1.0)])
def test_ids_that_are_the_same_number_are_the_same_document(judged: Any, retrieved: Any) -> None:
    for judgements, run in (
        ({"q": {judged: 1, "other": 0}}, {"q": {retrieved: 2.0, "other": 1.0}}),
        ({judged: {"d": 1, "other": 0}}, {retrieved: {"d": 2.0, "other": 1.0}}),
    ):
        found = rw.evaluate(judgements, run, ["MAP"])
        assert found["MAP"].mean == 1.0
        assert found.remarks == ()


def test_a_run_of_which_no_document_is_judged_says_so(tmp_path: Path) -> None:
    judgements, run = {"q": {"d1": 1, "d2": 0}}, {"q": {"D1": 2.0, "D2": 1.0}}
    (tmp_path / "qrels").write_text("q 0 d1 1\nq 0 d2 0\n")
    (tmp_path / "run").write_text("q Q0 D1 1 2.0 x\nq Q0 D2 2 1.0 x\n")
    sentence = (
        "no retrieved document is judged: the run has documents such as 'D1', the judgements such "
        "as 'd1'; are these ids of one collection?"
    )
    assert rw.evaluate(judgements, run, ["MAP"]).remarks == (sentence,)
    found = rankwise(
        "evaluate", tmp_path / "qrels", tmp_path / "run", "--trec", "-m", "MAP", "--tool",
        "trec_eval",
    )  # fmt: skip
    assert sentence in found.err
    assert rw.evaluate(judgements, {"q": {"d2": 1.0, "D1": 2.0}}, ["MAP"]).remarks == ()


def test_measures_to_which_no_document_is_relevant_are_named() -> None:
    scores = [3.0, 2.0, 1.0]
    found = rw.evaluate([0.3, 0.9, 0.1], scores, ["MAP", "NDCG@5", "MAP(threshold=0.5)"], group=[3])
    assert found["MAP"].mean == 0.0 < found["NDCG@5"].mean
    [remark] = found.remarks
    assert remark.startswith("no document is relevant to MAP, as labels end at 0.9: every ranking")
    assert "MAP(threshold=0.5)" in remark
    [remark] = rw.evaluate([0, 0, 0], scores, ["MAP", "NDCG@5"], group=[3]).remarks
    assert remark == (
        "no document is relevant to MAP, NDCG@5, as labels end at 0: every ranking of them has the "
        "same value"
    )
    assert rw.evaluate([0, 0, 1], scores, ["MAP", "NDCG@5"], group=[3]).remarks == ()
    [remark] = rw.evaluate([0, 0, 0], scores, [f"P@{k}" for k in range(1, 9)], group=[3]).remarks
    assert "P@6 and 2 more, as labels" in remark


def test_measures_for_which_every_query_is_too_short_are_named() -> None:
    """LETOR's scripts give a list the value 0 at a cut-off that it does not reach."""
    labels, scores = [1, 0, 2, 1, 0], [1.0, 2.0, 3.0, 1.0, 2.0]
    found = rw.evaluate(labels, scores, ["NDCG@3", "NDCG@4", "MAP"], "letor3", group=[3, 2])
    assert found["NDCG@4"].mean == 0.0 < found["NDCG@3"].mean
    assert found.remarks == (
        "no query is long enough for NDCG@4, the longest has 3 documents: every ranking of them "
        "has the same value",
    )
    assert rw.evaluate(labels, scores, ["NDCG@4"], group=[3, 2]).remarks == ()


def test_a_result_is_found_by_any_of_its_names() -> None:
    found = rw.evaluate([1, 0], [1, 2], "ndcg@10, map", qid=[1, 1])
    assert found["NDCG@10"] is found["ndcg@10"] and found["AP"] is found["map"]
    for error in (RankwiseError, KeyError):
        with pytest.raises(error, match=r"there is no result 'NDCG@5'; there are ndcg@10, map"):
            found["NDCG@5"]
