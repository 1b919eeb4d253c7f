"""How long a plan will take, judged by the tasks that a store already holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rankwise.experiments.plan import Task


def expected_seconds(
    tasks: Iterable[Task], typical: Mapping[tuple[str, str], float]
) -> dict[str, float]:
    """By key, the mean time of the same ranker on the same data set, else on any data set.

    Tasks of rankers that never ran are left out.
    """
    found = {}
    for task in tasks:
        name = task.name
        seconds = typical.get((name.ranker, name.dataset), typical.get((name.ranker, "")))
        if seconds is not None:
            found[task.key] = seconds
    return found
