"""How long a plan will take, judged by the tasks that a store already holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from rankwise.experiments.plan import Task


def expected_seconds(
    tasks: Iterable[Task], typical: Mapping[tuple[str, str], float]
) -> dict[str, float]:
    """By key, what a training of the ranker took on the data set, else on any, times its trainings.

    Tasks of rankers that never ran are left out.
    """
    found = {}
    for task in tasks:
        name = task.name
        seconds = typical.get((name.ranker, name.dataset), typical.get((name.ranker, "")))
        if seconds is not None:
            found[task.key] = seconds * len(task.combinations)
    return found


def together(seconds: Collection[float], jobs: int) -> float:
    """How long tasks of so many seconds each take side by side; never less than the longest."""
    return max(max(seconds), sum(seconds) / jobs) if seconds else 0.0
