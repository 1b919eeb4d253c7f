"""Learners from logs: losses done literally, labels from clicks, and what correction is worth."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.data.dataset import Dataset
from rankwise.errors import EarlyRemark, RankwiseError
from rankwise.feedback import (
    LOG_LEARNERS,
    PositionBased,
    label_by_clicks,
    power_propensities,
    session_rows,
    simulate_clicks,
)
from rankwise.feedback.counterfactual_learning import WeightedHinge, find_log_learner
from rankwise.feedback.learning_curves import CORRECTED, LABELS, LOGGING, NAIVE
from tests.experiments.running import tasks_here
from tests.feedback.made import few_queries, two_folds

USER = PositionBased((0.1, 0.4, 0.8))


def test_the_weighted_hinge_is_its_equation() -> None:
    rng = np.random.default_rng(1)
    data = Dataset.from_arrays(rng.random((7, 2)), [0, 2, 0.5, 1, 0, 0, 3], group=[4, 3])
    loss, scores = WeightedHinge.of(data, "mine"), rng.normal(size=7)

    def literal(values: np.ndarray) -> float:
        total = norm = 0.0
        for rows in (range(4), range(4, 7)):
            for i in rows:
                norm += data.labels[i] * (len(rows) - 1)
                for j in rows:
                    if i != j:
                        total += data.labels[i] * max(0.0, 1 - values[i] + values[j]) ** 2
        return total / norm

    cost, slopes = loss.at(scores)
    assert cost == pytest.approx(literal(scores))
    for row in range(7):
        step = np.eye(7)[row] * 1e-6
        slope = (literal(scores + step) - literal(scores - step)) / 2e-6
        assert slopes[row] == pytest.approx(slope, abs=1e-6)


def test_the_cross_entropy_is_its_equation() -> None:
    rng = np.random.default_rng(1)
    data = Dataset.from_arrays(rng.random((5, 2)), [0, 2, 0.5, 1, 3], group=[3, 2])
    loss = rw.make_ranker("rankwise.feedback:PropensityListNet")._loss(data, rng)
    scores = rng.normal(size=5)
    total = 0.0
    for rows in ([0, 1, 2], [3, 4]):
        chances = np.exp(scores[rows]) / np.exp(scores[rows]).sum()
        total -= float(data.labels[rows] @ np.log(chances))
    assert loss.at(scores)[0] == pytest.approx(total / data.labels.sum())


def test_labels_from_clicks_near_the_attraction_once_corrected() -> None:
    data = few_queries(6)
    log = simulate_clicks(data, 300_000, user=USER, logging="feature:10", shown=20)
    corrected = label_by_clicks(log, power_propensities(20, 1.0)).labels
    naive = label_by_clicks(log).labels
    shown = np.unique(log.rows)
    true = np.array(USER.attraction)[data.labels.astype(int)]
    assert corrected[shown] == pytest.approx(true[shown], abs=0.1)
    assert np.all(naive <= corrected + 1e-12)
    assert np.corrcoef(naive[shown], true[shown])[0, 1] < 0.8
    assert np.corrcoef(corrected[shown], true[shown])[0, 1] > 0.99


def test_the_equation_of_labels() -> None:
    data = few_queries(3)
    log = simulate_clicks(data, 40, user=USER, logging="random", randomization="shuffle")
    sums = np.zeros(data.n_documents)
    for row, position, click in zip(log.rows, log.positions, log.clicks, strict=True):
        sums[row] += click / (1 / position)
    sums /= log.sessions_by_query()[data.query_of_rows]
    assert label_by_clicks(log, power_propensities(10, 1.0)).labels == pytest.approx(sums)


def test_queries_without_sessions_are_left_out() -> None:
    log = simulate_clicks(few_queries(20), 5, user=USER, logging="random")
    assert label_by_clicks(log).n_queries == len(np.unique(log.session_queries))


def test_sessions_as_queries_stand_in_the_order_shown() -> None:
    data = few_queries(5)
    log = simulate_clicks(data, 30, user=USER, logging="feature:1")
    rows = session_rows(log)
    assert rows.n_queries == 30
    assert np.array_equal(rows.labels, log.clicks)
    assert np.array_equal(rows.features, data.features[log.rows])


@pytest.mark.parametrize("name", ["ranksvm", "listnet"])
def test_corrected_learners_approach_true_labels_and_naive_ones_do_not(name: str) -> None:
    """A logging ranker that is wrong on purpose: what it hides, naive clicks hide too."""
    study = rw.learn_offline(
        two_folds(40), [name], sessions=[300, 100_000], runs=2, user=USER, logging="feature:-3"
    )
    labels = study.curve(name, LABELS)[0].mean
    naive, corrected = study.curve(name, NAIVE), study.curve(name, CORRECTED)
    assert study.curve("feature:-3", LOGGING)[0].mean < naive[1].mean
    assert abs(labels - corrected[1].mean) < 0.02
    assert abs(labels - corrected[1].mean) < abs(labels - corrected[0].mean)
    assert labels - naive[1].mean > 2.0 * abs(labels - corrected[1].mean)


def test_lightgbm_learns_with_and_without_positions() -> None:
    pytest.importorskip("lightgbm")
    study = rw.learn_offline(
        two_folds(), ["lightgbm"], sessions=[1_000], runs=1, user=USER, shown=10,
        logging="feature:10",
    )  # fmt: skip
    means = {one.source: one.mean for one in study.figures}
    assert set(means) == {NAIVE, CORRECTED, LOGGING}
    assert means[NAIVE] != means[CORRECTED]


def test_they_are_rankers_like_others(tmp_path: Path) -> None:
    data = few_queries()
    log = simulate_clicks(data, 2_000, user=USER, logging="feature:10")
    train = label_by_clicks(log, power_propensities(10, 1.0))
    model = rw.fit("rankwise.feedback:PropensityRankSVM", train)
    rw.save_model(model, tmp_path / "model.json")
    again = rw.load_model(tmp_path / "model.json")
    assert np.array_equal(again.score(data), model.score(data))
    assert set(LOG_LEARNERS) == {"ranksvm", "listnet", "lightgbm"}


@tasks_here()
def test_bench_runs_on_click_logs_and_true_labels_judge(tmp_path: Path) -> None:
    data = tmp_path / "data"
    rw.write_folds(rw.split_folds(few_queries(25)), data)
    written = rw.feedback.simulate_folds(
        data, 500, tmp_path / "log{fold}.csv", user=USER, logging="feature:3"
    )
    assert len(written) == 5
    power_propensities(10, 1.0).save(tmp_path / "p.json")
    files = rw.convert_log(
        tmp_path / "log{fold}.csv", tmp_path / "clicks", data=data, propensities=tmp_path / "p.json"
    )
    assert [path.relative_to(tmp_path / "clicks").as_posix() for path in files] == [
        f"Fold{fold}/{part}.txt" for fold in range(1, 6) for part in ("test", "train")
    ]
    run = rw.bench(
        data=tmp_path / "clicks", rankers=["rankwise.feedback:PropensityRankSVM"], folds=[1],
        measures=["NDCG@10"], store=tmp_path / "r.sqlite", jobs=1,
    )  # fmt: skip
    assert (run.done, run.failed) == (1, 0)
    train = rw.read(tmp_path / "clicks/Fold1/train.txt")
    test = rw.read(tmp_path / "clicks/Fold1/test.txt")
    # Without a validation part the parameters are chosen by cross-validation within training.
    with rw.Store.read(run.store) as store:
        (task,) = store.tasks()
    model = rw.fit(rw.make_ranker("rankwise.feedback:PropensityRankSVM", **task.parameters), train)
    mean = rw.evaluate(test, model.score(test), "NDCG@10")["NDCG@10"].mean
    stored = [one for one in run.values if one.name.fold == 1 and one.part == "test"]
    assert [one.value for one in stored] == [pytest.approx(mean, abs=1e-12)]
    assert set(test.labels) == {0.0, 1.0, 2.0}


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="no learner from logs 'ranksvn'; did you mean"):
        find_log_learner("ranksvn")
    data = few_queries(5)
    negative = Dataset.from_arrays(data.features, data.labels - 1, group=data.query_lengths)
    with pytest.raises(RankwiseError, match="weights of clicks, at least 0"):
        rw.fit("rankwise.feedback:PropensityRankSVM", negative)
    with pytest.raises(RankwiseError, match="labelled by clicks, 0 or 1"):
        rw.fit("rankwise.feedback:LightGBMPositions", data)
    with pytest.raises(RankwiseError, match="must be position-based, found cascade"):
        rw.learn_offline(two_folds(), user="cascade", runs=1)  # type: ignore[arg-type]
    with pytest.raises(RankwiseError, match="at least one learner, one session and one run"):
        rw.learn_offline(two_folds(), sessions=[])
    with pytest.raises(RankwiseError, match="needs the folds that it was made of"):
        rw.convert_log("log{fold}.csv", tmp_path)
    log = simulate_clicks(data, 5, logging="random")
    with pytest.raises(RankwiseError, match="per document or session, found 'query'"):
        rw.convert_log(log, tmp_path / "x.txt", per="query")
    with pytest.raises(RankwiseError, match=r"propensities to divide them by; give per='document'"):
        rw.convert_log(log, tmp_path / "x", per="session", propensities=power_propensities(10, 1.0))


@pytest.mark.parametrize("per", ["document", "session"])
def test_logs_that_tell_no_document_from_another_are_not_converted(
    per: str, tmp_path: Path
) -> None:
    log = simulate_clicks(few_queries(5), 5, logging="random")
    clicked = replace(log, clicks=np.ones_like(log.clicks))
    with pytest.raises(RankwiseError, match="found a click on each of its 48 rows"):
        rw.convert_log(clicked, tmp_path / "x", per=per)
    with pytest.raises(RankwiseError, match="clicks to learn from, found none"):
        rw.convert_log(replace(log, clicks=np.zeros_like(log.clicks)), tmp_path / "x", per=per)
    assert not (tmp_path / "x/train.txt").exists()


def test_a_warning_where_few_clicks_make_the_labels(tmp_path: Path) -> None:
    log = simulate_clicks(few_queries(20), 2_000, user=USER, logging="feature:10")
    usual = power_propensities(10, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (file,) = rw.convert_log(log, tmp_path / "a", propensities=usual)
    assert file == tmp_path / "a/train.txt"
    assert rw.read(file).labels == pytest.approx(label_by_clicks(log, usual).labels)
    clicks = log.n_clicks
    last = int(log.clicks[log.positions == 10].sum())
    tiny = rw.Propensities((*usual.values[:9], 1e-12))
    message = f"{clicks:,} clicks are worth {last} of equal weight, and one has {1 / last:.1%} of"
    with pytest.warns(EarlyRemark, match=message):
        rw.convert_log(log, tmp_path / "b", propensities=tiny)
    few = log.take_sessions(slice(0, int(log.session_of_impressions[log.positions == 10][0]) + 3))
    deep = int(np.flatnonzero(few.positions == 10)[0])
    one = np.where(few.positions == 10, 0, few.clicks)
    one[deep] = 1
    with pytest.warns(EarlyRemark, match="worth 1 of equal weight, and one has 100.0% of all"):
        rw.convert_log(replace(few, clicks=one), tmp_path / "c", propensities=tiny)
