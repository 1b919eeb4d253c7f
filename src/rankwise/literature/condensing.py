"""The dense table of a store: what an experiment ran, condensed into a few small files.

A mean is told only over all folds of the data set and all seeds that the method was run with
there; what lacks one of these is told with its reason. The same store gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankwise.data.catalog.published import find_published_folds
from rankwise.errors import RankwiseError
from rankwise.literature.dense import write_dense
from rankwise.literature.dense_facts import describe_data
from rankwise.literature.dense_runs import (
    find_folds,
    list_runs,
    place_measures,
    sort_subject,
)
from rankwise.literature.dense_table import (
    QUERY_MEASURES,
    QUERY_TOOL,
    SOURCE,
    DenseQueries,
    DenseTable,
)
from rankwise.literature.method_names import name_in_survey
from rankwise.results.store import Store
from rankwise.results.store_records import QueryValues, StoredTask, Subject, TaskName, TaskValue
from rankwise.results.store_values import escape_names, make_table
from rankwise.results.table import ResultTable

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
        _average(values, called, lacking, folds),
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


def _average(
    values: Sequence[TaskValue],
    called: Mapping[str, str],
    lacking: Collection[Cell],
    folds: Mapping[Subject, Sequence[int]],
) -> ResultTable:
    """The means over folds and seeds of what is complete, by every tool, as experiments print."""
    complete = [
        _replace_method(one, called[one.name.method])
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


def _replace_method(value: TaskValue, method: str) -> TaskValue:
    return value._replace(name=replace(value.name, method=method))


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
