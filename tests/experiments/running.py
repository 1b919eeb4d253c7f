"""Short ways to plans and runs for the tests of experiments."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest

from rankwise.data.folds import Fold
from rankwise.experiments.configuration import configure
from rankwise.experiments.planning import ExperimentPlan, Task, expand
from rankwise.experiments.resources import TaskLimits
from rankwise.experiments.running.engine import Engine, EngineOptions, Event
from rankwise.experiments.running.local import LocalEngine
from rankwise.experiments.running.runner import RunProgress, get_scratch_folder, run_plan
from rankwise.experiments.running.shared_data import read_checked_fold
from rankwise.experiments.running.task_run import run_task
from rankwise.results.store.store import Store
from tests.stores import reading

HERE = "tests.experiments.trial_rankers"


def planned(folder: Path, /, *rankers: Any, **content: Any) -> ExperimentPlan:
    """A plan on the folds; rankers are class names of `trial_rankers`, or whole entries."""
    entries = [{"name": f"{HERE}:{one}"} if isinstance(one, str) else one for one in rankers]
    return expand(configure({"data": [{"path": str(folder)}], "rankers": entries, **content}))


def run(
    plan: ExperimentPlan,
    store: Path,
    *,
    jobs: int = 1,
    limits: TaskLimits | None = None,
    engine: Engine | None = None,
    **how: Any,
) -> RunProgress:
    with Store.open(store) as opened:
        chosen = engine or LocalEngine(jobs, get_scratch_folder(store))
        return run_plan(plan, opened, chosen, limits or TaskLimits(), **how)


def run_here(plan: ExperimentPlan, store: Path, **how: Any) -> RunProgress:
    """The same for what is true of every engine: in this process, as starting others is slow."""
    return run(plan, store, engine=HereEngine(), **how)


@contextmanager
def tasks_here() -> Iterator[None]:
    """The same for what is true of every run: `bench` starts no processes for its tasks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalEngine, "run", HereEngine.run)
        yield


@dataclass(frozen=True)
class HereEngine:
    name: ClassVar[str] = "here"
    spreads: ClassVar[bool] = False
    limits_memory: ClassVar[bool] = False

    jobs: int = 1

    @classmethod
    def from_options(cls, options: EngineOptions) -> Self:
        return cls()

    def run(self, tasks: Sequence[Task], limits: TaskLimits) -> Generator[Event, None, None]:
        for task in tasks:
            yield Event(task)
            yield Event(task, run_task(task, _read))


def _read(task: Task) -> Fold:
    return read_checked_fold(task.files, task.checksums)


def figures(store: Path) -> dict[Any, float]:
    """Every figure of the store, on validation too, exactly."""
    return {
        (mean.name, mean.part, mean.tool, mean.measure): mean.value
        for part in ("test", "validation")
        for mean in reading(store).values(part=part)
    }


def facts_of(store: Path, method: str) -> list[dict[str, Any]]:
    """What training said of itself in every task of a method."""
    with closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT facts FROM tasks WHERE method = ?", (method,)).fetchall()
    assert rows
    return [json.loads(text) for (text,) in rows]


def choices(store: Path) -> dict[Any, Any]:
    return {task.name: dict(task.parameters) for task in reading(store).tasks()}
