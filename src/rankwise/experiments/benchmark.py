"""Running an experiment: what the store already has is not run again.

What running it would do can be asked before: its tasks, what is left of them, how long they may
take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

from rankwise.experiments.planning import Experiment, ExperimentChoices, Task, plan
from rankwise.experiments.running.engine import Engine, EngineOptions
from rankwise.experiments.running.registry import find_engine
from rankwise.experiments.running.runner import (
    OnProgress,
    Remaining,
    clear_scratch,
    estimate_seconds,
    find_pending,
    get_scratch_folder,
    match_stored,
    refuse_engine,
    run_plan,
)
from rankwise.experiments.scored_methods import find_score_files, keep_scored
from rankwise.experiments.summary import DatasetSummary, summarize
from rankwise.files import is_file, make_folder
from rankwise.measures.measure import result_name
from rankwise.processes import processors
from rankwise.results.store.store import Store
from rankwise.results.task_records import (
    KeptItem,
    StoredTask,
    Subject,
    TaskChoice,
    TaskName,
    TaskValue,
)
from rankwise.tables.notebook import Rows, Tabular, shortened

DEFAULT_STORE = "results.sqlite"
DEFINITION = "definition"


@dataclass(frozen=True, eq=False)
class BenchRun(Tabular):
    """An experiment that was run.

    Attributes:
        experiment: what was asked for.
        store: the file that holds everything of it.
        done, failed: how many of its tasks ended how, now or before.
        values: the test figures of its tasks.
        failures: the tasks that failed, with the reasons.
        untrained: by method and reason, how many combinations could not be trained, so that the
            choice was among fewer than planned.
        lost_workers: how many workers were lost in the middle of tasks, of those that ran now.
        begun_again: how often tasks began again for that.
        choices: what chose in its tasks, and what their trainings had to remark.
        kept: the models and scores that the store keeps of its tasks.
        unkept: tasks that were done before, and failed when they were run again for what is to be
            kept of them, with the reasons; their figures are still there.
    """

    experiment: Experiment
    store: Path
    done: int
    failed: int
    values: tuple[TaskValue, ...]
    failures: tuple[StoredTask, ...]
    untrained: Mapping[tuple[str, str], int]
    lost_workers: int = 0
    begun_again: int = 0
    kept: tuple[KeptItem, ...] = ()
    unkept: Mapping[TaskName, str] = field(default_factory=dict)
    choices: tuple[TaskChoice, ...] = ()

    def __repr__(self) -> str:
        return shortened(
            f"BenchRun of {self.experiment.configuration.name!r}: {self.done} tasks done, "
            f"{self.failed} failed, in {self.store}"
        )

    def summaries(self, *, all_tools: bool = False) -> list[DatasetSummary]:
        """Means over folds for every data set, beside what was published.

        By the tool of each data set and, where it evaluated too, by the definition; or by all
        tools.
        """
        found = summarize(self.values, all_tools=True)
        if all_tools:
            return found
        own = {one.subject for one in summarize(self.values)}
        return [one for one in found if one.subject in own or one.tool == DEFINITION]

    def choosers(self) -> list[str]:
        """Sentences: by which measure, of which tool, parameters were chosen, and on what."""
        rules: dict[str, dict[str, None]] = {}
        equals: dict[str, int] = {}
        remarks: dict[str, dict[str, None]] = {}
        unvalidated = {task.name for task in self.experiment.plan.tasks
                       if task.files.validation is None}  # fmt: skip
        for one in self.choices:
            method = one.name.method
            rules.setdefault(_describe_choice(one, one.name in unvalidated), {})[method] = None
            if one.equals is not None and one.equals > 1:
                equals[method] = equals.get(method, 0) + 1
            for said in one.remarks:
                remarks.setdefault(said, {})[method] = None
        found = [
            rule + (f" for {', '.join(methods)}" if len(rules) > 1 else "")
            for rule, methods in rules.items()
        ]
        if equals:
            counts = ", ".join(f"{method} in {count} tasks" for method, count in equals.items())
            found.append(
                f"several combinations had the best value, the first of them is taken: {counts}"
            )
        return [*found, *(f"{', '.join(methods)}: {said}" for said, methods in remarks.items())]

    def studies(self) -> list[str]:
        """The scripts of the repository that compare conventions of training, or transfer."""
        conventions: dict[tuple[Subject, str], set[str]] = {}
        for task in self.experiment.plan.tasks:
            trained = conventions.setdefault((Subject.of(task.name), task.ranker), set())
            trained.add(task.selection.tool)
        several = any(len(trained) > 1 for trained in conventions.values())
        transfer = any(task.transfer is not None for task in self.experiment.plan.tasks)
        return [
            *(["studies/training_conventions.py"] if several else []),
            *(["studies/transfer_curves.py"] if transfer else []),
        ]

    def _table(self) -> Rows:
        columns = ("dataset", "version", "tool", "method", "folds", "measure", "value")
        return columns, [
            (one.dataset, one.version, one.tool, row.method, row.folds, measure, value)
            for one in self.summaries(all_tools=True)
            for row in one.rows
            for measure, value in zip(one.measures, row.figures, strict=True)
        ]


def _describe_choice(choice: TaskChoice, unvalidated: bool) -> str:
    rule = f"{choice.measure} by the tool {choice.tool}"
    if not unvalidated:
        return f"{rule} chose on validation"
    if choice.parts is None:
        return "without a validation part, and with one combination of parameters, nothing chose"
    return (
        f"without a validation part {rule} chose by cross-validation over {choice.parts} parts of "
        "the training queries"
    )


def bench(
    experiment: Experiment | str | Path | Mapping[str, Any] | None = None,
    *,
    store: str | Path | None = None,
    output: str | Path | None = None,
    engine: str | Engine = "local",
    jobs: int | None = None,
    scheduler: str | None = None,
    send_data: bool = False,
    wait: float | str | None = None,
    retry: bool = False,
    scored: Mapping[str, str | Path] | None = None,
    watch: OnProgress = lambda progress: None,
    **choices: Unpack[ExperimentChoices],
) -> BenchRun:
    """Run every ranker on every fold: tuned on validation, evaluated once on test.

    The same call continues a run after an interruption, a crash or a change of the plan. With
    `keep` the store keeps models or scores too; tasks that are done without them are run again.

    Args:
        experiment: a TOML file, the name of a shipped experiment, its content as a mapping, or what
            `plan` gave.
        store: the file that keeps all results, `results.sqlite` by default.
        output: a folder, which is made, for the store unless that is named.
        engine: a registered name, or an engine.
        jobs: tasks at a time; by default one a processor.
        scheduler: the address of a Dask cluster.
        send_data: whether workers receive the data instead of reading them.
        wait: how long a cluster without workers is waited for: seconds, or `10m`; by default two
            minutes.
        retry: try tasks again that failed before.
        scored: methods that are known by their scores: names with patterns of score files,
            `fold{fold}.scores`, which are evaluated and kept beside the others.
        watch: is told after every event how the run stands.
        choices: the further keywords, as `ExperimentChoices` describes them.
    """
    planned = experiment
    if not isinstance(planned, Experiment):
        planned = plan(planned, **choices)
    target = place_store(store, output)
    chosen = make_engine(engine, target, jobs, scheduler, send_data, wait)
    refuse_engine(planned.plan, chosen)
    given = find_score_files(planned.plan, scored or {})
    if output is not None:
        make_folder(output)
    asked = {task.name: task for task in planned.plan.tasks}
    with Store.open(target) as opened:
        planned = replace(planned, plan=match_stored(planned.plan, opened))
        expected = estimate_seconds(planned.plan.tasks, opened.typical_seconds())
        progress = run_plan(
            planned.plan, opened, chosen, planned.configuration.limits,
            retry=retry, expected=expected, watch=watch,
        )  # fmt: skip
        keep_scored(given, opened)
        clear_scratch(target)
    keys = {task.key for task in planned.plan.tasks} | set(given)
    with Store.read(target) as opened, opened.snapshot():
        failures = [task for task in opened.failures(superseded=True) if task.key in keys]
        return BenchRun(
            planned, target, progress.done, progress.failed,
            tuple(one for one in opened.values(keys=keys) if _is_asked(one, asked.get(one.name))),
            tuple(failures), opened.untrained_combinations(keys),
            progress.lost_workers, progress.begun_again.total(),
            tuple(item for item in opened.kept(superseded=True) if item.key in keys),
            progress.unkept,
            tuple(opened.choices({task.key for task in planned.plan.tasks})),
        )  # fmt: skip


def _is_asked(value: TaskValue, task: Task | None) -> bool:
    """Whether a value is among those that a plan asks of its task; it asks all of score files."""
    return task is None or (
        value.tool in task.tools and value.measure in {result_name(one) for one in task.measures}
    )


def place_store(store: str | Path | None, output: str | Path | None = None) -> Path:
    """Where a run is kept: in the file that is named, else in the folder of its output."""
    return Path(output or "") / DEFAULT_STORE if store is None else Path(store)


def make_engine(
    engine: str | Engine,
    store: str | Path,
    jobs: int | None = None,
    scheduler: str | None = None,
    send_data: bool = False,
    wait: float | str | None = None,
) -> Engine:
    """The engine of a name, for a run into a store."""
    if not isinstance(engine, str):
        return engine
    folder = get_scratch_folder(Path(store))
    options = EngineOptions(jobs or processors(), folder, scheduler, send_data, wait)
    return find_engine(engine).from_options(options)


def count_ended(experiment: Experiment, store: str | Path) -> int:
    """How many tasks of an experiment a store has."""
    if not is_file(store):
        return 0
    with Store.read(store) as opened:
        endings, matched = opened.endings(), match_stored(experiment.plan, opened)
    return sum(1 for task in matched.tasks if task.key in endings)


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
