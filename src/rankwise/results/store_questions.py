"""What people ask of a store: values of some measures, one task in full, whether it is whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.measures.names import result_name
from rankwise.results.store import Store
from rankwise.results.store_connection import DamagedStore
from rankwise.results.store_damage import Damage, StoreVerification
from rankwise.results.store_records import StoredTask, TaskValue


def choose_measures(values: Sequence[TaskValue], measures: Sequence[str]) -> list[TaskValue]:
    """Values of the measures asked for, in that order; all where none is."""
    there = list(dict.fromkeys(value.measure for value in values))
    asked = [result_name(measure) for measure in measures]
    for measure in asked:
        if measure not in there:
            raise RankwiseError(f"the store has no {measure}; it has {', '.join(there)}")
    return [value for measure in asked or there for value in values if value.measure == measure]


def verify_store(path: str | Path) -> StoreVerification:
    """What a store holds, and all of it that is not what was written.

    A file that is no store of this version at all is refused, as by `Store.read`.
    """
    try:
        with Store.read(path) as store:
            return store.verify()
    except DamagedStore as error:
        damage = Damage(None, None, f"the file: {error.what}")
        return StoreVerification(str(path), 0, 0, 0, (damage,))


def find_task(store: Store, beginning: str) -> StoredTask:
    """The task whose key begins so."""
    found = [task for task in store.tasks(superseded=True) if task.key.startswith(beginning)]
    if len(found) != 1:
        raise RankwiseError(
            f"{len(found)} tasks of {store.path} have a key that begins {beginning!r}"
        )
    return found[0]


def describe_task(store: Store, beginning: str) -> dict[str, Any]:
    """Everything that a store has of the task whose key begins so, as plain values.

    Of what is kept these are the names and sizes.
    """
    task = find_task(store, beginning)
    values = [
        *store.values(part="test", keys=[task.key]),
        *store.values(part="validation", keys=[task.key]),
    ]
    return {
        **asdict(task),
        **store.origin(task.number),
        "figures": [[value.part, value.tool, value.measure, value.value] for value in values],
        "tried": [asdict(one) for one in store.tried(task.number)],
        "kept": store.kept_of(task.key),
        "environment": store.environment(task.number),
    }
