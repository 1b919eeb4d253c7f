"""A short way to one answer of a store that is not open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from rankwise.results.store.store import Store
from rankwise.results.task_records import ValueChange

Answer = TypeVar("Answer")


class reading:  # noqa: N801  # It is read as a verb: reading(path).tasks().
    """`reading(path).tasks()` opens the store, asks it, and closes it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __getattr__(self, name: str) -> Any:
        def ask(*arguments: Any, **options: Any) -> Any:
            with Store.read(self.path) as store:
                return getattr(store, name)(*arguments, **options)

        return ask


def difference(one: Path, other: Path, tolerance: float = 0.0) -> list[ValueChange]:
    """The values in which two stores that are not open differ."""
    with Store.read(one) as before, Store.read(other) as after:
        return before.difference(after, tolerance)


def ask(function: Callable[..., Answer], path: Path, *arguments: Any, **options: Any) -> Answer:
    """What a function of an open store answers of one that is not open."""
    with Store.read(path) as store:
        return function(store, *arguments, **options)
