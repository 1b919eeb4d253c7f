"""How an experiment stands, as its store tells: which folds of which methods have ended, and how.

A store holds tasks that have ended; what is still to come it does not know. A method that has some
folds and lacks others of its data set, or some seeds, is taken to be under way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.results import Store, StoredTask, Subject, name_subjects


@dataclass(frozen=True)
class FoldStanding:
    """One fold with one seed of a method; `task` is None where it has not ended yet."""

    fold: int
    seed: int
    task: StoredTask | None

    @property
    def ending(self) -> str:
        """`done`, `failed` or `to come`."""
        return "to come" if self.task is None else self.task.ending

    @property
    def sentence(self) -> str:
        """What a reader is told of it."""
        return f"fold {self.fold}, seed {self.seed}: {self.ending}"


@dataclass(frozen=True)
class MethodStanding:
    """A method on a data set: its folds, and the seconds they took."""

    method: str
    folds: tuple[FoldStanding, ...]
    seconds: float

    def count(self, ending: str) -> int:
        """How many folds ended so."""
        return sum(one.ending == ending for one in self.folds)


@dataclass(frozen=True)
class SubjectStanding:
    """A data set with its methods in the order of the plan."""

    name: str
    methods: tuple[MethodStanding, ...]


@dataclass(frozen=True)
class StoreStanding:
    """All of a store: its data sets, how many tasks ended how, failures, sentences beside."""

    subjects: tuple[SubjectStanding, ...]
    done: int
    failed: int
    to_come: int
    failures: tuple[StoredTask, ...]
    last: str | None
    left_out: tuple[str, ...]


def find_standing(store: Store) -> StoreStanding:
    """How the tasks that count stand."""
    with store.snapshot():
        tasks, left_out = store.tasks(), store.explain_left_out()
    names = name_subjects(Subject.of(task.name) for task in tasks)
    by_subject: dict[Subject, list[StoredTask]] = {}
    for task in tasks:
        by_subject.setdefault(Subject.of(task.name), []).append(task)
    subjects = tuple(
        SubjectStanding(names[subject], _find_methods(own)) for subject, own in by_subject.items()
    )
    folds = [one for subject in subjects for method in subject.methods for one in method.folds]
    return StoreStanding(
        subjects,
        done=sum(one.ending == "done" for one in folds),
        failed=sum(one.ending == "failed" for one in folds),
        to_come=sum(one.ending == "to come" for one in folds),
        failures=tuple(task for task in reversed(tasks) if task.ending == "failed"),
        last=max((task.finished for task in tasks), default=None),
        left_out=tuple(left_out),
    )


def _find_methods(tasks: Sequence[StoredTask]) -> tuple[MethodStanding, ...]:
    cells = sorted({(task.name.fold, task.name.seed) for task in tasks})
    by_method: dict[str, dict[tuple[int, int], StoredTask]] = {}
    for task in tasks:
        by_method.setdefault(task.name.method, {})[task.name.fold, task.name.seed] = task
    return tuple(
        MethodStanding(
            method,
            tuple(FoldStanding(*cell, own.get(cell)) for cell in cells),
            sum(task.seconds for task in own.values()),
        )
        for method, own in by_method.items()
    )
