"""Running a plan: what is done is not done again, what ends is stored at once.

How long a plan will take is judged by the tasks that a store already holds.
"""

from __future__ import annotations

import heapq
import shutil
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankwise.errors import Advice, RankwiseError
from rankwise.experiments.leaks import refuse_leaks
from rankwise.experiments.planning import ExperimentPlan, Task, evaluated_by
from rankwise.experiments.resources import BEGUN_AGAIN, TaskLimits
from rankwise.experiments.running.engine import Engine, Event, TaskStanding
from rankwise.experiments.running.registry import engine_names, find_engine
from rankwise.experiments.running.task_run import list_wanted
from rankwise.results.store.store import Store
from rankwise.results.task_records import KeptItem, KeptName, StoredTask, TaskName, TaskOutcome


def estimate_seconds(
    tasks: Iterable[Task], typical: Mapping[tuple[str, str], float]
) -> dict[str, float]:
    """By key, what a combination took of the ranker on the data set, times how many are tried.

    What was never run is left out: what it took on other data, of another size, says nothing.
    """
    found = {}
    for task in tasks:
        seconds = typical.get(kind_of(task))
        if seconds is not None:
            found[task.key] = seconds * task.tried
    return found


def kind_of(task: Task) -> tuple[str, str]:
    """Tasks of one kind take about as long for each combination: a ranker on a data set."""
    return task.name.ranker, task.name.dataset


class Remaining:
    """The tasks that are left, with what each is expected to take; told of every end at once.

    A run asks after every event, so nothing here goes through all that is left.
    """

    def __init__(
        self, keys: Iterable[str] = (), expected: Mapping[str, float] | None = None
    ) -> None:
        self._left = dict.fromkeys(keys)
        self._expected: dict[str, float] = {}
        self._sum = 0.0
        self._longest: list[tuple[float, str]] = []
        self.expect(expected or {})

    def expect(self, seconds: Mapping[str, float]) -> None:
        """What tasks are expected to take, by key, as is known by now."""
        for key, value in seconds.items():
            if key in self._left and self._expected.get(key) != value:
                self._sum += value - self._expected.get(key, 0.0)
                self._expected[key] = value
                heapq.heappush(self._longest, (-value, key))

    @property
    def number(self) -> int:
        """How many tasks are left."""
        return len(self._left)

    @property
    def unknown(self) -> int:
        """Of how many of them nothing is known."""
        return len(self._left) - len(self._expected)

    def remove(self, key: str) -> None:
        """A task has ended."""
        self._left.pop(key, None)
        self._sum -= self._expected.pop(key, 0.0)

    def seconds(self, jobs: int) -> float | None:
        """How long the rest takes side by side; None where a task is left that nothing is known of.

        It is never less than the longest task.
        """
        return None if self.unknown else self.least_seconds(jobs)

    def least_seconds(self, jobs: int) -> float:
        """How long those of the rest take of which something is known."""
        while self._longest and self._expected.get(self._longest[0][1]) != -self._longest[0][0]:
            heapq.heappop(self._longest)
        return max(-self._longest[0][0], self._sum / jobs) if self._longest else 0.0


class Pace:
    """What combinations take by kind in the run so far, where no earlier run tells."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._waiting: dict[tuple[str, str], dict[str, int]] = {}
        self._spent: dict[tuple[str, str], tuple[float, int]] = {}
        for task in tasks:
            self._waiting.setdefault(kind_of(task), {})[task.key] = task.tried

    def note(self, task: Task, seconds: float) -> dict[str, float]:
        """What the other tasks of its kind are expected to take, now that a task has ended."""
        kind = kind_of(task)
        before, number = self._spent.get(kind, (0.0, 0))
        spent, tried = self._spent[kind] = before + seconds, number + task.tried
        waiting = self._waiting.get(kind, {})
        waiting.pop(task.key, None)
        return {key: spent / tried * count for key, count in waiting.items()}


@dataclass
class RunProgress:
    """How a run stands: what is done and failed (with what was so before), running, and left.

    Workers that were lost in the middle of tasks are counted, and how often each task begins again.
    `unkept` are tasks that were done before and failed when they were run again for what is to be
    kept of them, with the reasons; they count as failed, and their figures are still there.
    """

    total: int
    jobs: int
    done: int = 0
    failed: int = 0
    kept: int = 0
    begun: float = field(default_factory=time.monotonic)
    running: dict[str, Task] = field(default_factory=dict)
    last: tuple[Task, TaskOutcome] | None = None
    left: Remaining = field(default_factory=Remaining)
    standing: dict[str, TaskStanding] = field(default_factory=dict)
    lost_workers: int = 0
    begun_again: Counter[str] = field(default_factory=Counter)
    unkept: dict[TaskName, str] = field(default_factory=dict)

    @property
    def seconds_left(self) -> float | None:
        """By tasks of the same ranker on the same data set, of this run or of earlier ones.

        None where nothing is known of a task that is left.
        """
        return self.left.seconds(self.jobs)


OnProgress = Callable[[RunProgress], None]


@dataclass(frozen=True)
class Pending:
    """What of a plan is still to do, and what the store already has.

    `again` are the keys of tasks to do that are done, but of which something is to be kept that the
    store lacks.
    """

    tasks: tuple[Task, ...]
    done: int
    failed: int
    again: frozenset[str] = frozenset()


def match_stored(plan: ExperimentPlan, store: Store) -> ExperimentPlan:
    """The plan, with tasks as the store has them where it has them with more measures or tools.

    What evaluates a model does not change it, so that nothing is trained again for fewer figures.
    """
    with store.snapshot():
        stored: dict[TaskName, list[StoredTask]] = {}
        for one in store.tasks(superseded=True):
            if one.ending == "done":
                stored.setdefault(one.name, []).append(one)
        keys = {one.key for listed in stored.values() for one in listed}
        found = [
            task
            if task.key in keys
            else _match_task(task, store, reversed(stored.get(task.name, ()))) or task
            for task in plan.tasks
        ]
    return replace(plan, tasks=tuple(found))


def _match_task(task: Task, store: Store, stored: Iterable[StoredTask]) -> Task | None:
    """The task as one of those of its name was evaluated, the last that has all that it asks."""
    for one in stored:
        inputs = store.origin(one.number)["inputs"]
        measures, tools = inputs.get("measures", ()), inputs.get("tools", ())
        if set(task.measures) <= set(measures) and set(task.tools) <= set(tools):
            try:
                wider = evaluated_by(task, measures, tools)
            except RankwiseError:  # Of a measure of somebody's own that is there no more.
                continue
            if wider.key == one.key:
                return wider
    return None


def find_pending(
    plan: ExperimentPlan,
    endings: Mapping[str, str],
    kept: Iterable[KeptItem] = (),
    *,
    retry: bool = False,
) -> Pending:
    """The tasks that are not in the store; failed ones are tried again only on request.

    A task that is done is run again where something is to be kept of it that is not among `kept`.
    """
    there: dict[str, set[KeptName]] = {}
    for item in kept:
        there.setdefault(item.key, set()).add(item.what)
    again = frozenset(
        task.key
        for task in plan.tasks
        if endings.get(task.key) == "done" and list_wanted(task) - there.get(task.key, set())
    )
    found = [endings.get(task.key) for task in plan.tasks]
    open_endings = {None, "failed"} if retry else {None}
    tasks = tuple(
        task
        for task, ending in zip(plan.tasks, found, strict=True)
        if ending in open_endings or task.key in again
    )
    failed = 0 if retry else found.count("failed")
    return Pending(tasks, found.count("done") - len(again), failed, again)


def refuse_engine(plan: ExperimentPlan, engine: Engine) -> None:
    """Refuse an engine that cannot run all tasks of the plan."""
    task = next((task for task in plan.tasks if task.spread), None)
    if task is not None and not engine.spreads:
        others = tuple(name for name in engine_names() if find_engine(name).spreads)
        raise RankwiseError(
            f"a ranker with spread = true needs a cluster, found {task.name} for the engine "
            f"{engine.name}",
            Advice("leave spread out"),
            Advice("choose {}", "engine", others),
        )


def run_plan(
    plan: ExperimentPlan,
    store: Store,
    engine: Engine,
    limits: TaskLimits,
    *,
    retry: bool = False,
    expected: Mapping[str, float] | None = None,
    watch: OnProgress = lambda progress: None,
) -> RunProgress:
    """Run what the store does not have; every task is stored as soon as it ends.

    A task that is run again for its model or its scores, and fails, does not take the place of the
    one that was done.
    `watch` is told after every event. An exception, Ctrl-C included, ends the workers and leaves a
    store that the same plan continues.
    """
    refuse_engine(plan, engine)
    with store.snapshot():
        to_do = find_pending(plan, store.endings(), store.kept(superseded=True), retry=retry)
    refuse_leaks(to_do.tasks, plan.tasks)
    turns = store.claim({task.key: task.name for task in plan.tasks})
    kept = to_do.done + to_do.failed
    progress = RunProgress(
        len(plan.tasks), engine.jobs, to_do.done, to_do.failed, kept,
        left=Remaining([task.key for task in to_do.tasks], expected or {}),
    )  # fmt: skip
    watch(progress)
    pace = Pace(to_do.tasks)
    if to_do.tasks:
        with closing(engine.run(to_do.tasks, limits)) as events:
            for event in events:
                _record_event(event, store, turns, progress, to_do.again)
                if event.outcome is not None and event.outcome.ending == "done":
                    progress.left.expect(pace.note(event.task, event.outcome.seconds))
                watch(progress)
    return progress


def get_scratch_folder(store: Path) -> Path:
    """Where a run on this machine keeps the array files: beside its store.

    The name is fixed, so that a run continued after a kill finds them, and removes them at last.
    """
    return store.with_name(f".{store.name}-folds")


def clear_scratch(store: Path) -> None:
    """Remove the array files of a run that has come to its end."""
    shutil.rmtree(get_scratch_folder(store), ignore_errors=True)


def _record_event(
    event: Event,
    store: Store,
    turns: Mapping[str, int],
    progress: RunProgress,
    again: Collection[str],
) -> None:
    task, outcome = event.task, event.outcome
    progress.jobs = event.jobs or progress.jobs
    progress.lost_workers += event.lost
    if event.standing is not None:
        progress.standing[task.key] = event.standing
        return
    progress.standing.pop(task.key, None)
    if outcome is None:
        if task.key in progress.running:
            progress.begun_again[task.key] += 1
        progress.running[task.key] = task
        return
    begun = progress.begun_again[task.key]
    if begun:
        outcome = replace(outcome, facts={**outcome.facts, BEGUN_AGAIN: begun})
    if outcome.ending == "done" or task.key not in again:
        store.add(task.key, task.name, task.inputs, outcome, turn=turns[task.key])
    else:
        progress.unkept[task.name] = outcome.reason or ""
    progress.running.pop(task.key, None)
    progress.left.remove(task.key)
    progress.last = (task, outcome)
    if outcome.ending == "done":
        progress.done += 1
    else:
        progress.failed += 1
