"""What an engine is: it takes tasks and tells what becomes of them; it never touches the store."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rankwise.experiments.limits import TaskLimits
from rankwise.experiments.plan import Task
from rankwise.results.store_records import TaskOutcome

ATTEMPTS = 3
"""A task whose worker dies is begun this often before it is recorded as killed."""


@dataclass(frozen=True)
class Event:
    """A task has begun (`outcome` is None) or ended.

    `jobs` is how many tasks run at a time where only the engine can know, else None.
    """

    task: Task
    outcome: TaskOutcome | None = None
    jobs: int | None = None


class Engine(Protocol):
    """Runs tasks somewhere; closing the iterator ends everything that still runs."""

    @property
    def jobs(self) -> int:
        """How many tasks run at a time."""

    @property
    def spreads(self) -> bool:
        """Whether it can spread one task over all its workers."""

    def run(self, tasks: Sequence[Task], limits: TaskLimits) -> Generator[Event, None, None]:
        """Events in the order in which they happen; every task ends exactly once."""
