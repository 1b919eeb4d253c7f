"""What a source adds: paired differences from the target alone, over all folds, and their page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from studies.transfer_curves import TransferCurves, compute_gains, find_transfers, main

import rankwise as rw
from rankwise.checks.made import planted
from rankwise.data.folds import Fold, write_folds
from rankwise.data.shared_queries import rename_queries
from rankwise.experiments.transfer import TARGET_ONLY
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskOutcome
from tests.experiments.running import tasks_here
from tests.experiments.test_transfer_bench import content, write_data


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("transfer"))


@pytest.fixture(scope="module")
def ran(home: Path) -> rw.BenchRun:
    with tasks_here():
        return rw.bench(content(home), store=home / "store.sqlite", jobs=1)


def find_gains(run: rw.BenchRun) -> TransferCurves:
    (question,) = find_transfers(run.experiment.plan)
    with Store.read(run.store) as store:
        return compute_gains(store, question)


def test_gains_are_paired_differences_from_the_target_alone(ran: rw.BenchRun) -> None:
    curves = find_gains(ran)
    found = {one.name.method: one.value for one in ran.values}
    assert len(curves.points) == 6
    for point in curves.points:
        name = f"{point.method}, {point.way} with big, {point.share:g} %"
        alone = found[f"{point.method}, target only, {point.share:g} %"]
        assert point.gain == pytest.approx(found[name] - alone, abs=1e-12)
        assert point.low <= point.gain <= point.high
        assert point.queries == 9


def test_tables_and_figures_are_written(ran: rw.BenchRun, home: Path, tmp_path: Path) -> None:
    config = tmp_path / "transfer.toml"
    config.write_text(
        f"""
        measures = ["MAP"]
        [[transfer]]
        source = {{ path = "{home / "big"}" }}
        target = {{ path = "{home / "small"}" }}
        ways = ["pooled", "weighted", "fine-tuned"]
        shares = [100, 25]
        [[rankers]]
        name = "ridge-regression"
        grid = {{ regularization = [0.01, 1.0] }}
        """
    )
    main([str(config), "--store", str(ran.store), "-o", str(tmp_path / "out")])
    figure = "transfer-big-small-ridge-regression.svg"
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"transfer.md", figure}
    page = (tmp_path / "out" / "transfer.md").read_text()
    assert "### big → small: gain in MAP over the target alone" in page
    assert "| ranker | way | 100 % | 25 % |" in page
    point = find_gains(ran).curve("big", "ridge-regression", "pooled")[1]
    assert f"{point.gain:+.4f}" in page
    assert (tmp_path / "out" / figure).read_bytes().startswith(b"<?xml")


def test_a_run_names_the_study(ran: rw.BenchRun) -> None:
    assert ran.studies() == ["studies/transfer_curves.py"]


def test_gains_are_over_the_queries_of_all_folds(tmp_path: Path) -> None:
    """Tasks of two folds, whose sources have different files, are of one generation."""
    for name, seed in (("big", 10), ("small", 20)):
        parts = [rename_queries(planted(4, seed=seed + n), f"{name}{n}-") for n in range(4)]
        both = [Fold(1, *parts[:3]), Fold(2, *parts[1:])]
        write_folds(both, tmp_path / name)
    plan = rw.plan(content(tmp_path, ways=["pooled"], shares=[100])).plan
    base = np.linspace(0.1, 0.5, 4)
    lifts = {TARGET_ONLY: 0.0, "pooled": 0.2 + 0.01 * np.cos(np.arange(4))}
    with Store.open(tmp_path / "s.sqlite") as store:
        for task in plan.tasks:
            assert task.transfer is not None
            values = base + lifts[task.transfer.way]
            ids = tuple(f"{task.name.fold}-{number}" for number in range(4))
            stored = StoredValue("test", task.name.tool, "MAP", float(values.mean()), ids, values)
            outcome = TaskOutcome("done", values=(stored,))
            store.add(task.key, task.name, task.inputs, outcome)
    with Store.read(tmp_path / "s.sqlite") as store:
        found = compute_gains(store, find_transfers(plan)[0])
    (point,) = found.points
    assert found.remarks == ()
    assert point.queries == 8
    assert point.gain == pytest.approx(0.2 + 0.01 * np.cos(np.arange(4)).mean())
    assert point.differs
    assert point.target_only == pytest.approx(0.3)
