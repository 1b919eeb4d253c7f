"""How long a plan will take, judged by the tasks that a store already holds."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

from rankwise.experiments.planning import Task


def estimate_seconds(
    tasks: Iterable[Task], typical: Mapping[tuple[str, str], float]
) -> dict[str, float]:
    """By key, what a combination took of the ranker on the data set, times how many are tried.

    What was never run is left out: what it took on other data, of another size, says nothing.
    """
    found = {}
    for task in tasks:
        seconds = typical.get(kind_of(task))
        if seconds is not None:
            found[task.key] = seconds * task.tried
    return found


def kind_of(task: Task) -> tuple[str, str]:
    """Tasks of one kind take about as long for each combination: a ranker on a data set."""
    return task.name.ranker, task.name.dataset


class Remaining:
    """The tasks that are left, with what each is expected to take; told of every end at once.

    A run asks after every event, so nothing here goes through all that is left.
    """

    def __init__(
        self, keys: Iterable[str] = (), expected: Mapping[str, float] | None = None
    ) -> None:
        self._left = dict.fromkeys(keys)
        self._expected: dict[str, float] = {}
        self._sum = 0.0
        self._longest: list[tuple[float, str]] = []
        self.expect(expected or {})

    def expect(self, seconds: Mapping[str, float]) -> None:
        """What tasks are expected to take, by key, as is known by now."""
        for key, value in seconds.items():
            if key in self._left and self._expected.get(key) != value:
                self._sum += value - self._expected.get(key, 0.0)
                self._expected[key] = value
                heapq.heappush(self._longest, (-value, key))

    @property
    def number(self) -> int:
        """How many tasks are left."""
        return len(self._left)

    @property
    def unknown(self) -> int:
        """Of how many of them nothing is known."""
        return len(self._left) - len(self._expected)

    def remove(self, key: str) -> None:
        """A task has ended."""
        self._left.pop(key, None)
        self._sum -= self._expected.pop(key, 0.0)

    def seconds(self, jobs: int) -> float | None:
        """How long the rest takes side by side; None where a task is left that nothing is known of.

        It is never less than the longest task.
        """
        return None if self.unknown else self.least_seconds(jobs)

    def least_seconds(self, jobs: int) -> float:
        """How long those of the rest take of which something is known."""
        while self._longest and self._expected.get(self._longest[0][1]) != -self._longest[0][0]:
            heapq.heappop(self._longest)
        return max(-self._longest[0][0], self._sum / jobs) if self._longest else 0.0


class Pace:
    """What combinations take by kind in the run so far, where no earlier run tells."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._waiting: dict[tuple[str, str], dict[str, int]] = {}
        self._spent: dict[tuple[str, str], tuple[float, int]] = {}
        for task in tasks:
            self._waiting.setdefault(kind_of(task), {})[task.key] = task.tried

    def note(self, task: Task, seconds: float) -> dict[str, float]:
        """What the other tasks of its kind are expected to take, now that a task has ended."""
        kind = kind_of(task)
        before, number = self._spent.get(kind, (0.0, 0))
        spent, tried = self._spent[kind] = before + seconds, number + task.tried
        waiting = self._waiting.get(kind, {})
        waiting.pop(task.key, None)
        return {key: spent / tried * count for key, count in waiting.items()}
