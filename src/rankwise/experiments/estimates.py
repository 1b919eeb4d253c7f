"""How long a plan will take, judged by the tasks that a store already holds."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

from rankwise.experiments.plan import Task


def estimate_seconds(
    tasks: Iterable[Task], typical: Mapping[tuple[str, str], float]
) -> dict[str, float]:
    """By key, what a combination took of the ranker on the data set, else on any, times how many.

    Tasks of rankers that never ran are left out.
    """
    found = {}
    for task in tasks:
        name = task.name
        seconds = typical.get((name.ranker, name.dataset), typical.get((name.ranker, "")))
        if seconds is not None:
            found[task.key] = seconds * task.tried
    return found


class Remaining:
    """The tasks that are left, with what each is expected to take; told of every end at once.

    A run asks after every event, so nothing here goes through all that is left.
    """

    def __init__(
        self, keys: Iterable[str] = (), expected: Mapping[str, float] | None = None
    ) -> None:
        known = expected or {}
        self._left = dict.fromkeys(keys)
        self._expected = {key: known[key] for key in self._left if key in known}
        self._sum = sum(self._expected.values())
        self._longest = [(-seconds, key) for key, seconds in self._expected.items()]
        heapq.heapify(self._longest)

    @property
    def number(self) -> int:
        """How many tasks are left."""
        return len(self._left)

    def remove(self, key: str) -> None:
        """A task has ended."""
        self._left.pop(key, None)
        self._sum -= self._expected.pop(key, 0.0)

    def seconds(self, jobs: int) -> float | None:
        """How long the rest takes side by side; None where a task is left that nothing is known of.

        It is never less than the longest task.
        """
        if not self._left:
            return 0.0
        if len(self._expected) < len(self._left):
            return None
        while self._longest[0][1] not in self._expected:
            heapq.heappop(self._longest)
        return max(-self._longest[0][0], self._sum / jobs)
