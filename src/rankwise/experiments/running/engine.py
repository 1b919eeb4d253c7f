"""What an engine is: it takes tasks and tells what becomes of them; it never touches the store."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol, Self

from rankwise.experiments.planning import Task
from rankwise.experiments.resources import ATTEMPTS as ATTEMPTS
from rankwise.experiments.resources import TaskLimits
from rankwise.results.task_records import TaskOutcome


@dataclass(frozen=True)
class EngineOptions:
    """What a user asks of an engine; an engine refuses what it has no use for.

    Attributes:
        jobs: how many tasks run at a time.
        folder: where a run may keep files of its own until the plan is finished.
        scheduler: the address of a cluster that is there already.
        send_data: whether workers receive the data instead of reading them from their files.
        wait: how long a cluster without workers is waited for: seconds, or `10m`.
    """

    jobs: int
    folder: Path
    scheduler: str | None = None
    send_data: bool = False
    wait: float | str | None = None


@dataclass(frozen=True)
class TaskStanding:
    """How far a task is: in which of its trainings, in which round of how many at most."""

    training: int
    round: int
    rounds: int


@dataclass(frozen=True)
class Event:
    """A task has begun (`outcome` is None), perhaps again, or ended; or it tells how far it is.

    `jobs` is how many tasks run at a time where only the engine can know, else None. `lost` is how
    many workers were lost in the middle of tasks since the event before.
    """

    task: Task
    outcome: TaskOutcome | None = None
    jobs: int | None = None
    lost: int = 0
    standing: TaskStanding | None = None


class Engine(Protocol):
    """Runs tasks somewhere: in processes of this machine, on a cluster.

    The values of a task must not depend on the engine that ran it. So an engine

    - runs each task by `run_task`, with the fold of `task.files`, which it must have compared with
      `task.checksums` (`read_checked_fold` and `open_shared_fold` do), and with the code that
      `task.code` names (`refuse_other_code` asks workers elsewhere);
    - tells of a task that begins, again where it begins anew elsewhere, and exactly once that it
      ended, whatever happened in it: an error, a limit, a worker that died `ATTEMPTS` times (or,
      where tasks are moved by others than the engine, as often as those allow); in between it may
      tell now and then how far the task is;
    - keeps to `limits` as it can, and says by `limits_memory` whether it limits memory itself;
      the time of a task counts from when its data are at hand;
    - raises only what makes the run as a whole impossible: data that changed, workers with other
      code, a cluster that is gone. What was told before then is stored and counts;
    - ends everything that still runs when the generator is closed, as it is by Ctrl-C.

    Attributes:
        name: what `--engine` calls it; its line in the registry has the same name.
        spreads: whether it can spread one task over all its workers.
        limits_memory: whether it ends a task that takes more memory than its limit.
    """

    name: ClassVar[str]
    spreads: ClassVar[bool]
    limits_memory: ClassVar[bool]

    @property
    def jobs(self) -> int:
        """How many tasks run at a time."""

    @classmethod
    def from_options(cls, options: EngineOptions) -> Self:
        """The engine as a user asks for it; options that it does not know are refused."""

    def run(self, tasks: Sequence[Task], limits: TaskLimits) -> Generator[Event, None, None]:
        """Events in the order in which they happen; every task ends exactly once."""
