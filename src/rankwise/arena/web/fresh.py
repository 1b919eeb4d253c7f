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

FindRevision = Callable[[], Awaitable[int]]
"""Asks the arena for its revision."""


@dataclass
class _Kept(Generic[T]):
    """An answer, its revision, when it was made, and when it was last known to be right."""

    value: T
    revision: int
    made: float
    checked: float


class FreshAnswers(Generic[T]):
    """Answers by question, each of one revision of the arena.

    An answer of the present revision is given out for `LONGEST_SECONDS`, after which an embargo
    may have ended. Whoever need not be exact (`patient`) waits for nothing where there is an answer
    that was right within `PATIENCE_SECONDS`: it is looked at anew meanwhile, for all of them
    together and at most once in `PAUSE_SECONDS`. So readers do not queue behind submissions, and
    two hundred of these do not have two hundred boards computed.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, _Kept[T]] = OrderedDict()
        self._running: dict[Hashable, asyncio.Task[T]] = {}

    def has(self, question: Hashable) -> bool:
        """Whether the question has been asked before, lately."""
        return question in self._kept or question in self._running

    async def ask(
        self,
        question: Hashable,
        find_revision: FindRevision,
        compute: Callable[[], Awaitable[T]],
        *,
        patient: bool,
    ) -> T:
        """The answer at the arena's present revision, or for the patient a little older."""
        known = self._kept.get(question)
        if known is not None and patient:
            age = self._clock() - known.checked
            if age < PATIENCE_SECONDS:
                if age >= PAUSE_SECONDS:
                    self._start(question, find_revision, compute)
                return known.value
        value = await asyncio.shield(self._start(question, find_revision, compute))
        if patient or self._is_fresh(question, await find_revision()):
            return value
        # What was being computed already may have begun before the latest change.
        return await asyncio.shield(self._start(question, find_revision, compute))

    def _is_fresh(self, question: Hashable, revision: int) -> bool:
        known = self._kept.get(question)
        if known is None:
            return False
        return known.revision >= revision and self._clock() - known.made < LONGEST_SECONDS

    def _start(
        self,
        question: Hashable,
        find_revision: FindRevision,
        compute: Callable[[], Awaitable[T]],
    ) -> asyncio.Task[T]:
        running = self._running.get(question)
        if running is None:
            running = asyncio.create_task(self._renew(question, find_revision, compute))
            self._running[question] = running
            running.add_done_callback(lambda task: self._end(question, task))
        return running

    async def _renew(
        self,
        question: Hashable,
        find_revision: FindRevision,
        compute: Callable[[], Awaitable[T]],
    ) -> T:
        """The answer that is kept where it is still right, else a new one."""
        asked = self._clock()
        revision = await find_revision()
        known = self._kept.get(question)
        if known is not None and self._is_fresh(question, revision):
            known.checked = asked
            self._kept.move_to_end(question)
            return known.value
        value = await compute()
        now = self._clock()
        self._kept[question] = _Kept(value, revision, now, now)
        self._kept.move_to_end(question)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return value

    def _end(self, question: Hashable, task: asyncio.Task[T]) -> None:
        self._running.pop(question, None)
        if not task.cancelled():
            # Whoever waited has been told; where nobody did, the next one asks again.
            task.exception()
