"""The trials of a tuning: each combination is trained and judged once, and kept in a store."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter, process_time
from typing import Any

from rankwise.data.dataset import Dataset
from rankwise.experiments.environment import describe_environment, forget_peak, measure_peak_bytes
from rankwise.experiments.keys import digest_code, make_task_key
from rankwise.experiments.planning import list_coded
from rankwise.experiments.task_run import record_failures
from rankwise.experiments.tuning import Combination, Selection, compute_merit, evaluate_model
from rankwise.rankers.making import make_ranker
from rankwise.rankers.ranker import Model, Watch, never_stop
from rankwise.rankers.settings_text import write_settings
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome, Tried


@dataclass(frozen=True)
class Trial:
    """One combination that was tried.

    Attributes:
        number: its place, from 1.
        parameters: what was tried.
        value: the figure that chooses: the mean over the folds; None where there is none.
        figures: the figure of each fold, as far as it got.
        seconds: what training and judging took.
        reason: why it has no value.
        kept: whether the store, or an earlier trial, had it already.
    """

    number: int
    parameters: Mapping[str, Any]
    value: float | None
    figures: tuple[float | None, ...]
    seconds: float
    reason: str | None = None
    kept: bool = False


@dataclass(frozen=True, eq=False)
class TrialFold:
    """What one training of a trial sees, and what it is judged by.

    `validates` says whether the judged data also choose the round, as a validation part does.
    """

    number: int
    train: Dataset
    judged: Dataset
    validates: bool


@dataclass(frozen=True)
class TrialQuestion:
    """What all trials of a tuning share; `data` says in digests what they learn from."""

    ranker: str
    selection: Selection
    seed: int
    dataset: str
    data: Mapping[str, Any]

    def inputs(self, combination: Combination, fold: int) -> dict[str, Any]:
        """Everything that the figure depends on."""
        own, wrapped = list_coded(self.ranker, [combination], self.selection)
        return {
            "trial": True,
            "data": dict(self.data),
            "fold": fold,
            "ranker": self.ranker,
            "combinations": [combination],
            "selection": [self.selection.measure, self.selection.tool],
            "seed": self.seed,
            "code": digest_code(self.ranker, own, wrapped),
        }

    def name(self, combination: Combination, fold: int) -> TaskName:
        """What the trial is called in tables: a method is a ranker with its parameters."""
        method = f"{self.ranker} {write_settings(combination)}".rstrip()
        return TaskName("tuning", self.dataset, None, fold, method, self.ranker, self.seed,
                        self.selection.tool)  # fmt: skip


@dataclass(frozen=True)
class _Known:
    """How a training ended."""

    value: float | None
    seconds: float
    reason: str | None


@dataclass(eq=False)
class TrialRunner:
    """Runs trials, or finds them in the store; remembers the best model of a single fold."""

    question: TrialQuestion
    folds: Sequence[TrialFold]
    store: Store | None = None
    retry: bool = False
    watch: Watch = never_stop
    best: tuple[float, Model] | None = None
    _known: dict[str, _Known] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.store is None:
            return
        with self.store.snapshot():
            for task in self.store.tasks(superseded=True):
                if task.ending == "done" or not self.retry:
                    tried = self.store.tried(task.number)
                    value = tried[0].value if tried else None
                    self._known[task.key] = _Known(value, task.seconds, task.reason)

    def run(self, number: int, combination: Combination) -> Trial:
        """The trial of a combination; the first fold that fails is the last."""
        figures: list[float | None] = []
        seconds, kept, reason = 0.0, True, None
        for fold in self.folds:
            inputs = self.question.inputs(combination, fold.number)
            key = make_task_key(inputs)
            if key not in self._known:
                kept = False
                self._known[key] = self._train(key, inputs, combination, fold)
            known = self._known[key]
            seconds += known.seconds
            figures.append(known.value)
            reason = known.reason
            if known.value is None:
                reason = reason or "there is no query that the measure has a value of"
                break
        whole = [figure for figure in figures if figure is not None]
        value = None if reason is not None else math.fsum(whole) / len(whole)
        return Trial(number, combination, value, tuple(figures), seconds, reason, kept)

    def _train(
        self, key: str, inputs: Mapping[str, Any], combination: Combination, fold: TrialFold
    ) -> _Known:
        forget_peak()
        wall, processor = perf_counter(), process_time()
        with record_failures("error", interruptible=True) as recording:
            recording.outcome = self._judge(combination, fold)
        outcome = replace(
            recording.outcome,
            seconds=perf_counter() - wall,
            cpu_seconds=process_time() - processor,
            peak_bytes=measure_peak_bytes(),
            environment=describe_environment(),
        )
        value = outcome.values[0].mean if outcome.values else None
        tried = Tried(combination, value, outcome.seconds, outcome.reason)
        if self.store is not None:
            name = self.question.name(combination, fold.number)
            self.store.add(key, name, inputs, replace(outcome, tried=(tried,)))
        return _Known(value, outcome.seconds, outcome.reason)

    def _judge(self, combination: Combination, fold: TrialFold) -> TaskOutcome:
        selection = self.question.selection
        ranker = make_ranker(self.question.ranker, **combination)
        model = ranker.fit(
            fold.train,
            fold.judged if fold.validates else None,
            seed=self.question.seed,
            watch=self.watch,
        )
        figure = evaluate_model(model, fold.judged, selection)
        merit = compute_merit(figure, selection)
        if len(self.folds) == 1 and (self.best is None or merit > self.best[0]):
            self.best = (merit, model)
        values: tuple[StoredValue, ...] = ()
        if figure is not None and not math.isnan(figure):
            values = (StoredValue("validation", selection.tool, selection.measure, figure),)
        return TaskOutcome(
            "done",
            parameters=json.loads(json.dumps(dict(model.parameters))),
            facts=json.loads(json.dumps(dict(model.facts))),
            values=values,
        )
