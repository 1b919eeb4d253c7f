"""Query tables read from stores: of a comparison, or of everything that a store holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.significance.query_table import QueryTable
from rankwise.errors import RankwiseError
from rankwise.evaluation.stored_systems import check_mean
from rankwise.measures.tools.registry import find_tool
from rankwise.results.result_table import full_name
from rankwise.results.store.store import Store
from rankwise.results.store.stored_values import PairedSystems
from rankwise.results.task_records import Subject

LEAST_METHODS = 2


def read_query_tables(comparison: Comparison) -> tuple[QueryTable, ...]:
    """Values per query of the methods and measures of a comparison, a table for each data set.

    Only stores keep them. Measures that are no means over queries are left out, and so are data
    sets on which fewer than two methods have the same queries.
    """
    found: dict[str, QueryTable] = {}
    there = set(comparison.table.methods())
    for path in comparison.stores:
        with Store.read(path) as store, store.snapshot():
            for subject, tool in _find_subjects(store).items():
                name = _find_name(comparison, subject)
                if name is None or name in found:
                    continue
                methods = [one for one in store.methods(subject) if one in there]
                short = name.removeprefix(f"{subject.collection} ")
                table = _read_table(store, subject, tool, methods, comparison.measures, short)
                if table is not None:
                    found[name] = table
    return tuple(found.values())


def read_store_tables(path: str | Path) -> dict[tuple[str, str | None], QueryTable]:
    """Values per query of all that a store holds, by the full name of a data set and its version.

    By each data set's own tool.
    """
    found = {}
    with Store.read(path) as store, store.snapshot():
        measures = list(dict.fromkeys(value.measure for value in store.values()))
        for subject, tool in _find_subjects(store).items():
            methods = store.methods(subject)
            table = _read_table(store, subject, tool, methods, measures, subject.dataset)
            if table is not None:
                name = full_name(subject.collection, subject.dataset)
                found[name, subject.version] = table
    return found


def _find_subjects(store: Store) -> dict[Subject, str]:
    """The data sets of a store, each with its own tool."""
    return {Subject.of(task.name): task.name.tool for task in store.tasks()}


def _find_name(comparison: Comparison, subject: Subject) -> str | None:
    """What the comparison calls the data set: versions stand apart where there are several."""
    plain = full_name(subject.collection, subject.dataset)
    forms = (f"{plain}, {subject.version}", plain) if subject.version else (plain,)
    there = set(comparison.table.datasets())
    return next((form for form in forms if form in there), None)


def _read_table(
    store: Store,
    subject: Subject,
    tool: str,
    methods: Sequence[str],
    measures: Sequence[str],
    name: str,
) -> QueryTable | None:
    """The table of one data set, or None where fewer than two methods can be compared."""
    if len(methods) < LEAST_METHODS:
        return None
    read: dict[str, PairedSystems] = {}
    for measure in measures:
        try:
            check_mean(measure, find_tool(tool).measure(measure).average)
            systems = store.paired(measure, tool, subject, methods)
        except RankwiseError:
            continue
        if len(systems.values) >= LEAST_METHODS:
            read[measure] = systems
    if not read:
        return None
    first = next(iter(read.values()))
    same = {key: each for key, each in read.items() if each.queries == first.queries}
    kept = [one for one in first.values if all(one in each.values for each in same.values())]
    return QueryTable(
        subject.collection,
        name,
        tool,
        tuple(kept),
        _name_queries(first.queries),
        {measure: _stack(each, kept) for measure, each in same.items()},
        tuple(dict.fromkeys(said for each in same.values() for said in each.sentences)),
    )


def _stack(systems: PairedSystems, methods: Sequence[str]) -> NDArray[np.float64]:
    return np.array([systems.values[method] for method in methods])


def _name_queries(queries: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """The ids, with their folds where two folds have queries of one id."""
    ids = [query for _, query in queries]
    if len(set(ids)) == len(ids):
        return tuple(ids)
    return tuple(f"{query} (fold {fold})" for fold, query in queries)
