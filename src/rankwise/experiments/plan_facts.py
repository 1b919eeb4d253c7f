"""What running an experiment would do: its tasks, what is left of them, how long they may take."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rankwise.experiments.bench_run import DEFAULT_STORE
from rankwise.experiments.estimates import Remaining, estimate_seconds
from rankwise.experiments.experiment import Experiment
from rankwise.experiments.runner import find_pending, match_stored
from rankwise.files import is_file
from rankwise.processors import processors
from rankwise.results.store.store import Store
from rankwise.results.task_records import KeptItem, Subject
from rankwise.tabular import Rows, Tabular, shortened


@dataclass(frozen=True)
class PlannedMethod:
    """A method on a data set: how many tasks it is, and trainings in them."""

    collection: str
    dataset: str
    version: str | None
    method: str
    tasks: int
    trainings: int

    @property
    def subject(self) -> Subject:
        """The data set."""
        return Subject(self.collection, self.dataset, self.version)


@dataclass(frozen=True)
class PlanFacts(Tabular):
    """What of a plan is left to do, and how long it may take.

    Attributes:
        name: of the experiment.
        store: where it would be kept.
        tasks: how many there are, of which so many are `done`, `failed` and `to_do`.
        trainings: how many the tasks to do have.
        seconds: by earlier runs, None where nothing is known.
        tasks_without_estimate: those of which nothing is known.
        methods: the tasks by data set and method.
        again: of those to do, how many are done, but without a model or scores to be kept.
    """

    name: str
    store: str
    tasks: int
    done: int
    failed: int
    to_do: int
    trainings: int
    seconds: float | None
    tasks_without_estimate: int
    methods: tuple[PlannedMethod, ...]
    again: int = 0

    def __repr__(self) -> str:
        return shortened(f"Plan {self.name!r}: {self.to_do} of {self.tasks} tasks to do")

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    def _table(self) -> Rows:
        titles = tuple(PlannedMethod.__dataclass_fields__)
        return titles, [tuple(asdict(one).values()) for one in self.methods]


def foresee(
    experiment: Experiment,
    store: str | Path = DEFAULT_STORE,
    *,
    retry: bool = False,
    jobs: int | None = None,
) -> PlanFacts:
    """What running an experiment would do, without doing it."""
    plan, target = experiment.plan, Path(store)
    endings: dict[str, str] = {}
    kept: list[KeptItem] = []
    typical: dict[tuple[str, str], float] = {}
    if is_file(target):
        with Store.read(target) as opened, opened.snapshot():
            endings, typical = opened.endings(), opened.typical_seconds()
            kept = opened.kept(superseded=True)
            plan = match_stored(plan, opened)
    left = find_pending(plan, endings, kept, retry=retry)
    seconds = estimate_seconds(left.tasks, typical)
    counts = Counter((Subject.of(task.name), task.name.method) for task in plan.tasks)
    trials = Counter[tuple[Subject, str]]()
    for task in plan.tasks:
        trials[Subject.of(task.name), task.name.method] += task.trainings
    return PlanFacts(
        name=plan.name,
        store=str(target),
        tasks=len(plan.tasks),
        done=left.done,
        failed=left.failed,
        to_do=len(left.tasks),
        trainings=sum(task.trainings for task in left.tasks),
        seconds=Remaining(seconds, seconds).seconds(jobs or processors()) if seconds else None,
        tasks_without_estimate=len(left.tasks) - len(seconds),
        methods=tuple(
            PlannedMethod(*subject, method, count, trials[subject, method])
            for (subject, method), count in counts.items()
        ),
        again=len(left.again),
    )
