from __future__ import annotations

import shutil
from collections import deque
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.data.dataset import Dataset
from rankwise.data.folds import find_folds
from rankwise.data.reading import read, write
from rankwise.errors import RankwiseError
from rankwise.experiments.benchmark import foresee
from rankwise.experiments.resources import ATTEMPTS, TaskLimits
from rankwise.experiments.running import local
from rankwise.experiments.running.local import BEGUN
from rankwise.experiments.running.runner import RunProgress, estimate_seconds
from rankwise.measures.evaluation import evaluate
from rankwise.rankers.registry import find_ranker
from rankwise.results.store.store import Store
from tests.experiments.running import HERE, choices, figures, planned, run, run_here, tasks_here
from tests.stores import reading


def test_figures_are_those_of_the_protocol_written_out(folds: Path, tmp_path: Path) -> None:
    """Best of the grid on validation MAP, then one look at test."""
    store = tmp_path / "s.sqlite"
    run(planned(folds, {"name": "ridge-regression"}, folds=[2], tools=["letor4"]), store)
    fold = find_folds(folds)[1]
    train, validation, test = (read(path) for path in (fold.train, fold.validation, fold.test))
    ranker = find_ranker("ridge-regression")
    best: tuple[float, object] | None = None
    grid = next(field for field in ranker.__dataclass_fields__.values() if
                field.metadata.get("grid"))  # fmt: skip
    for value in grid.metadata["grid"]:
        model = ranker(**{grid.name: value}).fit(train, validation)
        figure = evaluate(validation, model.score(validation), ["MAP"], "definition")["MAP"].mean
        if best is None or figure > best[0]:
            best = (figure, model)
    assert best is not None
    expected = evaluate(test, best[1].score(test), ["MAP", "NDCG@10"], "letor4")  # type: ignore[attr-defined]
    found = {measure: value for (_, part, _, measure), value in figures(store).items() if
             part == "test"}  # fmt: skip
    assert found["MAP"] == expected["MAP"].mean
    assert found["NDCG@10"] == expected["NDCG@10"].mean
    ((ids, values),) = reading(store).per_query("NDCG@10", "letor4").values()
    assert ids == list(expected["NDCG@10"].query_ids)
    np.testing.assert_array_equal(values, expected["NDCG@10"].values)


def test_selection_never_sees_the_test_part(folds: Path, tmp_path: Path) -> None:
    """With poisoned test labels and features every choice stays, and only test figures change."""
    poisoned = tmp_path / "poisoned"
    shutil.copytree(folds, poisoned)
    for fold in find_folds(poisoned):
        write(_poisoned(read(fold.test)), fold.test)
    rankers = ["OneFeature", *({"name": name} for name in ("ridge-regression", "adarank-map"))]
    clean, dirty = tmp_path / "clean.sqlite", tmp_path / "dirty.sqlite"
    for folder, store in ((folds, clean), (poisoned, dirty)):
        run_here(planned(folder, *rankers, folds=[1, 2]), store)
    assert choices(clean).keys() != set()
    assert _by_place(choices(clean)) == _by_place(choices(dirty))
    before, after = _by_place(figures(clean)), _by_place(figures(dirty))
    chosen_by = {key: value for key, value in before.items() if key[3] == "validation"}
    assert chosen_by == {key: value for key, value in after.items() if key[3] == "validation"}
    assert before != after
    for one, other in zip(reading(clean).tasks(), reading(dirty).tasks(), strict=True):
        tried = [[t.value for t in reading(store).tried(task.number)]
                 for store, task in ((clean, one), (dirty, other))]  # fmt: skip
        assert tried[0] == tried[1]


def _poisoned(test: Dataset) -> Dataset:
    features = np.array(test.features)[:, ::-1] * 7.0
    return Dataset(features, 2.0 - test.labels, test.query_offsets, test.query_ids)


def _by_place(values: dict[object, object]) -> dict[tuple[object, ...], object]:
    """Without the name of the data set, which differs."""
    found = {}
    for key, value in values.items():
        name, *rest = key if isinstance(key, tuple) else (key,)
        found[(name.fold, name.method, name.seed, *rest)] = value  # type: ignore[attr-defined]
    return found


def test_done_work_is_not_repeated_and_changed_work_not_reused(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    plan = planned(folds, "OneFeature", folds=[1, 2])
    assert run_here(plan, store).done == 2
    before = reading(store).tasks()
    again = run_here(plan, store)
    assert (again.done, again.kept) == (2, 2)
    assert reading(store).tasks() == before
    more = run_here(planned(folds, "OneFeature", folds=[1, 2, 3]), store)
    assert (more.done, more.kept) == (3, 2)
    changed = planned(folds, "OneFeature", folds=[1], selection={"measure": "NDCG@10"})
    assert run_here(changed, store).kept == 0
    assert len(reading(store).tasks(superseded=True)) == 4
    # The other folds were selected by another measure: no mean is taken over both.
    assert [task.key for task in reading(store).tasks()] == [changed.tasks[0].key]
    assert "left aside 2 folds (2, 3) of other code" in reading(store).explain_left_out()[0]


def test_a_new_label_renames_what_is_done(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    run_here(planned(folds, "OneFeature", folds=[1]), store)
    renamed = {"name": f"{HERE}:OneFeature", "label": "new"}
    assert run_here(planned(folds, renamed, folds=[1]), store).kept == 1
    assert [task.name.method for task in reading(store).tasks()] == ["new"]


def test_failures_are_recorded_and_do_not_stop_the_rest(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    deadly = {"name": f"{HERE}:Mortal", "set": {"deaths": 9, "counter": str(tmp_path / "n")}}
    plan = planned(folds, "Faulty", "Greedy", deadly, "OneFeature", folds=[1])
    progress = run(plan, store, jobs=2, limits=TaskLimits(memory_bytes=100 * 10**6))
    assert (progress.done, progress.failed) == (1, 3)
    assert (progress.lost_workers, progress.begun_again.total()) == (ATTEMPTS, ATTEMPTS - 1)
    found = {task.name.method: task for task in reading(store).tasks()}
    assert found["one-feature"].ending == "done"
    assert {name: task.kind for name, task in found.items() if task.ending == "failed"} == {
        "faulty": "error", "greedy": "memory", "mortal": "killed"}  # fmt: skip
    assert "ZeroDivisionError: a defect" in str(found["faulty"].reason)
    assert f"ended {ATTEMPTS} times (signal 9)" in str(found["mortal"].reason)


def test_a_task_that_does_not_end_is_ended_and_the_next_one_runs(
    folds: Path, tmp_path: Path
) -> None:
    # Neither could keep to the limit on any machine: they wait for files that do not come.
    store, waits = tmp_path / "s.sqlite", {"sign": str(tmp_path / "n"), "go": str(tmp_path / "no")}
    plan = planned(folds, {"name": f"{HERE}:Patient", "set": waits}, folds=[1, 2])
    progress = run(plan, store, limits=TaskLimits(seconds=0.5))
    assert (progress.done, progress.failed, progress.lost_workers) == (0, 2, 0)
    for task in reading(store).tasks():
        assert (task.kind, task.reason) == ("time", "it took longer than 0.5 seconds")


def test_what_a_method_does_to_its_process_is_its_own_failure(
    folds: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "s.sqlite"
    plan = planned(folds, "Leaving", "Interrupting", "Speechless", "Talkative", folds=[1])
    progress = run(plan, store)
    assert (progress.done, progress.failed) == (1, 3)
    found = {task.name.method: task for task in reading(store).tasks()}
    assert {task.kind for task in found.values()} == {"error", None}
    assert str(found["leaving"].reason).startswith("SystemExit: enough (trial_rankers.py:")
    assert str(found["interrupting"].reason).startswith("KeyboardInterrupt:")
    assert str(found["speechless"].reason).startswith("Unspeakable: (no message)")
    printed = capfd.readouterr()
    assert "in the midst of things" not in printed.out
    assert "in the midst of things" in printed.err


def test_data_that_change_during_a_run_end_it(folds: Path, tmp_path: Path) -> None:
    home, store = tmp_path / "data", tmp_path / "s.sqlite"
    shutil.copytree(folds, home)
    plan = planned(home, "OneFeature", folds=[1, 2])
    with (home / "Fold2" / "test.txt").open("a") as stream:
        stream.write("2 qid:99 1:1\n")
    with pytest.raises(RankwiseError, match=r"files of fold 2 have changed .*; run the same"):
        run(plan, store)
    assert [task.name.fold for task in reading(store).tasks()] == [1]
    assert run_here(planned(home, "OneFeature", folds=[1, 2]), store).kept == 1


def test_code_that_changes_during_a_run_is_not_taken_for_the_planned_one(
    folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from tests.experiments.trial_rankers import OneFeature\nclass Mine(OneFeature): ...\n"
    (tmp_path / "edited_ranker.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    mine = {"name": "edited_ranker:Mine", "label": "mine"}
    plan = planned(folds, mine, "OneFeature", folds=[1])
    (tmp_path / "edited_ranker.py").write_text(code + "# edited\n")
    store = tmp_path / "s.sqlite"
    progress = run(plan, store)
    assert (progress.done, progress.failed) == (1, 1)
    [failed] = [task for task in reading(store).tasks() if task.ending == "failed"]
    assert failed.kind == "error"
    assert "must stay as it is while a plan runs" in str(failed.reason)


def test_the_time_of_a_task_counts_from_its_beginning(
    folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task,) = planned(folds, "OneFeature", folds=[1]).tasks
    pipe: Any = SimpleNamespace(recv=lambda: BEGUN)
    worker = local._Worker(SimpleNamespace(pid=0), pipe, task)  # type: ignore[arg-type]
    crew = local._Crew(tmp_path, TaskLimits(seconds=2.0), deque(), 1, [worker])
    monkeypatch.setattr(local, "time", SimpleNamespace(monotonic=lambda: 10.0))
    assert not worker.is_late(500.0)
    assert list(crew._attend(worker)) == []
    assert not worker.is_late(12.0) and worker.is_late(12.5)


def test_failed_tasks_are_tried_again_on_request_only(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    plan = planned(folds, "Faulty", folds=[1])
    run_here(plan, store)
    first = reading(store).tasks()[0]
    assert run_here(plan, store).kept == 1
    assert reading(store).tasks()[0] == first
    assert run_here(plan, store, retry=True).kept == 0
    assert reading(store).tasks()[0].finished > first.finished


def test_a_killed_worker_loses_nothing(folds: Path, tmp_path: Path) -> None:
    counter = tmp_path / "count"
    mortal = {"name": f"{HERE}:Mortal", "set": {"deaths": 2, "counter": str(counter)}}
    run(planned(folds, mortal, folds=[1]), tmp_path / "disturbed.sqlite")
    assert counter.read_text() == "xx"
    run_here(planned(folds, mortal, folds=[1]), tmp_path / "calm.sqlite")
    assert figures(tmp_path / "disturbed.sqlite") == figures(tmp_path / "calm.sqlite") != {}


def test_two_jobs_give_the_figures_of_one_to_the_bit(folds: Path, tmp_path: Path) -> None:
    rankers = [{"name": name} for name in ("linear-regression", "ridge-regression", "rankboost")]
    plan = planned(folds, *rankers, folds=[1, 2], tools=["letor3", "definition"])
    run(plan, tmp_path / "one.sqlite", jobs=1)
    run(plan, tmp_path / "two.sqlite", jobs=2)
    assert figures(tmp_path / "one.sqlite") == figures(tmp_path / "two.sqlite") != {}
    assert choices(tmp_path / "one.sqlite") == choices(tmp_path / "two.sqlite")


def test_an_interrupted_run_continues(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    plan = planned(folds, "OneFeature", seeds=[0, 1])

    def interrupt(progress: RunProgress) -> None:
        if progress.done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(plan, store, watch=interrupt)
    assert len(reading(store).tasks()) == 4
    rest = run_here(plan, store)
    assert (rest.kept, rest.done) == (4, 10)


def test_seeds_are_averaged_in_the_table(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    run_here(
        planned(folds, "OneFeature", folds=[1], seeds=[0, 1], tools=["letor3", "yahoo"]), store
    )
    table = reading(store).table()
    assert set(table.tool) == {"letor3"}
    assert set(table.note) == {"mean of 2 seeds"}
    assert len(table) == 5
    assert set(reading(store).table(all_tools=True).tool) == {"letor3", "yahoo"}


def test_a_fold_that_cannot_be_read_fails_alone(folds: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(folds, broken)
    find_folds(broken)[0].train.write_text("nonsense\n")
    store = tmp_path / "s.sqlite"
    progress = run(planned(broken, "OneFeature", folds=[1, 2]), store)
    assert (progress.done, progress.failed) == (1, 1)
    failed = next(task for task in reading(store).tasks() if task.ending == "failed")
    assert failed.kind == "data"
    assert "train.txt:1" in str(failed.reason)


def test_environment_time_and_memory_are_kept_and_foretell_the_next_run(
    folds: Path, tmp_path: Path
) -> None:
    store = tmp_path / "s.sqlite"
    plan = planned(folds, "OneFeature", folds=[1])
    run(plan, store)
    task = reading(store).tasks()[0]
    assert task.seconds > 0
    assert task.peak_bytes > 10**7
    assert reading(store).environment(task.number)["packages"]["numpy"] == np.__version__
    later = planned(folds, "OneFeature", folds=[2]).tasks
    assert estimate_seconds(later, reading(store).typical_seconds()) == {later[0].key: task.seconds}


def test_fewer_measures_and_tools_train_nothing_again(folds: Path, tmp_path: Path) -> None:
    """Nor does another order of them; more of them do, and what is shown is what is asked for."""
    ranker, store = f"{HERE}:OneFeature", tmp_path / "s.sqlite"
    asked: dict[str, Any] = {"data": folds, "rankers": ranker, "folds": [1, 2], "store": store}

    def trained() -> int:
        with Store.read(store) as opened:
            return len(opened.tasks(superseded=True))

    with tasks_here():
        first = rw.bench(measures="MAP,NDCG@5,P@5", tools="definition,trec_eval", **asked)
        assert trained() == 2
        fewer = rw.bench(measures="NDCG@5,MAP", tools="definition", **asked)
        assert rw.bench(measures="P@5,MAP", tools="trec_eval,definition", **asked).done == 2
        assert trained() == 2
        assert (fewer.done, fewer.failed) == (2, 0)
        assert {(one.measure, one.tool) for one in fewer.values} == {
            (measure, "definition") for measure in ("MAP", "NDCG@5")
        }
        assert set(fewer.values) <= set(first.values)
        facts = foresee(rw.plan(measures="P@5", tools="definition", data=folds,
                        rankers=ranker, folds=[1, 2]), store)  # fmt: skip
        assert (facts.done, facts.to_do) == (2, 0)
        rw.bench(measures="MAP,RBP", tools="definition", **asked)
        assert trained() == 4


def test_what_chooses_or_learns_differently_is_trained_anew(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    asked: dict[str, Any] = {"data": folds, "folds": [1], "store": store, "tools": "definition"}
    with tasks_here():
        rw.bench(rankers=f"{HERE}:OneFeature", measures="MAP,NDCG@5", **asked)
        rw.bench(rankers=f"{HERE}:OneFeature", measures="MAP", select="NDCG@1", **asked)
    with Store.read(store) as opened:
        assert len(opened.tasks(superseded=True)) == 2


def test_values_that_no_ranking_could_change_are_told_with_the_task(
    folds: Path, tmp_path: Path
) -> None:
    """Where test labels are all 0, every method has 0.0000."""
    blank = tmp_path / "blank"
    shutil.copytree(folds, blank)
    for fold in find_folds(blank):
        test = read(fold.test)
        write(replace(test, labels=np.zeros(test.n_documents)), fold.test)
    store = tmp_path / "s.sqlite"
    assert run_here(planned(blank, "OneFeature", folds=[1], tools=["definition"]), store).done == 1
    [choice] = reading(store).choices()
    assert any("on test no document is relevant to" in said for said in choice.remarks)
