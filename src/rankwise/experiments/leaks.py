"""Folds whose parts share queries, or hold files of another data set: refused before any task."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.data.shared_queries import QueryPrints, find_common, list_pairs
from rankwise.errors import Advice, RankwiseError
from rankwise.experiments.fitting import tell_label_features
from rankwise.experiments.planning import Task
from rankwise.results.task_records import SHARED_QUERIES, Subject

_RUN_ALL_THE_SAME = Advice(
    "to run on them all the same, write shared_queries = true in [[data]] of the experiment: all "
    "tables then name the data set with it"
)
_CHANCE = 1e-9
"""Below this probability a part that lacks features is no sparse file of the same data."""


@dataclass(frozen=True, eq=False)
class _Part:
    """What is kept of a part while others are read."""

    prints: QueryPrints
    filled: NDArray[np.float64]
    """Of each feature, the share of rows in which it is not 0."""


_Opened = dict[str, _Part | None]
"""Parts that were read, by the checksums of their files."""


def refuse_leaks(tasks: Sequence[Task], planned: Sequence[Task]) -> None:
    """Refuse folds of `tasks` that leak; what is `planned` beside them is tested too.

    A query may stand in one part of a fold, and in the test part of one fold. Training data that
    are spread over a cluster are not read here, as they may not fit; damaged files are the tasks'.
    """
    opened: _Opened = {}
    seen: set[tuple[str, ...]] = set()
    subjects: dict[Subject, None] = {}
    for task in tasks:
        if is_marked(task):
            continue
        subjects[Subject.of(task.name)] = None
        wanted = ("test", "validation") if task.spread else ("test", "validation", "train")
        named = [name for name in wanted if name in task.rows]
        sums = tuple(task.rows[name] for name in named)
        if sums not in seen:
            seen.add(sums)
            found = {name: _open(task, name, opened) for name in named}
            _refuse_parts(task, {name: one for name, one in found.items() if one is not None})
    for subject in subjects:
        _refuse_tests(subject, [one for one in planned if Subject.of(one.name) == subject], opened)


def is_marked(task: Task) -> bool:
    """Whether the data set of a task says that its parts share queries."""
    return task.name.dataset.endswith(SHARED_QUERIES)


def refuse_shared(train: Dataset, validation: Dataset) -> None:
    """Refuse validation data that hold queries of the training data."""
    shared = find_common(QueryPrints.of(validation), QueryPrints.of(train))
    if shared:
        ids = [validation.query_ids[number] for number in shared]
        raise RankwiseError(
            "validation data must hold no query of the training data, found "
            f"{_describe(ids, validation.n_queries)} in both; choose by queries that nothing "
            "is learnt from"
        )


def _refuse_parts(task: Task, parts: dict[str, _Part]) -> None:
    fold = f"fold {task.name.fold} of {task.name.dataset}"
    where = task.files.test.parent
    prints = {name: part.prints for name, part in parts.items()}
    for one, other, ids in list_pairs(prints):
        raise RankwiseError(
            f"a query must stand in one part of a fold only, found "
            f"{_describe(ids, len(prints[one].ids))} of the {one} part of {fold} in its {other} "
            f"part too ({where}); see 'rankwise data check', and cut the folds anew",
            _RUN_ALL_THE_SAME,
        )
    for one, part in parts.items():
        for other, wider in parts.items():
            here, there = len(part.filled), len(wider.filled)
            if _is_foreign(part, wider):
                raise RankwiseError(
                    f"the parts of a fold must be of one data set, found {here} features in the "
                    f"{one} part of {fold} and {there} in its {other} part ({where}), where those "
                    "absent are hardly ever 0; put the right file there"
                )


def _refuse_tests(subject: Subject, tasks: Sequence[Task], opened: _Opened) -> None:
    tests: dict[str, QueryPrints] = {}
    for task in tasks:
        part = None if str(task.name.fold) in tests else _open(task, "test", opened)
        if part is not None:
            tests[str(task.name.fold)] = part.prints
    for one, other, ids in list_pairs(tests, in_tests=True):
        raise RankwiseError(
            f"a query must be tested in one fold only, as copies would count as independent, found "
            f"{_describe(ids, len(tests[one].ids))} of fold {one} of {subject.dataset} in the test "
            f"part of fold {other} too; cut the folds anew",
            _RUN_ALL_THE_SAME,
        )


def _is_foreign(part: _Part, wider: _Part) -> bool:
    """Whether features that one part lacks are so usual in another that it is of other data."""
    absent = wider.filled[len(part.filled) :]
    if not len(absent):
        return False
    usual = float(absent.max())
    return usual >= 1.0 or len(part.prints.ids) * math.log1p(-usual) < math.log(_CHANCE)


def _describe(ids: Sequence[str], count: int) -> str:
    shown = ", ".join(map(repr, ids[:3])) + (", …" if len(ids) > 3 else "")
    return f"{len(ids)} of {count} queries ({shown})"


def _open(task: Task, name: str, opened: _Opened) -> _Part | None:
    """A part of a task's fold, read once; of one that cannot be read the task tells."""
    checksum = task.rows[name]
    if checksum not in opened:
        try:
            part = read(getattr(task.files, name))
            if name == "train":
                tell_label_features(part, f"the training data of {task.name.dataset}")
            opened[checksum] = _read_part(part)
        except RankwiseError:
            opened[checksum] = None
    return opened[checksum]


def _read_part(part: Dataset) -> _Part:
    filled = np.zeros(part.n_features)
    if part.sparse is None:
        for values in part.value_blocks():
            filled += np.count_nonzero(values, axis=0)
    else:
        filled += np.bincount(
            part.sparse.columns[part.sparse.values != 0.0], minlength=part.n_features
        )
    return _Part(QueryPrints.of(part), filled / max(1, part.n_documents))
