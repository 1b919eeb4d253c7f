"""Condense what an experiment ran, in its store, into the dense table, a few small files.

A mean is given only over all folds of the data set and all seeds that the method was run with
there; what lacks one of these is listed with its reason, as are the runs that were never made. What
the data sets are like is read off the data themselves. Methods get the names that they have in
print. The same store gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from rankwise.data.catalog.entries import find_published_folds
from rankwise.data.folds import FoldFiles, read_fold
from rankwise.data.sources import find_source
from rankwise.errors import RankwiseError
from rankwise.files import compute_checksum
from rankwise.measures.measure import sort_measures
from rankwise.results.benchmark_runs import (
    QUERY_MEASURES,
    QUERY_TOOL,
    SOURCE,
    DenseData,
    DenseQueries,
    DenseRun,
    DenseTable,
    write_dense,
)
from rankwise.results.published.published_tables import SURVEY, read_shipped
from rankwise.results.result_table import ResultTable
from rankwise.results.store.store import Store
from rankwise.results.store.stored_values import escape_names, make_table
from rankwise.results.task_records import QueryValues, StoredTask, Subject, TaskName, TaskValue

Cell = tuple[Subject, str]
Homes = Mapping[tuple[int, str], tuple[int, str]]
"""The fold and id of every query, and where it stood first."""
"""A data set and a method."""


def condense_store(
    store: str | Path, folder: str | Path | None = None, *, data: Sequence[str | Path] = ()
) -> DenseTable:
    """The dense table of the store of an experiment, written into `folder` where one is given.

    Args:
        store: the store of an experiment with values by the tool `definition`.
        folder: where `rankwise_dense.csv` and the files beside it are written.
        data: folders of folds, or names of the data home, that the store was run on: only they
            know how many documents and features there are. They are recognised by their bytes.
    """
    with Store.read(store) as opened, opened.snapshot():
        tasks, values = opened.tasks(), opened.values()
        if not any(one.tool == QUERY_TOOL for one in values):
            raise RankwiseError(
                f"{store} must have values by the tool {QUERY_TOOL}, found none; run the "
                f"experiment again: 'rankwise bench --tool own,{QUERY_TOOL}'"
            )
        trainings = opened.trainings()
        inputs = {
            (Subject.of(task.name), task.name.fold): opened.origin(task.number)["inputs"]["data"]
            for task in {(Subject.of(one.name), one.name.fold): one for one in tasks}.values()
        }
        per_query = _read_per_query(opened)
        homes = _find_homes(opened, per_query)
    called = _name_methods(tasks)
    folds = find_folds(tasks)
    runs = list_runs(tasks, values, trainings, folds, called)
    lacking = {(run.subject, run.method) for run in runs if run.failure}
    table = DenseTable(
        _average_values(values, called, lacking, folds),
        tuple(runs),
        tuple(describe_data(data, folds, inputs)),
        tuple(_list_queries(per_query, homes, folds, called, lacking)),
    )
    if folder is not None:
        write_dense(table, folder)
    return table


def read_store_queries(store: str | Path) -> tuple[DenseQueries, ...]:
    """The values query by query of the methods of a store that have all folds and seeds.

    Methods are called as in the store. None where it has no such values by the definition.
    """
    with Store.read(store) as opened, opened.snapshot():
        tasks = opened.tasks()
        per_query = _read_per_query(opened)
        homes = _find_homes(opened, per_query)
    called = {task.name.method: escape_names(task.name).method for task in tasks}
    folds = find_folds(tasks)
    runs = list_runs(tasks, (), {}, folds, called)
    lacking = {(run.subject, run.method) for run in runs if run.failure}
    return tuple(_list_queries(per_query, homes, folds, called, lacking))


def _name_methods(tasks: Iterable[StoredTask]) -> dict[str, str]:
    """What each method of the store is called in the table; no two alike."""
    found: dict[str, str] = {}
    for task in tasks:
        method, ranker = task.name.method, task.name.ranker
        own = escape_names(task.name).method
        found[method] = name_in_survey(ranker) if method == ranker else own
    twice = [name for name in found.values() if list(found.values()).count(name) > 1]
    if twice:
        raise RankwiseError(
            f"two methods of the store would be called {twice[0]} in the table; run one of them "
            "under another name"
        )
    return found


def _average_values(
    values: Sequence[TaskValue],
    called: Mapping[str, str],
    lacking: Collection[Cell],
    folds: Mapping[Subject, Sequence[int]],
) -> ResultTable:
    """The means over folds and seeds of what is complete, by every tool, as experiments print."""
    complete = [
        one._replace(name=replace(one.name, method=called[one.name.method]))
        for one in values
        if (Subject.of(escape_names(one.name)), called[one.name.method]) not in lacking
    ]
    place = place_measures(values)
    complete.sort(
        key=lambda one: (
            sort_subject(Subject.of(one.name)), one.name.method.casefold(), one.name.method,
            place[one.measure], one.tool, one.name.fold, one.name.seed,
        )
    )  # fmt: skip
    table = make_table(complete, all_tools=True)
    means = table.aggregate_folds(partial=True)
    notes = _describe_means(table, means)
    return replace(
        means,
        fold=np.array(
            [_name_folds(subject, folds[subject]) for subject in _list_subjects(means)],
            dtype=object,
        ),
        source=np.full(len(means), SOURCE, dtype=object),
        note=np.array(notes, dtype=object),
    )


def _list_subjects(table: ResultTable) -> list[Subject]:
    columns = zip(table.collection, table.dataset, table.version, strict=True)
    return [Subject(*cells) for cells in columns]


def _name_folds(subject: Subject, run: Sequence[int]) -> str | None:
    """The folds of a mean where the data set has more: it is no rival of published means."""
    there = find_published_folds(subject.collection, subject.dataset)
    return None if there is None or len(run) >= there else ", ".join(map(str, run))


def _describe_means(table: ResultTable, means: ResultTable) -> list[str]:
    """For each mean over how many folds and seeds it is."""
    cells: dict[tuple[object, ...], list[int]] = {}
    for row, key in enumerate(_list_cells(table)):
        cells.setdefault(key, []).append(row)
    notes = []
    for key in _list_cells(means):
        rows = cells[key]
        seeds = len(table.seeds[rows[0]])
        folds = f"{len(rows)} fold{'s' if len(rows) > 1 else ''}"
        notes.append(f"mean of {folds} and {seeds} seeds" if seeds > 1 else f"mean of {folds}")
    return notes


def _list_cells(table: ResultTable) -> list[tuple[object, ...]]:
    names = ("dataset_names", "version", "method", "measure", "tool")
    return list(zip(*(getattr(table, name).tolist() for name in names), strict=True))


def _read_per_query(store: Store) -> dict[str, dict[TaskName, QueryValues]]:
    there = set(store.query_measures(QUERY_TOOL))
    return {
        measure: store.per_query(measure, QUERY_TOOL)
        for measure in QUERY_MEASURES
        if measure in there
    }


def _find_homes(
    store: Store, per_query: Mapping[str, Mapping[TaskName, QueryValues]]
) -> dict[Subject, Homes]:
    """By data set where each query stood first; of those of several folds each counts once."""
    queries: dict[Subject, dict[int, dict[str, None]]] = {}
    shown: dict[Subject, Subject] = {}
    for tasks in per_query.values():
        for name, (ids, _) in tasks.items():
            own = queries.setdefault(Subject.of(name), {}).setdefault(name.fold, {})
            own.update(dict.fromkeys(ids))
            shown[Subject.of(name)] = Subject.of(escape_names(name))
    return {shown[one]: store.find_homes(one, folds) for one, folds in queries.items()}


def _list_queries(
    per_query: Mapping[str, Mapping[TaskName, QueryValues]],
    homes: Mapping[Subject, Homes],
    folds: Mapping[Subject, Sequence[int]],
    called: Mapping[str, str],
    lacking: Collection[Cell],
) -> list[DenseQueries]:
    found = []
    for subject in folds:
        own = {
            measure: {
                name: values
                for name, values in tasks.items()
                if Subject.of(escape_names(name)) == subject
                and (subject, called[name.method]) not in lacking
            }
            for measure, tasks in per_query.items()
        }
        if any(own.values()):
            found.append(_join_queries(subject, own, homes[subject], called))
    return found


def _join_queries(
    subject: Subject,
    own: Mapping[str, Mapping[TaskName, QueryValues]],
    homes: Homes,
    called: Mapping[str, str],
) -> DenseQueries:
    """The values of all methods in one order of queries: by fold, then as in the data."""
    tasks = next(iter(own.values()))
    queries = list(dict.fromkeys(
        homes[name.fold, query]
        for name in sorted(tasks, key=lambda name: name.fold)
        for query in tasks[name].query_ids
    ))  # fmt: skip
    methods = sorted(
        {called[name.method] for name in tasks}, key=lambda name: (name.casefold(), name)
    )
    place = {query: number for number, query in enumerate(queries)}
    values = {}
    for measure, of_tasks in own.items():
        sums = np.zeros((len(methods), len(queries)))
        counts = np.zeros_like(sums)
        for name, (ids, figures) in sorted(of_tasks.items(), key=lambda item: item[0].seed):
            row = methods.index(called[name.method])
            columns = [place[homes[name.fold, query]] for query in ids]
            sums[row, columns] += figures
            counts[row, columns] += 1
        with np.errstate(invalid="ignore"):
            values[measure] = sums / counts
    numbers = np.array([fold for fold, _ in queries], dtype=np.int64)
    names = tuple(query for _, query in queries)
    return DenseQueries(subject, tuple(methods), numbers, names, values)


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
                        else _fill_run(blank, task, trainings, measured)
                    )
    return runs


def _find_seeds(pairs: Iterable[tuple[object, int]]) -> dict[object, list[int]]:
    found: dict[object, set[int]] = {}
    for key, seed in pairs:
        found.setdefault(key, set()).add(seed)
    return {key: sorted(seeds) for key, seeds in found.items()}


def _fill_run(
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


Checksums = Mapping[str, str]
"""Of the files of a fold, by part."""


def describe_data(
    data: Sequence[str | Path],
    folds: Mapping[Subject, Sequence[int]],
    known: Mapping[tuple[Subject, int], Checksums],
) -> list[DenseData]:
    """The facts of every data set that was run; of those without data their folds only.

    `known` has the checksums of the files that a data set and fold was run on, by which given
    folders are recognised, whatever they are called.
    """
    facts: dict[Subject, DenseData] = {}
    for one in data:
        files, subject = _recognize_dataset(one, known)
        facts[subject] = _describe_dataset(subject, files, len(folds[subject]))
    return [
        facts.get(subject) or DenseData(*subject, None, None, None, None, None, len(numbers))
        for subject, numbers in folds.items()
    ]


def _recognize_dataset(
    data: str | Path, known: Mapping[tuple[Subject, int], Checksums]
) -> tuple[FoldFiles, Subject]:
    for files in find_source(data).folds():
        parts = {"train": files.train, "validation": files.validation, "test": files.test}
        own = {part: compute_checksum(path) for part, path in parts.items() if path is not None}
        for (subject, fold), checksums in known.items():
            if fold == files.number and checksums == own:
                return files, subject
    names = ", ".join(dict.fromkeys(subject.dataset for subject, _ in known))
    raise RankwiseError(
        f"{data} must hold the files that the store was run on ({names}), found others"
    )


def _describe_dataset(subject: Subject, files: FoldFiles, folds: int) -> DenseData:
    """All parts of one fold are the whole data set."""
    parts = [part for _, part in read_fold(files).parts()]
    labels = np.concatenate([part.labels for part in parts])
    return DenseData(
        *subject,
        queries=sum(part.n_queries for part in parts),
        documents=len(labels),
        features=max(part.n_features for part in parts),
        highest_label=int(labels.max()),
        relevant_share=float(np.mean(labels > 0)),
        folds=folds,
    )


_PRINTED_NAMES = {
    "CA": "coordinate-ascent",
    "Best Single Feature": "best-feature",
    "RandomForest": "random-forest",
    "Q.D.KNN": "qd-knn",
}
"""Names in print that are not the registered ones in other letters."""


def name_ranker(method: str) -> str:
    """What a ranker is called here whose method is called so in print, if there is one."""
    return _PRINTED_NAMES.get(method) or re.sub(r"[^a-z0-9]+", "-", method.lower()).strip("-")


def name_in_survey(ranker: str) -> str:
    """The name of a ranker in the comparison of Tax, Bockting and Hiemstra (2015).

    A ranker that is not compared there keeps its own name.
    """
    return _list_survey_names().get(ranker, ranker)


@cache
def _list_survey_names() -> dict[str, str]:
    return {name_ranker(method): method for method in read_shipped(SURVEY).methods()}
