"""What `rankwise bench` shows before and during a run: the plan, then how it stands."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from rankwise.cli.output import note, print_table
from rankwise.experiments.estimates import Remaining, expected_seconds
from rankwise.experiments.plan import ExperimentPlan, Task
from rankwise.experiments.runner import Standing, pending
from rankwise.processors import processors
from rankwise.reports.names import shown
from rankwise.results.store_records import Subject, TaskOutcome, subject_names

Show = Callable[[Standing], None]


def plan_facts(plan: ExperimentPlan, target: Path, retry: bool, jobs: int | None) -> dict[str, Any]:
    """The plan as JSON values: its tasks by data set and method, what is left, the time."""
    from rankwise.results.store import Store

    endings: dict[str, str] = {}
    typical: dict[tuple[str, str], float] = {}
    if target.is_file():
        with Store.read(target) as store, store.snapshot():
            endings, typical = store.endings(), store.typical_seconds()
    left = pending(plan, endings, retry=retry)
    seconds = expected_seconds(left.tasks, typical)
    counts = Counter((Subject.of(task.name), task.name.method) for task in plan.tasks)
    trials = Counter[tuple[Subject, str]]()
    for task in plan.tasks:
        trials[Subject.of(task.name), task.name.method] += len(task.combinations)
    return {
        "name": plan.name,
        "store": str(target),
        "tasks": len(plan.tasks),
        "done": left.done,
        "failed": left.failed,
        "to_do": len(left.tasks),
        "trainings": sum(len(task.combinations) for task in left.tasks),
        "seconds": Remaining(seconds, seconds).seconds(jobs or processors()) if seconds else None,
        "tasks_without_estimate": len(left.tasks) - len(seconds),
        "methods": [
            {**subject._asdict(), "method": method, "tasks": count,
             "trainings": trials[subject, method]}
            for (subject, method), count in counts.items()
        ],
    }  # fmt: skip


def print_plan(facts: dict[str, Any]) -> None:
    """The plan for people."""
    subjects = [Subject(*(one[field] for field in Subject._fields)) for one in facts["methods"]]
    called = subject_names(subjects)
    rows = [[called[subject], one["method"], one["tasks"], one["trainings"]]
            for subject, one in zip(subjects, facts["methods"], strict=True)]  # fmt: skip
    print_table(["data set", "method", "tasks", "trainings"], rows, numeric=(2, 3))
    click.echo(
        f"{facts['tasks']} tasks: {facts['done']} done, {facts['failed']} failed, "
        f"{facts['to_do']} to do with {facts['trainings']} trainings"
    )
    if not facts["to_do"]:
        return
    if facts["seconds"] is None:
        click.echo("how long they take is not known: the store holds nothing like them")
    else:
        unknown = facts["tasks_without_estimate"]
        rest = f", and {unknown} tasks of which nothing is known" if unknown else ""
        click.echo(f"about {duration(facts['seconds'])} by earlier runs{rest}")


@contextlib.contextmanager
def watching(*, quiet: bool) -> Iterator[Show]:
    """A live view on a terminal, a line a task elsewhere, nothing where quiet."""
    if quiet:
        yield lambda standing: None
    elif sys.stderr.isatty():
        with _live_view() as show:
            yield show
    else:
        yield _lines()


def duration(seconds: float) -> str:
    """`45 s`, `12 min`, `3.5 h`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def ended(task: Task, outcome: TaskOutcome) -> str:
    """A line about a task that has ended."""
    if outcome.ending == "failed":
        return f"{task.name}: failed ({outcome.kind}): {shown(outcome.reason or '', 1000)}"
    figures = [f"{one.measure} {one.mean:.4f}" for one in outcome.values
               if one.part == "test" and one.tool == task.name.tool]  # fmt: skip
    return f"{task.name}: {', '.join(figures[:2])} ({outcome.seconds:.1f} s)"


def _lines() -> Show:
    shown: list[object] = [None]

    def show(standing: Standing) -> None:
        if standing.last is not None and standing.last is not shown[0]:
            shown[0] = standing.last
            count = standing.done + standing.failed
            note(f"[{count}/{standing.total}] {ended(*standing.last)}")

    return show


@contextlib.contextmanager
def _live_view() -> Iterator[Show]:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    shown: list[object] = [None]
    with Live(console=console, refresh_per_second=4, transient=True) as live:

        def show(standing: Standing) -> None:
            if standing.last is not None and standing.last is not shown[0]:
                shown[0] = standing.last
                console.print(Text(ended(*standing.last)))
            live.update(
                Text("\n".join(_standing_lines(standing)), no_wrap=True, overflow="ellipsis")
            )

        yield show


def _standing_lines(standing: Standing) -> list[str]:
    left = standing.seconds_left
    pace = "" if left is None else f", about {duration(left)} left"
    head = (
        f"{standing.done} of {standing.total} done, {len(standing.running)} running, "
        f"{standing.failed} failed{pace}"
    )
    return [head, *(f"  {task.name}" for task in list(standing.running.values())[:8])]
