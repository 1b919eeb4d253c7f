"""The runs of a store as a dense table lists them, with those that were never made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rankwise.literature.dense_table import QUERY_TOOL, DenseRun
from rankwise.measures.names import sort_measures
from rankwise.results.store_records import StoredTask, Subject, TaskValue
from rankwise.results.store_values import escape_names

NOT_RUN = "not run"


def find_folds(tasks: Iterable[StoredTask]) -> dict[Subject, list[int]]:
    """The folds of every data set, both sorted."""
    found: dict[Subject, set[int]] = {}
    for task in tasks:
        found.setdefault(Subject.of(escape_names(task.name)), set()).add(task.name.fold)
    return {subject: sorted(found[subject]) for subject in sorted(found, key=sort_subject)}


def list_runs(
    tasks: Sequence[StoredTask],
    values: Sequence[TaskValue],
    trainings: Mapping[int, int],
    folds: Mapping[Subject, Sequence[int]],
    called: Mapping[str, str],
) -> list[DenseRun]:
    """Every run by data set, method, seed and fold, those too that were never made."""
    place = place_measures(values)
    measured: dict[int, dict[str, float]] = {}
    for one in sorted(values, key=lambda one: place[one.measure]):
        if one.tool == QUERY_TOOL:
            measured.setdefault(one.task, {})[one.measure] = one.value
    done = {
        (Subject.of(escape_names(task.name)), called[task.name.method], task.name.seed,
         task.name.fold): task
        for task in tasks
    }  # fmt: skip
    rankers = {called[task.name.method]: task.name.ranker for task in tasks}
    everywhere = _find_seeds((method, seed) for _, method, seed, _ in done)
    here = _find_seeds(((subject, method), seed) for subject, method, seed, _ in done)
    runs = []
    for subject, numbers in folds.items():
        for method in sorted(rankers, key=lambda name: (name.casefold(), name)):
            for seed in here.get((subject, method)) or everywhere[method]:
                for fold in numbers:
                    task = done.get((subject, method, seed, fold))
                    blank = DenseRun(*subject, method, rankers[method], seed, fold, 0, 0.0, 0.0)
                    runs.append(
                        replace(blank, failure=NOT_RUN)
                        if task is None
                        else _fill(blank, task, trainings, measured)
                    )
    return runs


def _find_seeds(pairs: Iterable[tuple[object, int]]) -> dict[object, list[int]]:
    found: dict[object, set[int]] = {}
    for key, seed in pairs:
        found.setdefault(key, set()).add(seed)
    return {key: sorted(seeds) for key, seeds in found.items()}


def _fill(
    run: DenseRun,
    task: StoredTask,
    trainings: Mapping[int, int],
    measured: Mapping[int, Mapping[str, float]],
) -> DenseRun:
    failure = f"{task.kind}: {task.reason}" if task.ending == "failed" else ""
    return replace(
        run,
        trainings=trainings.get(task.number, 0),
        seconds=round(task.cpu_seconds, 2),
        peak_megabytes=round(task.peak_bytes / 1e6, 1),
        parameters=task.parameters,
        failure=" ".join(failure.split()),
        values=measured.get(task.number, {}),
    )


def sort_subject(subject: Subject) -> tuple[str, str, str]:
    """What data sets are sorted by."""
    return subject.collection, subject.dataset, subject.version or ""


def place_measures(values: Iterable[TaskValue]) -> dict[str, int]:
    """The place of every measure in the order that readers expect."""
    measures = sort_measures(sorted({one.measure for one in values}))
    return {measure: number for number, measure in enumerate(measures)}
