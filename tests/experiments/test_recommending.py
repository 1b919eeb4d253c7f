"""Recommendations in made-up worlds: whose best is known, whose methods are equal, who fail."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.checks.law import ExaminedRanker
from rankwise.checks.made import planted
from rankwise.data.synthetic import make_dataset
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.experiments.recommending.evidence import (
    find_among_best,
    find_p_value,
    gather_evidence,
)
from rankwise.experiments.recommending.recommendation import find_facts, find_missing_library
from rankwise.rankers.registry import find_ranker, ranker_names
from rankwise.results.benchmark_runs import read_dense, write_dense
from tests.experiments.made_evidence import RANKERS, SIZES, make_table

SIZE: Any = {"documents": 20_000, "features": 46}
STRENGTH = dict(zip(RANKERS, (0.40, 0.50, 0.42, 0.43, 0.41, 0.44), strict=True))


def places(found: rw.Recommendation) -> dict[str, int | None]:
    return {one.ranker: one.place for one in found.methods}


def test_the_method_that_is_best_everywhere_comes_first_and_loses_nothing() -> None:
    table = make_table(lambda number, ranker: STRENGTH[ranker] - 0.01 * number)
    found = rw.recommend(table=table, **SIZE)
    first = found.methods[0]
    assert (first.place, first.ranker, first.loss) == (1, "lambdamart", 0.0)
    assert [one.ranker for one in found.methods] == sorted(STRENGTH, key=lambda one: -STRENGTH[one])
    check = rw.check_recommendations(table=table)
    for way in check.ways:
        if way.kind != "rival":
            assert way.regrets == (0.0,) * len(SIZES)
            assert way.chosen == ("lambdamart",) * len(SIZES)


def test_a_loss_is_the_share_of_the_best_value_that_is_missed() -> None:
    table = make_table(lambda number, ranker: STRENGTH[ranker] - 0.01 * number)
    found = {one.ranker: one for one in rw.recommend(table=table, **SIZE).methods}
    missed = [(0.50 - 0.40) / (0.50 - 0.01 * number) for number in range(len(SIZES))]
    ridge = found["ridge-regression"]
    assert ridge.loss == pytest.approx(np.mean(missed))
    # 2.4469 is the 97.5 % point of Student's t with 6 degrees of freedom.
    reach = 2.4469 * np.std(missed, ddof=1) / math.sqrt(len(SIZES))
    assert found["lambdamart"].loss_low is None
    assert ridge.loss_low == pytest.approx(np.mean(missed) - reach, abs=1e-5)
    assert ridge.loss_high == pytest.approx(np.mean(missed) + reach, abs=1e-5)


def test_equal_methods_share_a_place_and_that_is_said() -> None:
    equal = {**STRENGTH, "listnet": STRENGTH["lambdamart"]}
    table = make_table(lambda number, ranker: equal[ranker] - 0.01 * number)
    found = rw.recommend(table=table, **SIZE)
    assert places(found)["listnet"] == places(found)["lambdamart"] == 1
    assert {one.ranker for one in found.methods if one.undecided} == {"listnet", "lambdamart"}
    assert any("cannot tell 1 of the 5 other methods" in one for one in found.remarks)


def test_a_method_that_differs_by_luck_alone_is_seldom_told_from_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the level of .05, over 60 worlds of six equal methods, of which one comes first."""
    # Leaving data sets out tells nobody apart; of the times, which all worlds share, it tells all.
    check = rw.check_recommendations(table=make_table(lambda number, ranker: 0.4))
    where = "rankwise.experiments.recommending.recommendation.check_evidence"
    monkeypatch.setattr(where, lambda evidence: check)
    told = 0
    for seed in range(60):
        table = make_table(lambda number, ranker: 0.4, noise=0.02, seed=seed)
        found = rw.recommend(table=table, **SIZE)
        told += sum(not one.undecided for one in found.methods)
    assert told <= 0.05 * 60 * 5


def test_a_method_that_failed_is_not_rewarded() -> None:
    """It would be the best by its mean over the data sets where it did not fail."""

    def value(number: int, ranker: str) -> float:
        hard = number >= 4
        return STRENGTH[ranker] - (0.3 if hard else 0.0) + (0.02 if ranker == "listnet" else 0.0)

    failures = {(number, "listnet"): "time: more than 600 s" for number in (4, 5, 6)}
    strong = {**STRENGTH, "listnet": 0.49}
    table = make_table(
        lambda number, ranker: value(number, ranker) - STRENGTH[ranker] + strong[ranker],
        failures=failures,
    )
    found = rw.recommend(table=table, **SIZE)
    assert found.methods[0].ranker == "lambdamart"
    listnet = next(one for one in found.methods if one.ranker == "listnet")
    assert (listnet.failed, listnet.datasets) == (3, 7)
    evidence = gather_evidence(table, "NDCG@10")
    column = evidence.losses[:, evidence.rankers.index("listnet")]
    assert column[4:].tolist() == np.nanmax(evidence.losses[4:], axis=1).tolist()
    assert column[:4].tolist() == [0.0] * 4


def test_failed_folds_count_as_the_worst_value_of_those_folds() -> None:
    table = make_table(lambda number, ranker: STRENGTH[ranker])
    runs = tuple(
        run if (run.dataset, run.ranker) != ("D0", "lambdamart") or run.fold == 1
        else type(run)(**{**vars(run), "failure": "memory: too much", "values": {}})
        for run in table.runs
    )  # fmt: skip
    evidence = gather_evidence(type(table)(table.results, runs, table.data), "NDCG@10")
    mean = (0.50 + 4 * min(STRENGTH.values())) / 5
    best = STRENGTH["coordinate-ascent"]
    assert evidence.losses[0, evidence.rankers.index("lambdamart")] == pytest.approx(
        (best - mean) / best
    )
    assert evidence.failed[0, evidence.rankers.index("lambdamart")]


def test_a_method_that_was_not_run_somewhere_gains_and_loses_nothing_there() -> None:
    absent = [(number, "listnet") for number in (0, 1)]
    table = make_table(lambda number, ranker: STRENGTH[ranker], absent=absent)
    found = {one.ranker: one for one in rw.recommend(table=table, **SIZE).methods}
    assert found["listnet"].datasets == 5
    assert found["listnet"].loss == pytest.approx((0.50 - 0.42) / 0.50)
    assert rw.check_recommendations(table=table).find("always lambdamart") is not None


def test_times_beyond_the_budget_stand_below_the_others() -> None:
    slow = {"lambdamart": 40.0, "listnet": 0.02}
    table = make_table(
        lambda number, ranker: STRENGTH[ranker],
        seconds=lambda number, ranker: slow.get(ranker, 1.0) * SIZES[number][0] / 1e4,
    )
    found = rw.recommend(table=table, time="60s", **SIZE)
    assert [one.ranker for one in found.beyond()] == ["lambdamart"]
    assert found.beyond()[0].place is None and found.methods[-1] == found.beyond()[0]
    assert found.within()[0].ranker == "coordinate-ascent"
    assert all(one.seconds_high is not None and one.seconds_high <= 60 for one in found.within())
    assert rw.recommend(table=table, **SIZE).methods[0].ranker == "lambdamart"


def test_folds_are_tuned_at_the_same_time_and_parts_of_a_file_are_not(tmp_path: Path) -> None:
    table = make_table(lambda number, ranker: STRENGTH[ranker], seconds=lambda number, ranker: 2.0)
    dataset = rw.normalize(make_dataset(25, seed=3), "query-level")
    rw.write_folds(rw.split_folds(dataset), tmp_path / "my folds")
    rw.write(dataset, tmp_path / "rows.txt")
    folder = rw.recommend(tmp_path / "my folds", table=table, jobs=2).methods[0]
    assert folder.seconds == pytest.approx(3 * 2.0)
    assert f"--data '{tmp_path}/my folds' --ranker lambdamart" in folder.command
    file = rw.recommend(tmp_path / "rows.txt", table=table, jobs=2, time=1000).methods[0]
    assert file.seconds == pytest.approx(5 * 2.0)
    assert file.command == (
        f"rankwise tune {tmp_path}/rows.txt --ranker lambdamart --cross-validate 5 -m NDCG@10 "
        "--time 1000s -o lambdamart.json"
    )


def test_data_are_described_by_all_parts_of_a_fold(tmp_path: Path) -> None:
    dataset = rw.normalize(make_dataset(25, seed=3), "query-level")
    rw.write_folds(rw.split_folds(dataset), tmp_path)
    facts = find_facts(tmp_path)
    assert (facts.documents, facts.queries, facts.features, facts.folds) == (
        dataset.n_documents, 25, dataset.n_features, 5,
    )  # fmt: skip
    assert facts.highest_label == dataset.labels.max()
    assert facts.relevant_share == pytest.approx((dataset.labels > 0).mean())
    alone = find_facts(dataset)
    assert (alone.documents, alone.has_folds) == (dataset.n_documents, False)


def test_methods_that_cannot_take_the_data_are_left_out_with_the_reason() -> None:
    rankers = (*RANKERS, "relational-ranksvm")
    table = make_table(
        lambda number, ranker: STRENGTH.get(ranker, 0.6),
        rankers=rankers,
        failures={(number, "relational-ranksvm"): "error: no relations" for number in (0, 1)},
    )
    plain = rw.recommend(table=table, **SIZE)
    assert {one.ranker: one.reason for one in plain.excluded} == {
        "relational-ranksvm": "learns from relations between documents, which these data have "
        "none of"
    }
    # What it failed for there is no failure for whoever has relations.
    related = rw.recommend(planted(), table=table)
    assert related.methods[0].ranker == "relational-ranksvm"
    assert (related.methods[0].datasets, related.methods[0].failed) == (5, 0)

    holes = make_dataset(20, seed=1)
    features = holes.features.copy()
    features[0, 0] = np.nan
    made = rw.Dataset(features, holes.labels, holes.query_offsets, holes.query_ids)
    left = {one.ranker: one.reason for one in rw.recommend(made, table=table).excluded}
    assert "NULL" in left["ridge-regression"] and "lambdamart" not in left


def test_a_library_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    found = rw.recommend(table=make_table(lambda number, ranker: STRENGTH[ranker]), **SIZE)
    (left,) = found.excluded
    assert left.ranker == "lambdamart"
    assert left.reason.startswith("needs lightgbm; install it: pip install ")
    assert found.methods[0].ranker == "coordinate-ascent"


@pytest.mark.parametrize("name", ranker_names())
def test_a_library_is_missing_where_training_says_so(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("lightgbm", "torch"):
        monkeypatch.setitem(sys.modules, library, None)
    said = find_missing_library(name)
    try:
        ExaminedRanker(find_ranker(name), name).quick().fit(planted(6), planted(4, seed=1))
    except MissingExtra as error:
        assert said is not None and str(error).endswith(said.partition("install it: ")[2])
    else:
        assert said is None


def test_who_is_among_the_best_is_decided_by_queries() -> None:
    table = make_table(lambda number, ranker: STRENGTH[ranker], query_noise=0.05)
    found = rw.recommend(table=table, **SIZE)
    assert found.told == 7
    counts = {one.ranker: one.among_best for one in found.methods}
    assert counts["lambdamart"] == 7 and counts["ridge-regression"] == 0


def test_a_method_as_good_as_the_best_is_called_worse_once_in_twenty_at_most() -> None:
    rng = np.random.default_rng(3)
    among = np.array([find_among_best(rng.normal(size=(8, 50))) for _ in range(400)])
    assert (~among).mean() <= 0.05
    worse = np.array([0.0] * 7 + [-2.0])[:, None]
    assert not any(find_among_best(worse + rng.normal(size=(8, 50)))[7] for _ in range(50))


def test_differences_that_are_all_alike_count_by_their_signs() -> None:
    assert find_p_value(np.full(5, 0.1)) == 0.5**5
    assert find_p_value(np.zeros(5)) == find_p_value(np.full(5, -0.1)) == 1.0
    t = np.array([0.1, 0.2, 0.3])
    # P(T > 2√3) with 2 degrees of freedom is (1 - t / √(2 + t²)) / 2.
    value = 2 * math.sqrt(3)
    assert find_p_value(t) == pytest.approx((1 - value / math.sqrt(2 + value**2)) / 2)


def test_a_table_in_a_folder_says_the_same(tmp_path: Path) -> None:
    table = make_table(lambda number, ranker: STRENGTH[ranker], query_noise=0.05, noise=0.01)
    write_dense(table, tmp_path)
    assert places(rw.recommend(table=tmp_path, **SIZE)) == places(
        rw.recommend(table=read_dense(tmp_path), **SIZE)
    )


def test_data_larger_than_all_known_are_said_to_be() -> None:
    table = make_table(lambda number, ranker: STRENGTH[ranker])
    found = rw.recommend(table=table, documents=10**7, features=46)
    assert any("10,000,000: what it says of them is extrapolated" in one for one in found.remarks)
    assert not any("extrapolated" in one for one in rw.recommend(table=table, **SIZE).remarks)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"documents": 0, "features": 4}, "the number of documents must be at least 1, found 0"),
        ({"documents": 4, "features": -1}, "the number of features must be at least 1, found -1"),
        ({"documents": 4}, "found no number of features"),
        ({"documents": 4, "features": 4, "queries": 9}, "every query must have a document"),
        ({**SIZE, "time": -3.0}, "a time must be above 0"),
        ({**SIZE, "time": "soon"}, "a time must be written as"),
        ({**SIZE, "jobs": 0}, "at least one job"),
        ({**SIZE, "measure": "MRR"}, "one of the table, NDCG@10, found 'MRR'"),
        ({**SIZE, "order": "luck"}, "the order must be one of mean-loss"),
        ({**SIZE, "data": planted()}, "found both; leave documents out"),
        ({"data": "no-such-data"}, "no such file or folder"),
    ],
)
def test_what_cannot_be_asked(wrong: dict[str, Any], message: str) -> None:
    table = make_table(lambda number, ranker: STRENGTH[ranker])
    with pytest.raises(RankwiseError, match=message):
        rw.recommend(table=table, **wrong)


def test_a_table_of_too_few_data_sets_recommends_nothing() -> None:
    table = make_table(lambda number, ranker: STRENGTH[ranker], sizes=SIZES[:2])
    with pytest.raises(RankwiseError, match="at least 3 data sets, found 2"):
        rw.recommend(table=table, **SIZE)


def test_data_are_described_as_those_of_a_table_that_was_run(tmp_path: Path) -> None:
    """From experiments to a table and a recommendation, with the same numbers all the way."""
    folders = [tmp_path / f"made{number}" for number in range(3)]
    for number, folder in enumerate(folders):
        dataset = make_dataset(15 + 5 * number, seed=number)
        rw.write_folds(rw.split_folds(rw.normalize(dataset, "query-level")), folder)
    store = tmp_path / "results.sqlite"
    rw.bench(
        data=folders, rankers=["best-feature", "ridge-regression"], measures=["NDCG@10"],
        folds=[1, 2], store=store, jobs=1,
    )  # fmt: skip
    table = rw.results.condense_store(store, data=folders)
    for folder, one in zip(folders, table.data, strict=True):
        facts = find_facts(folder)
        names = ("queries", "documents", "features", "highest_label", "relevant_share")
        assert [getattr(facts, name) for name in names] == [getattr(one, name) for name in names]
    evidence = gather_evidence(table, "NDCG@10")
    results = table.results
    values = {
        (str(dataset), str(method)): float(value)
        for dataset, method, tool, value in zip(
            results.dataset, results.method, results.tool, results.value, strict=True
        )
        if tool == "definition"
    }
    for row, one in zip(evidence.losses, table.data, strict=True):
        own = np.array([values[one.dataset, method] for method in evidence.methods])
        assert row == pytest.approx((own.max() - own) / own.max(), abs=1e-12)
    assert rw.recommend(folders[0], table=table).methods[0].loss == evidence.losses.mean(0).min()
