"""Answers that are kept until the arena changes, and computed once however many ask."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

KEPT = 200
LONGEST_SECONDS = 60.0
PATIENCE_SECONDS = 10.0
PAUSE_SECONDS = 1.0


@dataclass(frozen=True)
class _Kept(Generic[T]):
    value: T
    revision: int
    made: float


class FreshAnswers(Generic[T]):
    """Answers by question, each of one revision of the arena.

    An answer of the present revision is given out for `LONGEST_SECONDS`, after which an embargo
    may have ended. Where the arena has changed, one of those who ask has it computed anew. Whoever
    need not be exact (`patient`) gets the former answer meanwhile, which is at most
    `PATIENCE_SECONDS` old, and starts no computation within `PAUSE_SECONDS` of the last: two
    hundred submissions in a minute would else have two hundred boards computed.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, _Kept[T]] = OrderedDict()
        self._checked: dict[Hashable, float] = {}
        self._running: dict[Hashable, asyncio.Task[T]] = {}

    def glance(self, question: Hashable) -> T | None:
        """What the patient may have without anybody looking at the arena's revision.

        That is an answer which was found to be right within `PAUSE_SECONDS`, or the former one
        while a new one is being computed.
        """
        known = self._kept.get(question)
        if known is None:
            return None
        now = self._clock()
        soon = now - self._checked.get(question, known.made) < PAUSE_SECONDS
        waiting = question in self._running and now - known.made < PATIENCE_SECONDS
        return known.value if soon or waiting else None

    def has(self, question: Hashable) -> bool:
        """Whether the question has been asked before, lately."""
        return question in self._kept or question in self._running

    def is_known(self, question: Hashable, revision: int) -> bool:
        """Whether nothing would have to be computed for an exact answer."""
        known = self._kept.get(question)
        return known is not None and self._is_fresh(known, revision)

    async def ask(
        self,
        question: Hashable,
        revision: int,
        compute: Callable[[], Awaitable[T]],
        *,
        patient: bool,
    ) -> T:
        """The answer at a revision of the arena, or for the patient a little older."""
        known = self._kept.get(question)
        if known is not None:
            self._kept.move_to_end(question)
            if self._is_fresh(known, revision):
                self._checked[question] = self._clock()
                return known.value
            age = self._clock() - known.made
            if patient and age < PATIENCE_SECONDS:
                if age >= PAUSE_SECONDS:
                    self._start(question, revision, compute)
                return known.value
        running = self._start(question, revision, compute)
        value = await asyncio.shield(running)
        if not patient and not self.is_known(question, revision):
            # The computation that ran already may have begun before the latest change.
            value = await asyncio.shield(self._start(question, revision, compute))
        return value

    def _is_fresh(self, known: _Kept[T], revision: int) -> bool:
        return known.revision >= revision and self._clock() - known.made < LONGEST_SECONDS

    def _start(
        self, question: Hashable, revision: int, compute: Callable[[], Awaitable[T]]
    ) -> asyncio.Task[T]:
        running = self._running.get(question)
        if running is None:
            running = asyncio.create_task(self._compute(question, revision, compute))
            self._running[question] = running
            running.add_done_callback(lambda task: self._end(question, task))
        return running

    async def _compute(
        self, question: Hashable, revision: int, compute: Callable[[], Awaitable[T]]
    ) -> T:
        value = await compute()
        self._kept[question] = _Kept(value, revision, self._clock())
        self._kept.move_to_end(question)
        self._checked.pop(question, None)
        while len(self._kept) > KEPT:
            forgotten, _ = self._kept.popitem(last=False)
            self._checked.pop(forgotten, None)
        return value

    def _end(self, question: Hashable, task: asyncio.Task[T]) -> None:
        self._running.pop(question, None)
        if not task.cancelled():
            # Whoever waited has been told; where nobody did, nothing is lost.
            task.exception()
