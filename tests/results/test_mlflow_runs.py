"""A store as runs of MLflow: every fact is in its file, and no name leads elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rankwise.errors import RankwiseError
from rankwise.results.mlflow_runs import export_runs
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome

EVIL = "../../\x1b[2J/etc\udc80"


def read_meta(folder: Path) -> dict[str, Any]:
    lines = (folder / "meta.yaml").read_text("utf-8").splitlines()
    return {name: json.loads(text) for name, _, text in (one.partition(": ") for one in lines)}


def make_store(path: Path, dataset: str = "D", parameters: Any = None) -> None:
    with Store.open(path) as store:
        name = TaskName("L", dataset, "V", 1, "m", "r", 0, "letor4")
        values = (StoredValue("test", "letor4", "NDCG@10", 0.1 + 0.2),
                  StoredValue("validation", "letor4", "MAP", 0.25))  # fmt: skip
        given = parameters or {"leaves": 7, "measure": "MAP"}
        done = TaskOutcome("done", values=values, parameters=given, seconds=1.5)
        store.add("one", name, {}, done)
        failed = TaskName("L", dataset, "V", 2, "m", "r", 0, "letor4")
        store.add("two", failed, {}, TaskOutcome.failure("error", "because"))


def test_every_fact_of_a_task_has_its_file(tmp_path: Path) -> None:
    make_store(tmp_path / "s.sqlite")
    assert export_runs(tmp_path / "s.sqlite", tmp_path / "mlruns") == 2
    (experiment,) = (tmp_path / "mlruns").iterdir()
    about = read_meta(experiment)
    assert about["name"] == "D"
    assert about["experiment_id"] == experiment.name and experiment.name.isdigit()
    runs = {read_meta(run)["status"]: run for run in experiment.iterdir() if run.is_dir()}
    done = runs[3]
    meta = read_meta(done)
    assert meta["run_id"] == done.name and len(done.name) == 32
    assert meta["end_time"] - meta["start_time"] == 1500
    assert meta["artifact_uri"] == (done / "artifacts").resolve().as_uri()
    assert (done / "artifacts").is_dir()
    time, value, step = (done / "metrics/test.letor4.NDCG_10").read_text().split()
    assert (int(time), float(value), step) == (meta["end_time"], 0.1 + 0.2, "0")
    assert (done / "metrics/validation.letor4.MAP").read_text().split()[1] == "0.25"
    assert {one.name: one.read_text() for one in (done / "params").iterdir()} == {
        "leaves": "7", "measure": "MAP"}  # fmt: skip
    assert (done / "tags/method").read_text() == "m"
    assert (runs[4] / "tags/reason").read_text() == "because"


def test_no_name_leads_out_of_the_folder_and_none_is_lost(tmp_path: Path) -> None:
    parameters = {EVIL: EVIL, "..": 1, ".": 2, "a/b": 3, "a@b": 4, "A_b": 5, "x" * 500: 6}
    make_store(tmp_path / "s.sqlite", EVIL, parameters)
    before = sorted(tmp_path.iterdir())
    export_runs(tmp_path / "s.sqlite", tmp_path / "mlruns")
    assert sorted({*tmp_path.iterdir()} - {*before}) == [tmp_path / "mlruns"]
    written = [one for one in (tmp_path / "mlruns").rglob("*") if one.parent.name == "params"]
    assert len(written) == len(parameters)


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    make_store(tmp_path / "s.sqlite")
    (tmp_path / "mlruns").mkdir()
    (tmp_path / "mlruns/mine").write_text("kept")
    with pytest.raises(RankwiseError, match="not empty; name a new folder"):
        export_runs(tmp_path / "s.sqlite", tmp_path / "mlruns")
    assert [one.name for one in (tmp_path / "mlruns").iterdir()] == ["mine"]
