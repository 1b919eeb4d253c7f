"""Tuning one ranker on one data set: trials within a budget, a model and a table of them.

With a validation part the same part chooses the round of each training and the trial, as in
`bench`. In cross-validation the queries are cut into parts, each part judges a model that learnt
from all others, and chooses nothing within that training: the model at the end, which learns from
all queries, is then trained as those that were judged. Each combination is trained and judged once,
and kept in a store.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from rankwise.arguments import parse_seconds
from rankwise.data.catalog.home import locate
from rankwise.data.dataset import Dataset
from rankwise.data.folds import find_folds
from rankwise.errors import Advice, RankwiseError
from rankwise.experiments.configuration import RankerChoice
from rankwise.experiments.digests import digest_code, digest_dataset, make_task_key
from rankwise.experiments.fitting import Data, read_parts
from rankwise.experiments.leaks import refuse_shared
from rankwise.experiments.parameter_search import (
    PARTS,
    Combination,
    Search,
    SearchRange,
    Selection,
    compute_merit,
    cross_validation,
    evaluate_model,
    settle_selection,
)
from rankwise.experiments.planning import check_measures, list_coded, settle_search
from rankwise.experiments.resources import describe_environment, forget_peak, measure_peak_bytes
from rankwise.experiments.running.task_run import record_failures
from rankwise.experiments.search_methods import Asking, find_search_method
from rankwise.files import is_folder
from rankwise.measures.tools.registry import find_tool
from rankwise.models.model import Model
from rankwise.rankers.parameters import write_settings
from rankwise.rankers.ranker import Watch, add_remarks, never_stop, sharing_preparations
from rankwise.rankers.registry import find_ranker, make_ranker
from rankwise.rankers.round_measures import usual_measure
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome, Tried
from rankwise.tables.notebook import Rows, Tabular, shortened

Interval = SearchRange | tuple[float, float] | tuple[float, float, str]


@dataclass(frozen=True)
class TuningProgress:
    """How a tuning stands after a trial; `share` of its budget is spent, None without a bound."""

    trials: tuple[Trial, ...]
    best: Trial | None
    share: float | None


OnTrial = Callable[[TuningProgress], None]


@dataclass(frozen=True, eq=False)
class TuningResult(Tabular):
    """A model, and the trials that led to it.

    Attributes:
        model: the ranker with the parameters of `best`, trained.
        ranker: its name.
        method: how combinations were searched.
        measure, tool: what chose, as whose convention has it.
        folds: of cross-validation; 1 with a validation part.
        best: the trial with the best value, the first of equals.
        trials: all of them, in order.
        store: where they are kept, if anywhere.
    """

    model: Model
    ranker: str
    method: str
    measure: str
    tool: str
    folds: int
    best: Trial
    trials: tuple[Trial, ...]
    store: Path | None

    def __repr__(self) -> str:
        return shortened(
            f"TuningResult of {self.ranker}: {self.measure} {self.best.value:.4f} by "
            f"{dict(self.best.parameters)}, trial {self.best.number} of {len(self.trials)}"
        )

    @property
    def varied(self) -> tuple[str, ...]:
        """The parameters of which more than one value was tried."""
        values: dict[str, list[Any]] = {}
        for trial in self.trials:
            for name, value in trial.parameters.items():
                seen = values.setdefault(name, [])
                if value not in seen:
                    seen.append(value)
        return tuple(name for name, seen in values.items() if len(seen) > 1)

    def as_dict(self) -> dict[str, Any]:
        """Everything but the model, as plain values; whether a trial was kept is of this call."""
        listed = [
            {name: one for name, one in vars(trial).items() if name != "kept"}
            for trial in self.trials
        ]
        return {
            "ranker": self.ranker,
            "method": self.method,
            "measure": self.measure,
            "tool": self.tool,
            "folds": self.folds,
            "best": self.best.number,
            "trials": [{**one, "figures": list(one["figures"])} for one in listed],
        }

    def _table(self) -> Rows:
        varied = self.varied
        rows = [
            (one.number, *(one.parameters.get(name) for name in varied), one.value, one.seconds,
             one.reason)
            for one in self.trials
        ]  # fmt: skip
        return ("trial", *varied, self.measure, "seconds", "reason"), rows


def tune(
    ranker: str,
    train: Data,
    validation: Data | None = None,
    *,
    folds: int | None = None,
    method: str = "grid",
    fixed: Mapping[str, Any] | None = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    draw: Mapping[str, Interval] | None = None,
    trials: int | None = None,
    time: float | str | None = None,
    measure: str | None = None,
    tool: str = "definition",
    seed: int = 0,
    store: str | Path | None = None,
    retry: bool = False,
    zero_based: bool = False,
    class_column: int | str | None = None,
    relations: Sequence[str | Path] = (),
    watch: Watch = never_stop,
    progress: OnTrial = lambda standing: None,
) -> TuningResult:
    """Choose the parameters of a ranker on validation queries, and train it with them.

    The same call with the same store continues a tuning that was ended by anything, and comes to
    what it would have come to without that.

    Args:
        ranker: a registered name, or your own as `module:Name`.
        train: the data to learn from, or a folder with a training and a validation part.
        validation: data that choose the trial, and the round within each.
        folds: into how many parts to cut the queries of `train` where there are no validation
            data; by default 5.
        method: `grid`, `random` or `optuna`.
        fixed: parameters that have one value.
        grid: values that replace the declared ones, by parameter.
        draw: parameters that are drawn: (low, high), or (low, high, "logarithmic").
        trials: how many at most.
        time: after how much training time no trial is begun: seconds, or `10m`. What an earlier
            call spent on the same trials counts.
        measure: what chooses; the usual one of the tool, MAP, unless it has none. Where it is
            given it chooses the round as well.
        tool: whose convention of it.
        seed: of the search, of the cutting, and of methods that draw random numbers.
        store: a file that keeps every trial; without one nothing is kept.
        retry: try trials again that failed before.
        zero_based, class_column, relations: as for `fit`.
        watch: is told after every round of every training.
        progress: is told after every trial.
    """
    convention = find_tool(tool).name
    selection = Selection(measure or usual_measure(convention), convention)
    check_measures((selection.measure,), (convention,))
    chosen = find_search_method(method)
    seconds = None if time is None else parse_seconds(time)
    _check_budget(chosen.endless, method, trials, seconds)
    search = settle_search(
        RankerChoice(
            ranker, ranker,
            Search(dict(fixed or {}), dict(grid or {}), _read_intervals(draw or {}), trials if
                   method == "random" else None, seed),
            measure, convention,
        ),
        convention,
    )  # fmt: skip
    searching = chosen.begin(find_ranker(ranker), search, trials)
    parts, name = _find_parts(train, validation, folds)
    remarks: list[str] = []
    if len(parts) == 1 and folds is None:
        folds = PARTS
        remarks.append(
            f"there are no validation data: values are means over {folds} parts of the training "
            "queries, each judged by what learnt from the others"
        )
    data = read_parts(
        *parts, zero_based=zero_based, class_column=class_column, say=remarks.append,
        relations=relations, ranker=make_ranker(ranker, **search.fixed),
    )  # fmt: skip
    for validated in data[1:]:
        refuse_shared(data[0], validated)
    judged = "training" if folds is not None else "validation"
    selection, odd = settle_selection(selection, data[-1], judged)
    remarks += odd
    cut, facts = _cut_into_folds(data, folds, seed)
    question = TrialQuestion(ranker, selection, seed, name, facts)
    with ExitStack() as stack:
        opened = None if store is None else stack.enter_context(Store.open(store))
        stack.enter_context(sharing_preparations())
        runner = TrialRunner(question, cut, opened, retry, watch)
        found = _run_trials(searching, runner, trials, seconds, progress)
        best = _find_best(found, selection)
        model = _train_best(runner, best, data, folds is not None)
    equals = sum(one.value == best.value for one in found)
    if equals > 1:
        remarks.append(f"{equals} trials have the best value: the first of them is taken")
    if remarks:
        model = replace(model, facts=add_remarks(model.facts, remarks))
    return TuningResult(
        model, ranker, method, selection.measure, convention, len(cut), best, tuple(found),
        None if store is None else Path(store),
    )  # fmt: skip


def _check_budget(endless: bool, method: str, trials: int | None, seconds: float | None) -> None:
    if trials is not None and trials < 1:
        raise RankwiseError(f"there must be at least one trial, found {trials}")
    if endless and trials is None and seconds is None:
        raise RankwiseError(
            f"the search method {method} has no end of its own, found no budget",
            Advice("give {}", "trials", "N"),
            Advice("give {}", "time", "10m"),
        )


def _read_intervals(given: Mapping[str, Interval]) -> dict[str, SearchRange]:
    found = {}
    for name, one in given.items():
        if isinstance(one, SearchRange):
            found[name] = one
        elif len(one) in (2, 3) and (len(one) == 2 or one[2] in ("log", "logarithmic")):
            found[name] = SearchRange(float(one[0]), float(one[1]), len(one) == 3)
        else:
            raise RankwiseError(
                f"an interval must be (low, high) or (low, high, 'logarithmic'), found {one!r} "
                f"for {name}"
            )
    return found


def _find_parts(train: Data, validation: Data | None, folds: int | None) -> tuple[list[Data], str]:
    """What is read, and what it is called; the test part of a folder is never opened."""
    name = "data" if isinstance(train, Dataset) else Path(train).name
    if validation is not None and folds is not None:
        raise RankwiseError(
            "a validation part or cross-validation chooses, found both; leave one of them out"
        )
    alone = validation is None and folds is None
    if alone and not isinstance(train, Dataset) and is_folder(locate(train)):
        found = find_folds(train)
        if len(found) > 1:
            raise RankwiseError(
                f"{train} must hold one training and one validation part, found {len(found)} "
                f"folds; name one of them, {found[0].train.parent}, or tune on each by "
                "'rankwise bench'"
            )
        fold = found[0]
        return [fold.train, *([] if fold.validation is None else [fold.validation])], name
    return [train] if validation is None else [train, validation], name


def _cut_into_folds(
    data: Sequence[Dataset], folds: int | None, seed: int
) -> tuple[list[TrialFold], dict[str, Any]]:
    """The folds, and what their data are in digests."""
    digests = [digest_dataset(one) for one in data]
    if folds is None:
        facts = dict(zip(("train", "validation"), digests, strict=True))
        return [TrialFold(1, data[0], data[1], True)], facts
    if folds < 2:
        raise RankwiseError(f"cross-validation needs at least 2 folds, found {folds}")
    cut = [
        TrialFold(number, train, part, False)
        for number, (train, part) in enumerate(cross_validation(data[0], folds, seed), 1)
    ]
    return cut, {"whole": digests[0], "parts": str(folds), "cut": str(seed)}


def _run_trials(
    searching: Asking,
    runner: TrialRunner,
    trials: int | None,
    seconds: float | None,
    progress: OnTrial,
) -> list[Trial]:
    selection = runner.question.selection
    found: list[Trial] = []
    spent = 0.0
    while (trials is None or len(found) < trials) and (seconds is None or spent < seconds):
        combination = searching.ask()
        if combination is None:
            break
        trial = runner.run(len(found) + 1, combination)
        searching.tell(None if trial.value is None else compute_merit(trial.value, selection))
        found.append(trial)
        spent += trial.seconds
        shares = [
            done / whole
            for done, whole in ((float(len(found)), trials), (spent, seconds))
            if whole is not None
        ]
        best = max(found, key=lambda one: compute_merit(one.value, selection))
        progress(TuningProgress(tuple(found), best, max(shares, default=None)))
    return found


def _find_best(found: Sequence[Trial], selection: Selection) -> Trial:
    """The best, the first of equals; without any the reason of the last is raised."""
    valued = [one for one in found if one.value is not None]
    if not valued:
        reason = found[-1].reason if found else "there is no combination to try"
        raise RankwiseError(f"none of {len(found)} trials has a value: {reason}")
    return max(valued, key=lambda one: compute_merit(one.value, selection))


def _train_best(runner: TrialRunner, best: Trial, data: Sequence[Dataset], crossed: bool) -> Model:
    """The model of the best trial, as it was judged, or trained on all queries."""
    question = runner.question
    merit = compute_merit(best.value, question.selection)
    if not crossed and runner.best is not None and runner.best[0] == merit and not best.kept:
        return runner.best[1]
    ranker = make_ranker(question.ranker, **best.parameters)
    return ranker.fit(*data, seed=question.seed, watch=runner.watch)


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
class _StoredTraining:
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
    _known: dict[str, _StoredTraining] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.store is None:
            return
        with self.store.snapshot():
            for task in self.store.tasks(superseded=True):
                if task.ending == "done" or not self.retry:
                    tried = self.store.tried(task.number)
                    value = tried[0].value if tried else None
                    self._known[task.key] = _StoredTraining(value, task.seconds, task.reason)

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
    ) -> _StoredTraining:
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
        return _StoredTraining(value, outcome.seconds, outcome.reason)

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
