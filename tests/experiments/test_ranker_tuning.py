"""Tuning one ranker: what is tried, what chooses, and that nothing is lost by an end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.arguments import parse_seconds
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from rankwise.experiments.digests import digest_dataset
from rankwise.experiments.parameter_search import (
    SearchRange,
    parse_fixed,
    parse_grid,
    parse_intervals,
)
from rankwise.results.store import integrity
from rankwise.results.store.database_file import DatabaseFile

OWN = "tests.experiments.trial_rankers:OneFeature"
WHOLE = rw.normalize(make_dataset(24, seed=5), "query-level")
TRAIN = WHOLE.select_queries(np.arange(16))
VALIDATION = WHOLE.select_queries(np.arange(16, 24))


def judge(ranker: Any, train: rw.Dataset, judged: rw.Dataset, measure: str = "MAP") -> float:
    """The figure of a ranker that learns and is judged without any of the tuning's code."""
    return rw.evaluate(judged, rw.fit(ranker, train).score(judged), measure)[measure].mean


def test_a_validation_part_chooses_the_best_of_the_grid() -> None:
    found = rw.tune("ridge-regression", TRAIN, VALIDATION, grid={"regularization": [0.1, 1, 10.0]})
    expected = [
        judge(rw.make_ranker("ridge-regression", regularization=one), TRAIN, VALIDATION)
        for one in (0.1, 1, 10.0)
    ]
    assert [one.value for one in found.trials] == expected
    assert found.best.value == max(expected)
    assert found.best.number == 1 + expected.index(max(expected))
    again = rw.fit(rw.make_ranker("ridge-regression", **found.best.parameters), TRAIN, VALIDATION)
    assert np.array_equal(found.model.score(VALIDATION), again.score(VALIDATION))
    assert found.varied == ("regularization",)
    assert list(found.to_frame().columns) == [
        "trial", "regularization", "MAP", "seconds", "reason"]  # fmt: skip


def test_cross_validation_keeps_queries_whole_and_judges_each_once() -> None:
    found = rw.tune(
        "ridge-regression", WHOLE, folds=4, grid={"regularization": [0.1, 10.0]}, seed=3
    )
    parts = rw.data.cut_into_parts(WHOLE, 4, seed=3)
    assert sorted(q for part in parts for q in part.query_ids) == sorted(WHOLE.query_ids)
    for trial in found.trials:
        ranker = rw.make_ranker("ridge-regression", **trial.parameters)
        figures = []
        for part in parts:
            held_out = set(part.query_ids)
            others = [q for q in range(WHOLE.n_queries) if WHOLE.query_ids[q] not in held_out]
            # Other order of the same queries: ridge regression is a sum over rows.
            figures.append(judge(ranker, WHOLE.select_queries(np.array(others)), part))
        assert trial.figures == pytest.approx(figures)
        assert trial.value == pytest.approx(fmean(figures))
    whole = rw.fit(rw.make_ranker("ridge-regression", **found.best.parameters), WHOLE)
    assert np.array_equal(found.model.score(WHOLE), whole.score(WHOLE))


def test_trials_of_a_store_are_read_at_one_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there are: each snapshot checks all tasks of the store again."""
    words: dict[str, Any] = {
        "grid": {"regularization": [0.1, 1.0, 10.0, 100.0]}, "store": tmp_path / "s.sqlite",
    }  # fmt: skip
    rw.tune("ridge-regression", TRAIN, VALIDATION, **words)
    read: list[object] = []
    select = integrity._select_tasks

    def counted(file: DatabaseFile) -> Any:
        read.append(file)
        return select(file)

    monkeypatch.setattr(integrity, "_select_tasks", counted)
    found = rw.tune("ridge-regression", TRAIN, VALIDATION, **words)
    assert [trial.kept for trial in found.trials] == [True] * 4
    assert len(read) == 1


def test_in_cross_validation_no_part_chooses_the_round() -> None:
    found = rw.tune("adarank-map", WHOLE, folds=2, fixed={"rounds": 6}, trials=1)
    part, train = rw.data.cut_into_parts(WHOLE, 2, seed=0)
    ranker = rw.make_ranker("adarank-map", **found.best.parameters)
    assert found.best.figures[0] == judge(ranker, train, part)


@pytest.mark.parametrize("measure", ["ERR@10", "tests.experiments.test_ranker_tuning:first_label"])
def test_the_measure_chooses_the_trial_and_the_round(measure: str) -> None:
    found = rw.tune("listnet", TRAIN, VALIDATION, fixed={"rounds": 5}, measure=measure, trials=2)
    assert measure in found.best.parameters.values()
    for trial in found.trials:
        model = rw.fit(rw.make_ranker("listnet", **trial.parameters), TRAIN, VALIDATION)
        figure = rw.evaluate(VALIDATION, model.score(VALIDATION), measure)[measure].mean
        assert trial.value == figure


def first_label(ranked: Any) -> float:
    """A measure of somebody's own: the label of the first document."""
    return float(ranked.labels[0])


def test_a_measure_that_can_choose_no_round_is_refused_in_a_sentence() -> None:
    with pytest.raises(RankwiseError, match="cannot choose the round of listnet"):
        rw.tune("listnet", TRAIN, VALIDATION, measure="RMSE")


def test_a_measure_that_falls_chooses_the_lowest_where_there_are_no_rounds() -> None:
    found = rw.tune("ridge-regression", TRAIN, VALIDATION, measure="RMSE")
    assert found.best.value == min(one.value for one in found.trials if one.value is not None)


@pytest.mark.parametrize("method", ["random", "optuna"])
def test_same_seed_same_trials_and_more_of_them_go_on(method: str, tmp_path: Path) -> None:
    if method == "optuna":
        pytest.importorskip("optuna")
    what: Any = {
        "method": method,
        "draw": {"regularization": (0.01, 100.0, "log")},
        "store": tmp_path / "trials.sqlite",
        "seed": 7,
    }
    fewer = rw.tune("ridge-regression", TRAIN, VALIDATION, trials=3, **what)
    more = rw.tune("ridge-regression", TRAIN, VALIDATION, trials=6, **what)
    assert [one.parameters for one in more.trials[:3]] == [one.parameters for one in fewer.trials]
    assert [one.kept for one in more.trials] == [True] * 3 + [False] * 3
    assert all(0.01 <= one.parameters["regularization"] <= 100 for one in more.trials)
    other = rw.tune("ridge-regression", TRAIN, VALIDATION, trials=6, **(what | {"seed": 8}))
    assert [one.parameters for one in other.trials] != [one.parameters for one in more.trials]


def test_optuna_suggests_what_plain_optuna_does() -> None:
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def objective(trial: Any) -> float:
        given = {
            "regularization": trial.suggest_float("regularization", 0.01, 100.0, log=True),
        }
        return judge(rw.make_ranker("ridge-regression", **given), TRAIN, VALIDATION)

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=2))
    study.optimize(objective, n_trials=14)
    found = rw.tune(
        "ridge-regression", TRAIN, VALIDATION, method="optuna", trials=14, seed=2,
        draw={"regularization": (0.01, 100.0, "log")},
    )  # fmt: skip
    assert [one.value for one in found.trials] == [one.value for one in study.trials]
    assert found.best.value == study.best_value


def test_a_trial_that_fails_is_kept_with_its_reason_and_tried_again_on_request(
    tmp_path: Path,
) -> None:
    store = tmp_path / "trials.sqlite"
    width = WHOLE.n_features
    what: Any = {"grid": {"feature": [0, width + 5]}, "store": store}
    found = rw.tune(OWN, TRAIN, VALIDATION, **what)
    assert found.best.number == 1
    failed = found.trials[1]
    assert failed.value is None
    assert "IndexError" in (failed.reason or "")
    assert [one.kept for one in rw.tune(OWN, TRAIN, VALIDATION, **what).trials] == [True, True]
    again = rw.tune(OWN, TRAIN, VALIDATION, retry=True, **what)
    assert [one.kept for one in again.trials] == [True, False]
    with pytest.raises(RankwiseError, match="none of 1 trials has a value"):
        rw.tune(OWN, TRAIN, VALIDATION, grid={"feature": [width + 5]})


def test_no_trial_begins_when_the_time_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(0, 10_000, 4))
    monkeypatch.setattr("rankwise.experiments.tuning.perf_counter", lambda: float(next(ticks)))
    shares = []
    found = rw.tune(
        OWN, TRAIN, VALIDATION, time="10s",
        progress=lambda standing: shares.append(standing.share),
    )  # fmt: skip
    # Each trial takes 4 seconds: the third begins after 8, the fourth would after 12.
    assert [one.seconds for one in found.trials] == [4.0] * 3
    assert shares == [0.4, 0.8, 1.2]


def test_other_data_are_another_trial(tmp_path: Path) -> None:
    store = tmp_path / "trials.sqlite"
    rw.tune(OWN, TRAIN, VALIDATION, store=store)
    found = rw.tune(OWN, WHOLE.select_queries(np.arange(15)), VALIDATION, store=store)
    assert not any(one.kept for one in found.trials)


def test_a_folder_gives_both_parts_and_its_test_part_is_not_read(tmp_path: Path) -> None:
    rw.write_folds(rw.split_folds(WHOLE), tmp_path / "folds")
    home = tmp_path / "folds/Fold1"
    (home / "test.txt").write_text("this is no data set\n")
    found = rw.tune(OWN, home)
    by_files = rw.tune(OWN, home / "train.txt", home / "vali.txt")
    assert found.as_dict()["best"] == by_files.as_dict()["best"]
    with pytest.raises(RankwiseError, match="found 5 folds; name one of them"):
        rw.tune(OWN, tmp_path / "folds")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"train": WHOLE.select_queries([0])}, "1 queries cannot be cut into 5 parts"),
        ({"folds": 3, "validation": VALIDATION}, "found both"),
        ({"folds": 1}, "at least 2 folds, found 1"),
        ({"folds": 3, "method": "random"}, "found no budget"),
        (
            {"folds": 3, "method": "guess"},
            "there is no search method 'guess'; known are grid, random, optuna",
        ),
        ({"folds": 3, "trials": 0}, "at least one trial, found 0"),
        ({"folds": 3, "time": "soon"}, "90s, 10m or 1h30m, found 'soon'"),
        ({"folds": 3, "draw": {"feature": (0, 3)}}, "found an interval of feature"),
        ({"folds": 3, "draw": {"feature": (0, 3, "cubic")}}, "for feature"),
        ({"folds": 3, "grid": {"features": [1]}}, "did you mean 'feature'"),
    ],
)
def test_what_is_asked_for_wrongly_is_told_in_a_sentence(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        rw.tune(OWN, **{"train": TRAIN, **given})


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("90s", 90), ("10m", 600), ("1h30m", 5400), ("2.5", 2.5), (7, 7), ("1h 1m 1s", 3661)],
)
def test_times_as_people_write_them(given: str | float, seconds: float) -> None:
    assert parse_seconds(given) == seconds


@pytest.mark.parametrize("given", ["", "0s", -1, "m", "10 minutes", float("nan"), float("inf")])
def test_what_is_no_time_is_refused(given: str | float) -> None:
    with pytest.raises(RankwiseError, match="a time must be"):
        parse_seconds(given)


def test_a_search_as_commands_write_it() -> None:
    assert parse_fixed("lambdamart", ["leaves=7"]) == {"leaves": 7}
    assert parse_grid("lambdamart", ["leaves=7,31"]) == {"leaves": (7, 31)}
    within = parse_grid("propagation", ["of.regularization=0.1,1"], ["of=ridge-regression"])
    assert within == {"of.regularization": (0.1, 1.0)}
    assert parse_intervals(["a=1:2", "b=0.1:10:log"]) == {
        "a": SearchRange(1, 2), "b": SearchRange(0.1, 10, True)}  # fmt: skip
    with pytest.raises(RankwiseError, match="--draw must be written NAME=…, found 'a'"):
        parse_intervals(["a"])
    for wrong in ("a=1", "a=x:y", "a=1:2:cubic"):
        with pytest.raises(RankwiseError, match="an interval must be NAME=LOW:HIGH"):
            parse_intervals([wrong])


def test_the_digest_of_data_sees_every_part_that_counts() -> None:
    features, labels = WHOLE.features.copy(), WHOLE.labels.copy()
    same = rw.Dataset(features, labels, WHOLE.query_offsets, WHOLE.query_ids, WHOLE.document_ids,
                      None, WHOLE.feature_names)  # fmt: skip
    assert digest_dataset(same) == digest_dataset(WHOLE)
    features[3, 1] = np.nextafter(features[3, 1], 2)
    labels[0] = 1 - labels[0]
    changed = [
        rw.Dataset(features, WHOLE.labels, WHOLE.query_offsets, WHOLE.query_ids),
        rw.Dataset(WHOLE.features, labels, WHOLE.query_offsets, WHOLE.query_ids),
        rw.Dataset(WHOLE.features, WHOLE.labels, WHOLE.query_offsets, WHOLE.query_ids,
                   weights=np.full(WHOLE.n_documents, 2.0)),
    ]  # fmt: skip
    assert len({digest_dataset(one) for one in [WHOLE, *changed]}) == 4


MORTAL = """
import os, signal
from pathlib import Path
LOG = Path(__file__).with_name("trained")
class Mortal:
    def __init__(self, feature=0):
        self.feature = feature
    def fit(self, X, y, qid=None):
        with LOG.open("a") as log:
            log.write(f"{self.feature}\\n")
        armed = LOG.with_name("armed")
        if armed.exists() and len(LOG.read_text().split()) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return self
    def predict(self, X):
        return X[:, self.feature]
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_killed_in_its_third_trial_it_goes_on_with_that(tmp_path: Path) -> None:
    (tmp_path / "mortal.py").write_text(MORTAL)
    rw.write(TRAIN, tmp_path / "train.txt")
    rw.write(VALIDATION, tmp_path / "vali.txt")
    log, armed = tmp_path / "trained", tmp_path / "armed"

    def tune(store: str, model: str) -> subprocess.CompletedProcess[str]:
        words = ["tune", "train.txt", "--validate", "vali.txt", "--ranker", "mortal:Mortal",
                 "--values", "feature=0,1,2,3,4", "--store", store, "-o", model,
                 "--format", "json"]  # fmt: skip
        program = "from rankwise.cli.main import run; run()"
        return subprocess.run(
            [sys.executable, "-c", program, *words], cwd=tmp_path, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}"
                 if "PYTHONPATH" in os.environ else str(tmp_path)},
        )  # fmt: skip

    armed.touch()
    assert tune("a.sqlite", "a.json").returncode == -signal.SIGKILL
    assert log.read_text().split() == ["0", "1", "2"]
    with rw.Store.read(tmp_path / "a.sqlite") as store:
        assert [task.parameters["feature"] for task in store.tasks(superseded=True)] == [0, 1]
    armed.unlink()
    continued = tune("a.sqlite", "a.json")
    # The trial that was killed is trained again, those before it are not; the best one is.
    assert log.read_text().split()[3:6] == ["2", "3", "4"]
    calm = tune("b.sqlite", "b.json")

    def figures(printed: str) -> list[Any]:
        import json

        return [(one["parameters"], one["value"]) for one in json.loads(printed)["trials"]]

    assert figures(continued.stdout) == figures(calm.stdout)
    assert "2 of 5 trials were known" in continued.stderr
