"""Methods that are known by their scores only, kept in a store beside those that were trained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankwise.comparison.scored_systems import fill_pattern
from rankwise.data.formats.score_files import read_scores
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.experiments.digests import compute_file_checksum, make_task_key
from rankwise.experiments.planning import ExperimentPlan, Task
from rankwise.experiments.resources import describe_environment
from rankwise.experiments.running.task_run import evaluate_scores, pack_scores
from rankwise.results.store.store import Store
from rankwise.results.task_records import KeptName, Subject, TaskName, TaskOutcome

SCORES = "scores"
"""What stands for the ranker of such a method."""


def find_score_files(plan: ExperimentPlan, scored: Mapping[str, str | Path]) -> dict[str, Scored]:
    """By key every method that `scored` names on every fold of the plan, with its score file.

    A pattern has `{fold}` where the number of the fold stands, and `{dataset}` where the plan has
    several data sets. Files that are not there are found here, before anything is run.
    """
    folds: dict[Subject, dict[int, Task]] = {}
    for task in plan.tasks:
        folds.setdefault(Subject.of(task.name), {}).setdefault(task.name.fold, task)
    taken = {task.name.method for task in plan.tasks}
    found: dict[str, Scored] = {}
    for name, pattern in scored.items():
        if name in taken:
            raise RankwiseError(f"the plan already has a method called {name}; call yours another")
        _check_pattern(str(pattern), len(folds))
        for subject, tasks in folds.items():
            text = str(pattern).replace("{dataset}", subject.dataset)
            files = {fold: fill_pattern(text, fold, len(tasks)) for fold in tasks}
            sums = {str(fold): compute_file_checksum(path) for fold, path in files.items()}
            made = [Scored(name, tasks[fold], files[fold], sums) for fold in tasks]
            found |= {one.key: one for one in made}
    return found


def keep_scored(found: Mapping[str, Scored], store: Store) -> None:
    """Evaluate the scores of methods as the plan evaluates its own, and keep what came out."""
    with store.snapshot():
        known, kept = store.endings(), {item.key for item in store.kept(superseded=True)}
    for key, one in found.items():
        if known.get(key) != "done" or (one.keeps_scores and key not in kept):
            store.add(key, one.name, one.inputs, one.evaluate())


class Scored:
    """One method's scores on one fold; `task` is a task of the plan on the same fold.

    `checksums` are those of the score files of all folds: they make one method together, so that
    a change of one file is a change of the method.
    """

    def __init__(self, method: str, task: Task, path: Path, checksums: Mapping[str, str]) -> None:
        self.path = path
        self._task = task
        self._checksums = checksums
        there = task.name
        self.name = TaskName(
            there.collection, there.dataset, there.version, there.fold, method, SCORES, 0,
            there.tool,
        )  # fmt: skip

    @property
    def inputs(self) -> dict[str, Any]:
        """Everything that the figures depend on."""
        return {
            "data": self._task.rows,
            "fold": self.name.fold,
            "ranker": SCORES,
            SCORES: dict(self._checksums),
            "method": self.name.method,
            "seed": 0,
            "measures": list(self._task.measures),
            "tools": list(self._task.tools),
        }

    @property
    def key(self) -> str:
        """The digest of `inputs`."""
        return make_task_key(self.inputs)

    @property
    def keeps_scores(self) -> bool:
        """Whether the store is to have the scores too."""
        return "scores" in self._task.keep

    def evaluate(self) -> TaskOutcome:
        """The values of the scores on the test part."""
        test = read(self._task.files.test)
        scores = read_scores(self.path, test.n_documents).values
        values = tuple(evaluate_scores(self._task, scores, "test", test))
        kept: dict[KeptName, bytes] = {}
        if self.keeps_scores:
            kept["test scores"] = pack_scores(scores)
        return TaskOutcome("done", values=values, kept=kept, environment=describe_environment())


def _check_pattern(pattern: str, datasets: int) -> None:
    if datasets > 1 and "{dataset}" not in pattern:
        raise RankwiseError(
            f"scores of {datasets} data sets need {{dataset}} in the name of their files, as in "
            f"'{{dataset}}/fold{{fold}}.scores'; found {pattern[:80]!r}"
        )
