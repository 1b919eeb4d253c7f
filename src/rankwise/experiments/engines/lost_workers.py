"""The workers of a Dask cluster that go in the middle of tasks, as its scheduler tells of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

_TOPIC = "all"


@dataclass(frozen=True)
class LostWorker:
    """A worker that is gone: the keys of what it had to compute, and of data that it alone had."""

    tasks: frozenset[str]
    data: frozenset[str]


class LostWorkers:
    """What a client hears of workers that go, ended or sent away.

    The scheduler tells of a worker before its tasks begin elsewhere, so that its loss is here when
    one of them ends.
    """

    def __init__(self, client: Any) -> None:
        self._told: SimpleQueue[LostWorker] = SimpleQueue()
        self._client = client
        client.subscribe_topic(_TOPIC, self._note)

    def __bool__(self) -> bool:
        """Whether there is one that was not taken yet."""
        return not self._told.empty()

    def take(self) -> Iterator[LostWorker]:
        """Those that were told of since the last time."""
        while self:
            yield self._told.get()

    def close(self) -> None:
        """Hear no more; else the scheduler complains that a client which has left does not."""
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            self._client.unsubscribe_topic(_TOPIC)

    def _note(self, event: tuple[float, Any]) -> None:
        _, message = event
        if isinstance(message, dict) and message.get("action") == "remove-worker":
            tasks, data = (
                frozenset(map(str, message.get(name, ())))
                for name in ("processing-tasks", "lost-scattered-tasks")
            )
            self._told.put(LostWorker(tasks, data))
