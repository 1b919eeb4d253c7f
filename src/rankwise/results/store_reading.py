"""What a store holds: its tasks, its figures, values per query, and the table of results."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.measures.names import result_name
from rankwise.results.store import reading_store
from rankwise.results.store_records import StoredTask, Subject, TaskName, Tried, subject_names
from rankwise.results.table import ResultTable

_TASK = (
    "number, key, collection, dataset, version, fold, method, ranker, seed, tool, "
    "ending, kind, reason, parameters, seconds, cpu_seconds, peak_bytes, finished"
)
_NEWEST = "ORDER BY planned DESC, finished DESC, number DESC"
# Of the generations of a method on a data set the one counts that was asked for last, with its
# failures; of the data of a fold, those that any method was asked for last.
_CURRENT = f"""
  SELECT number FROM (
    SELECT number, generation, data,
      first_value(generation) OVER (
        PARTITION BY collection, dataset, version, method {_NEWEST}
      ) AS last_generation,
      first_value(data) OVER (PARTITION BY collection, dataset, version, fold {_NEWEST})
        AS last_data,
      row_number() OVER (
        PARTITION BY collection, dataset, version, method, fold, seed, generation, data {_NEWEST}
      ) AS place
    FROM tasks
  ) WHERE generation = last_generation AND data = last_data AND place = 1
"""


class Mean(NamedTuple):
    """The figure of one task on test (or validation), its measure by its name in tables.

    Stores hold the names that were asked for, those of former versions among them (`R@10` for
    `Recall@10`).
    """

    task: int
    name: TaskName
    part: str
    tool: str
    measure: str
    value: float


def stored_tasks(path: str | Path, *, superseded: bool = False) -> list[StoredTask]:
    """The tasks of a store in the order they ended; `superseded` ones only where asked for."""
    chosen = "" if superseded else f"WHERE number IN ({_CURRENT})"
    with reading_store(path) as connection:
        rows = connection.execute(f"SELECT {_TASK} FROM tasks {chosen} ORDER BY number").fetchall()
    return [_task(row) for row in rows]


def superseded_keys(connection: sqlite3.Connection) -> list[str]:
    """Keys of tasks whose name was run again, and done, with other inputs."""
    name = "collection, dataset, ifnull(version, ''), fold, method, seed"
    rows = connection.execute(
        f"WITH current AS ({_CURRENT}) SELECT key FROM tasks WHERE number NOT IN current "
        f"AND ({name}) IN (SELECT {name} FROM tasks WHERE ending = 'done' AND number IN current) "
        "ORDER BY number"
    )
    return [key for (key,) in rows]


def left_aside(path: str | Path, subject: Subject | None = None) -> list[str]:
    """Sentences about folds, or seeds of them, that a method has of something else only.

    Of other code, parameters, measures or data than were asked for last: they are no part of its
    figures. On one `subject`, or on all.
    """
    columns = "collection, dataset, version, method, fold, seed"
    with reading_store(path) as connection:
        rows = connection.execute(
            f"WITH current AS ({_CURRENT}) "
            f"SELECT {columns} FROM tasks WHERE ending = 'done' AND number NOT IN current EXCEPT "
            f"SELECT {columns} FROM tasks WHERE ending = 'done' AND number IN current "
            f"ORDER BY {columns}"
        ).fetchall()
        subjects = connection.execute("SELECT DISTINCT collection, dataset, version FROM tasks")
        names = subject_names(Subject(*own) for own in subjects)
    folds: dict[tuple[str, str], dict[str, None]] = {}
    for *own, method, fold, _ in rows:
        if subject in (None, Subject(*own)):
            folds.setdefault((method, names[Subject(*own)]), {})[str(fold)] = None
    return [
        f"{method} on {dataset}: left aside {len(found)} {'fold' if len(found) == 1 else 'folds'} "
        f"({', '.join(found)}) of other code, parameters, measures or data; run the experiment "
        "again to have them"
        for (method, dataset), found in folds.items()
    ]


def failed_keys(connection: sqlite3.Connection) -> list[str]:
    """Keys of tasks that failed."""
    return [key for (key,) in connection.execute("SELECT key FROM tasks WHERE ending = 'failed'")]


def stored_means(
    path: str | Path, *, part: str = "test", keys: Collection[str] | None = None
) -> list[Mean]:
    """The figures of the tasks that are done, of the given keys or of all current ones."""
    names = ", ".join(f"t.{column}" for column in TaskName.__dataclass_fields__)
    statement = (
        f"SELECT t.key, t.number, f.tool, f.measure, f.mean, {names} FROM figures AS f "
        "JOIN tasks AS t ON t.number = f.task WHERE t.ending = 'done' AND f.part = ? "
        + ("" if keys is not None else f"AND t.number IN ({_CURRENT}) ")
        + "ORDER BY t.planned, t.number, f.number"
    )
    wanted = None if keys is None else set(keys)
    with reading_store(path) as connection:
        rows = connection.execute(statement, (part,)).fetchall()
    return [
        Mean(number, TaskName(*name), part, tool, result_name(measure), value)
        for key, number, tool, measure, value, *name in rows
        if wanted is None or key in wanted
    ]


def result_table(path: str | Path, *, all_tools: bool = False) -> ResultTable:
    """The figures on test as a table of results, one row a fold, seeds averaged.

    Where several tools evaluated a data set, its own tool's figures are taken; `all_tools` takes
    every tool's, which `tool` then tells apart.
    """
    return table_of(stored_means(path), all_tools=all_tools)


def table_of(means: Sequence[Mean], *, all_tools: bool = False) -> ResultTable:
    """Figures of tasks as a table of results; see `result_table`."""
    cells: dict[tuple[Any, ...], dict[int, float]] = {}
    for mean in means:
        name = mean.name
        if not all_tools and mean.tool != name.tool:
            continue
        cell = (name.collection, name.dataset, name.version, str(name.fold), name.method,
                mean.measure, mean.tool)  # fmt: skip
        cells.setdefault(cell, {})[name.seed] = mean.value
    columns = list(zip(*cells, strict=True)) if cells else [()] * 7
    several = [f"mean of {len(seeds)} seeds" if len(seeds) > 1 else None for seeds in
               cells.values()]  # fmt: skip
    return ResultTable.from_columns(
        collection=columns[0],
        dataset=columns[1],
        method=columns[4],
        measure=columns[5],
        value=[float(np.mean(list(seeds.values()))) for seeds in cells.values()],
        version=columns[2],
        fold=columns[3],
        tool=columns[6],
        source=["rankwise bench"] * len(cells),
        note=several,
        seeds=[frozenset(seeds) for seeds in cells.values()],
    )


def stored_tried(path: str | Path, task: int) -> list[Tried]:
    """What tuning tried in one task."""
    with reading_store(path) as connection:
        rows = connection.execute(
            "SELECT parameters, value, seconds, reason FROM tried WHERE task = ? ORDER BY place",
            (task,),
        ).fetchall()
    return [Tried(json.loads(row[0]), *row[1:]) for row in rows]


def tuned_parameters(path: str | Path) -> defaultdict[int, list[str]]:
    """By number of a task, the parameters of which tuning tried more than one value."""
    values: defaultdict[int, dict[str, set[str]]] = defaultdict(dict)
    with reading_store(path) as connection:
        for task, parameters in connection.execute("SELECT task, parameters FROM tried"):
            for name, value in json.loads(parameters).items():
                values[task].setdefault(name, set()).add(json.dumps(value))
    several = ((task, [name for name, found in names.items() if len(found) > 1])
               for task, names in values.items())  # fmt: skip
    return defaultdict(list, several)


def untrained_combinations(path: str | Path, keys: Collection[str]) -> Counter[tuple[str, str]]:
    """How often tuning had to leave a combination out, by method and reason, in done tasks."""
    wanted = set(keys)
    with reading_store(path) as connection:
        rows = connection.execute(
            "SELECT t.key, t.method, r.reason FROM tried AS r JOIN tasks AS t ON t.number = r.task "
            "WHERE r.reason IS NOT NULL AND t.ending = 'done' ORDER BY t.number, r.place"
        )
        return Counter((method, reason) for key, method, reason in rows if key in wanted)


def stored_origin(path: str | Path, task: int) -> dict[str, Any]:
    """What the figures of a task depend on, and what its model says of itself."""
    with reading_store(path) as connection:
        inputs, facts = connection.execute(
            "SELECT inputs, facts FROM tasks WHERE number = ?", (task,)
        ).fetchone()
    return {"inputs": json.loads(inputs), "facts": json.loads(facts)}


def stored_environment(path: str | Path, task: int) -> dict[str, Any]:
    """Where a task ran: versions, machine, threads."""
    with reading_store(path) as connection:
        row = connection.execute(
            "SELECT content FROM environments WHERE number = "
            "(SELECT environment FROM tasks WHERE number = ?)",
            (task,),
        ).fetchone()
    return {} if row is None else dict(json.loads(row[0]))


def per_query_values(
    path: str | Path, measure: str, tool: str, *, part: str = "test"
) -> dict[TaskName, tuple[list[str], NDArray[np.float64]]]:
    """The queries and values of one measure under one tool, by task."""
    names = ", ".join(f"t.{column}" for column in TaskName.__dataclass_fields__)
    with reading_store(path) as connection:
        spellings = _spellings(connection, measure)
        marks = ", ".join("?" * len(spellings))
        rows = connection.execute(
            f"SELECT q.ids, p.content, {names} FROM figures AS f "
            "JOIN tasks AS t ON t.number = f.task JOIN per_query AS p ON p.figure = f.number "
            "JOIN queries AS q ON q.number = f.queries "
            f"WHERE t.ending = 'done' AND f.part = ? AND f.tool = ? AND f.measure IN ({marks}) "
            f"AND t.number IN ({_CURRENT}) ORDER BY t.planned, t.number",
            (part, tool, *spellings),
        ).fetchall()
    if not rows:
        raise RankwiseError(f"{path} holds no values per query of {measure} by the tool {tool}")
    return {
        TaskName(*name): (json.loads(ids), np.frombuffer(content, dtype="<f8"))
        for ids, content, *name in rows
    }


def _spellings(connection: sqlite3.Connection, measure: str) -> list[str]:
    """The names under which the store holds a measure."""
    wanted = result_name(measure)
    there = connection.execute("SELECT DISTINCT measure FROM figures").fetchall()
    return [name for (name,) in there if result_name(name) == wanted]


def typical_seconds(path: str | Path) -> dict[tuple[str, str], float]:
    """Seconds a training of the done tasks by (ranker, data set), and by (ranker, "") over all."""
    trainings = "(SELECT max(count(*), 1) FROM tried WHERE task = tasks.number)"
    pace = f"sum(seconds) / sum({trainings})"
    with reading_store(path) as connection:
        rows = connection.execute(
            f"SELECT ranker, dataset, {pace} FROM tasks WHERE ending = 'done' GROUP BY 1, 2 "
            f"UNION ALL SELECT ranker, '', {pace} FROM tasks WHERE ending = 'done' GROUP BY 1"
        ).fetchall()
    return {(ranker, dataset): float(seconds) for ranker, dataset, seconds in rows}


def _task(row: tuple[Any, ...]) -> StoredTask:
    number, key, *rest = row
    name, (ending, kind, reason, parameters, *numbers) = TaskName(*rest[:8]), rest[8:]
    return StoredTask(number, key, name, ending, kind, reason, json.loads(parameters), *numbers)
