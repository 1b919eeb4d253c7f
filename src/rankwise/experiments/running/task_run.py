"""Running one task: tune on training and validation data, then look at the test part once.

An experiment keeps models and scores of its tasks beside figures, where asked for. A kept model is
a model file and scores are numbers: nothing of either is run when it is read. They go the way of
all outcomes, from the worker to the process that writes the store, so that no worker needs a disk
that others see.

Files that a ranker of somebody's own reads in training are noted, as the key of a task may not
cover them. Python tells of every file that it opens (`sys.addaudithook`). What code in C opens by
itself is not seen, nor what was read before training began.
"""

from __future__ import annotations

import json
import math
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter, process_time
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold
from rankwise.errors import RankwiseError
from rankwise.experiments.digests import code_of
from rankwise.experiments.parameter_search import Chosen, TimeIsUp, tune
from rankwise.experiments.planning import Task
from rankwise.experiments.resources import describe_environment, forget_peak, measure_peak_bytes
from rankwise.experiments.running.shared_data import SharingFailure
from rankwise.experiments.transfer import learn_with_source, prepare_transfer, shrink
from rankwise.measures.evaluation import evaluate
from rankwise.models.model import Model
from rankwise.models.model_file import format_model
from rankwise.rankers.distributed import ClusterLost, SchedulerLost, SpreadData
from rankwise.rankers.ranker import Round, Watch, add_remarks, never_stop
from rankwise.rankers.registry import find_ranker
from rankwise.registry import describe_failure, is_own
from rankwise.results.store.stored_values import MOST_ARTIFACT_BYTES
from rankwise.results.task_records import (
    CHOICE,
    FailureKind,
    KeptName,
    Part,
    StoredValue,
    TaskOutcome,
)


@dataclass(frozen=True, eq=False)
class SpreadFold:
    """A fold whose training part lies in shares on the workers of a cluster."""

    train: SpreadData
    validation: Dataset | None
    test: Dataset


def run_task(
    task: Task,
    opened: Callable[[Task], Fold | SpreadFold],
    *,
    begun: Callable[[], None] = lambda: None,
    watch: Watch = never_stop,
    interruptible: bool = False,
) -> TaskOutcome:
    """How the task ended, whatever happens in it; `begun` is told when the data are at hand.

    Only what says that the run as a whole cannot go on goes through: `SharingFailure` and
    `SchedulerLost`, and Ctrl-C where the process is `interruptible` by it.
    """
    with record_failures("data", interruptible) as reading:
        fold = opened(task)
        source = _open_source(task, opened)
        reading.outcome = TaskOutcome("done")
    if reading.outcome.ending == "failed":
        return reading.outcome
    with record_failures("error", interruptible) as loading:
        _refuse_changed_code(task)
        loading.outcome = TaskOutcome("done")
    if loading.outcome.ending == "failed":
        return loading.outcome
    begun()
    forget_peak()
    clocks = perf_counter(), process_time()
    made: list[_Trained] = []
    with record_failures("error", interruptible) as trained:
        made.append(_train(task, fold, source, watch))
        trained.outcome = made[0].outcome
    outcome = _add_times(trained.outcome, *clocks)
    if not made or not task.keep:
        return outcome
    # Neither the time nor the memory of the method.
    with record_failures("error", interruptible) as keeping:
        kept = pack_kept(list_wanted(task), made[0].model, made[0].scores)
        keeping.outcome = replace(outcome, kept=kept)
    return keeping.outcome


@dataclass(frozen=True, eq=False)
class _Trained:
    """A task that came to its end: its outcome, and what may be kept of it."""

    outcome: TaskOutcome
    model: Model
    scores: Scores


@dataclass
class Recording:
    """What a guarded block leaves: its outcome, or the failure that ended it."""

    kind: FailureKind
    interruptible: bool = False
    outcome: TaskOutcome = field(
        default_factory=lambda: TaskOutcome.failure("error", "it did not end")
    )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is None:
            return False
        if self.interruptible and isinstance(error, KeyboardInterrupt):
            return False
        # Workers ignore Ctrl-C: an exit or an interruption is the method's own doing.
        if isinstance(error, SharingFailure | SchedulerLost | GeneratorExit):
            return False
        self.outcome = _describe_failure(error, self.kind)
        return True

    def __enter__(self) -> Recording:
        return self


def record_failures(kind: FailureKind, interruptible: bool = False) -> Recording:
    """The one place where any error ends: a method's defect must not stop the others."""
    return Recording(kind, interruptible)


class TimeLimit:
    """A limit that is looked at between rounds, for engines that cannot end a process."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.begin()

    def begin(self) -> None:
        """The time counts from now on."""
        self._begun = perf_counter()

    def watch(self, progress: Round) -> bool:
        """Raise when the time is up; never stops training otherwise."""
        if self.seconds is not None and perf_counter() - self._begun > self.seconds:
            raise TimeIsUp(f"it took longer than {self.seconds:g} seconds")
        return False


def _describe_failure(error: BaseException, kind: FailureKind) -> TaskOutcome:
    if isinstance(error, TimeIsUp):
        return TaskOutcome.failure("time", str(error))
    if isinstance(error, ClusterLost):
        return TaskOutcome.failure("killed", str(error))
    if isinstance(error, MemoryError):
        return TaskOutcome.failure("memory", f"there was not enough memory: {error}".rstrip(": "))
    if isinstance(error, RankwiseError):
        return TaskOutcome.failure(kind, str(error))
    return TaskOutcome.failure(kind, describe_failure(error))


def _open_source(task: Task, opened: Callable[[Task], Fold | SpreadFold]) -> Dataset | None:
    """The training part of the source, of tasks that learn from one."""
    step = task.transfer
    if step is None or step.source is None:
        return None
    train = opened(replace(task, files=step.source, checksums=step.checksums)).train
    if isinstance(train, SpreadData):
        raise RankwiseError("the source of a transfer cannot be spread over a cluster")
    return train


def _choose(task: Task, fold: Fold | SpreadFold, source: Dataset | None, watch: Watch) -> Chosen:
    """The model that validation chooses, with or without a source."""
    ranker, step, train = find_ranker(task.ranker), task.transfer, fold.train
    if step is not None and isinstance(train, Dataset):
        whole, train = train, shrink(train, step.share, task.seed)
        if source is not None:
            data = prepare_transfer(
                [source], train, fold.validation, kept_out=[whole, fold.test],
                absent=step.absent,
            )  # fmt: skip
            return learn_with_source(
                step.way, lambda one: ranker(**one), task.combinations, data, task.selection,
                seed=task.seed, watch=watch, clock=perf_counter,
            )  # fmt: skip
    return tune(ranker, task.combinations, train, fold.validation, task.selection,
                seed=task.seed, watch=watch, clock=perf_counter)  # fmt: skip


def _choose_noting_reads(
    task: Task, fold: Fold | SpreadFold, source: Dataset | None, watch: Watch
) -> tuple[Chosen, list[str]]:
    """The same, with a remark on files that an own ranker reads and its key does not cover."""
    if not is_own(task.ranker):
        return _choose(task, fold, source, watch), []
    with noting_reads() as opened:
        chosen = _choose(task, fold, source, watch)
    parts = (task.files.train, task.files.validation, task.files.test)
    given = [*code_of(task.ranker).files.values(), *(path for path in parts if path is not None)]
    return chosen, describe_uncovered(opened, given)


def _train(task: Task, fold: Fold | SpreadFold, source: Dataset | None, watch: Watch) -> _Trained:
    chosen, said = _choose_noting_reads(task, fold, source, watch)
    model = replace(chosen.model, facts=add_remarks(chosen.model.facts, said))
    parts: dict[Part, Dataset] = {"test": fold.test}
    if fold.validation is not None:
        parts["validation"] = fold.validation
    scores = {part: model.score(dataset) for part, dataset in parts.items()}
    remarks: list[str] = []
    values = [
        value
        for part, dataset in parts.items()
        for value in evaluate_scores(task, scores[part], part, dataset, say=remarks.append)
    ]
    facts = add_remarks(model.facts, remarks)
    if chosen.choice is not None:
        facts[CHOICE] = asdict(chosen.choice)
    outcome = TaskOutcome(
        "done",
        # What is not JSON is found here, where a failure is the task's own.
        parameters=json.loads(json.dumps(dict(model.parameters))),
        facts=json.loads(json.dumps(facts)),
        tried=chosen.tried,
        values=tuple(values),
    )
    return _Trained(outcome, model, scores)


def _refuse_changed_code(task: Task) -> None:
    """A process that starts in the middle of a run imports what the files have by then."""
    if task.code_now() != task.code:
        raise RankwiseError(
            f"the code of {task.ranker} must stay as it is while a plan runs, found that it has "
            "changed; give the same command again, which takes it as it is now"
        )


def evaluate_scores(
    task: Task,
    scores: NDArray[np.float64],
    part: Part,
    dataset: Dataset,
    say: Callable[[str], None] = lambda remark: None,
) -> Iterator[StoredValue]:
    """Every measure under every tool; values per query are kept of the test part only.

    `say` is told of measures that have one value on the test part whatever the ranking.
    """
    for tool in task.tools:
        found = evaluate(dataset, scores, task.measures, tool)
        for remark in found.remarks if part == "test" else ():
            say(f"on test {remark}")
        for name, result in found.results.items():
            if math.isnan(result.mean):
                continue
            kept = part == "test"
            yield StoredValue(
                part,
                tool,
                name,
                result.mean,
                tuple(result.query_ids) if kept else (),
                result.values if kept else None,
            )


def _add_times(outcome: TaskOutcome, wall: float, processor: float) -> TaskOutcome:
    return replace(
        outcome,
        seconds=perf_counter() - wall,
        cpu_seconds=process_time() - processor,
        peak_bytes=measure_peak_bytes(),
        environment=describe_environment(),
    )


Scores = Mapping[Part, NDArray[np.float64]]


def list_wanted(task: Task) -> set[KeptName]:
    """What a store must keep of a task by its plan."""
    wanted: set[KeptName] = set()
    if "models" in task.keep:
        wanted.add("model")
    if "scores" in task.keep:
        wanted.add("test scores")
        if task.files.validation is not None:
            wanted.add("validation scores")
    return wanted


def pack_kept(wanted: Iterable[KeptName], model: Model, scores: Scores) -> dict[KeptName, bytes]:
    """What is kept of a task that is done, in the order in which stores list it."""
    asked = set(wanted)
    found: dict[KeptName, bytes] = {}
    if "model" in asked:
        try:
            found["model"] = format_model(model).encode()
        except RankwiseError as error:
            raise RankwiseError(
                f"its model cannot be kept ({error}); leave models out of what is kept"
            ) from error
    found |= {what: pack_scores(scores[part]) for part, what in _KEPT_SCORES if what in asked}
    for what, content in found.items():
        if len(content) > MOST_ARTIFACT_BYTES:
            raise RankwiseError(
                f"its {what} cannot be kept: {len(content) >> 20} MB are more than the "
                f"{MOST_ARTIFACT_BYTES >> 20} MB that a store takes"
            )
    return found


def pack_scores(scores: NDArray[np.float64]) -> bytes:
    """Scores as stores keep them."""
    return np.asarray(scores, dtype="<f8").tobytes()


_KEPT_SCORES: tuple[tuple[Part, KeptName], ...] = (
    ("test", "test scores"),
    ("validation", "validation scores"),
)


_OPENED: list[set[Path]] = []
_CODE_ENDINGS = {".py", ".pyc", ".pyd", ".so", ".dll", ".dylib"}
_SYSTEM_FOLDERS = ("/dev", "/etc", "/proc", "/sys", "/usr/share")


@contextmanager
def noting_reads() -> Iterator[set[Path]]:
    """The files that are opened for reading while this holds."""
    _install_hook()
    found: set[Path] = set()
    _OPENED.append(found)
    try:
        yield found
    finally:
        _OPENED.remove(found)


def describe_uncovered(opened: Collection[Path], covered: Collection[Path]) -> list[str]:
    """A remark on files that are no code and no part of an installation, nor among the covered."""
    known = {path.resolve() for path in covered}
    names = sorted(
        str(path) for path in opened if _is_data_file(path) and path.resolve() not in known
    )
    if not names:
        return []
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return [
        f"training read {', '.join(names[:3])}{more}: what is kept of it stays when that changes; "
        "name it in `reads` of the ranker"
    ]


def _is_data_file(path: Path) -> bool:
    if path.suffix in _CODE_ENDINGS or any(part.startswith(".") for part in path.parts):
        return False
    places = [*_SYSTEM_FOLDERS, *sysconfig.get_paths().values(), sys.prefix, sys.base_prefix]
    return path.is_file() and not any(path.is_relative_to(place) for place in places)


@lru_cache(maxsize=1)
def _install_hook() -> None:
    """Once in a process: a hook cannot be removed."""
    sys.addaudithook(_note_opened)


def _note_opened(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not _OPENED:
        return
    path, mode = arguments[0], arguments[1]
    # Files that are opened by number were opened by name before.
    if isinstance(path, str) and (mode is None or not set(str(mode)) & set("wax+")):
        for found in _OPENED:
            found.add(Path(path).absolute())
