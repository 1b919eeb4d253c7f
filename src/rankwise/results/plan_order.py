"""The order in which plans asked for tasks, found out for stores that kept only the time of day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

# A plan stamped its tasks one microsecond apart, and those that never ended left gaps.
_OF_ONE_PLAN = timedelta(seconds=1)


class TimedTask(NamedTuple):
    """A task by the times that the clock showed; numbers rise with the order of adding."""

    number: int
    planned: str
    finished: str


def order_by_plan(tasks: Sequence[TimedTask]) -> list[int]:
    """The numbers of the tasks from the one that was asked for first to the last.

    That is the order of the times, except where the numbers show that the clock was set back: a
    plan that added tasks (planned before they finished) comes after all plans that added tasks of
    lower numbers, and one that only asked for known tasks comes after the last of them was added.
    """
    plans = _find_plans(sorted(tasks, key=lambda task: (task.planned, task.finished, task.number)))
    begun: list[tuple[int, bool, int]] = []
    after = 0
    for place, plan in enumerate(plans):
        added = [task.number for task in plan if task.planned <= task.finished]
        after = min(added) if added else max(after, *(task.number for task in plan))
        begun.append((after, not added, place))
    return [task.number for *_, place in sorted(begun) for task in plans[place]]


def _find_plans(tasks: Sequence[TimedTask]) -> list[list[TimedTask]]:
    """Tasks in the order of time, cut where a plan may end."""
    plans: list[list[TimedTask]] = []
    last: datetime | None = None
    for task in tasks:
        moment = datetime.fromisoformat(task.planned)
        if last is None or moment - last > _OF_ONE_PLAN:
            plans.append([])
        plans[-1].append(task)
        last = moment
    return plans
