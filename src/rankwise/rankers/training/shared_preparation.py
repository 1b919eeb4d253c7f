"""What several trainings on the same data have in common: prepared once, by whoever comes first."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from rankwise.data.dataset import Dataset

Prepared = TypeVar("Prepared")


@contextmanager
def sharing_preparations() -> Iterator[None]:
    """While this holds, `prepare_once` keeps what was prepared last under each name.

    For the thread that calls, and no longer than the block: trying several settings of a ranker
    is such a block, after which its memory is free again.
    """
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def prepare_once(
    name: str, dataset: Dataset, settings: Hashable, make: Callable[[], Prepared]
) -> Prepared:
    """What `make` gives, or gave for the same data and settings within `sharing_preparations`.

    `make` must depend on the data and the settings alone, so that no model can tell whether
    somebody was there before.
    """
    kept = _KEPT.get()
    if kept is None:
        return make()
    there = kept.get(name)
    if there is None or there.dataset is not dataset or there.settings != settings:
        # What was kept is let go before its successor takes room.
        kept.pop(name, None)
        there = kept[name] = _Kept(dataset, settings, make())
    return cast("Prepared", there.prepared)


@dataclass(frozen=True, eq=False)
class _Kept:
    dataset: Dataset
    settings: Hashable
    prepared: Any


_KEPT: ContextVar[dict[str, _Kept] | None] = ContextVar("kept preparations", default=None)
