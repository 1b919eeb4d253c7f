"""What `rankwise bench` shows before and during a run: the plan, then how it stands."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from rankwise.cli.output import note, print_table, say
from rankwise.experiments import PlanFacts, RunProgress, Task
from rankwise.results import TaskOutcome, name_subjects
from rankwise.shown import visible
from rankwise.tables import shown

Show = Callable[[RunProgress], None]


def print_plan(facts: PlanFacts) -> None:
    """The plan for people."""
    called = name_subjects(one.subject for one in facts.methods)
    rows = [[called[one.subject], one.method, one.tasks, one.trainings] for one in facts.methods]
    print_table(["data set", "method", "tasks", "trainings"], rows, numeric=(2, 3))
    say(
        f"{facts.tasks} tasks: {facts.done} done, {facts.failed} failed, "
        f"{facts.to_do} to do with {facts.trainings} trainings"
    )
    if facts.again:
        say(f"{facts.again} of these are done, but are run again for what is to be kept of them")
    if not facts.to_do:
        return
    if facts.seconds is None:
        say("how long they take is not known: the store holds nothing like them")
    else:
        unknown = facts.tasks_without_estimate
        rest = f", and {unknown} tasks of which nothing is known" if unknown else ""
        say(f"about {duration(facts.seconds)} by earlier runs{rest}")


@contextlib.contextmanager
def watching(*, quiet: bool) -> Iterator[Show]:
    """A live view on a terminal, a line a task elsewhere, nothing where quiet."""
    if quiet:
        yield lambda progress: None
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


def tell_losses(workers: int, begun_again: int) -> str:
    """A line about workers that were lost in the middle of tasks."""
    return f"workers lost: {workers}, tasks begun again: {begun_again}"


def _lines() -> Show:
    shown: list[object] = [None]
    lost = [0]

    def show(progress: RunProgress) -> None:
        if progress.lost_workers != lost[0]:
            lost[0] = progress.lost_workers
            note(tell_losses(lost[0], progress.begun_again.total()))
        if progress.last is not None and progress.last is not shown[0]:
            shown[0] = progress.last
            count = progress.done + progress.failed
            note(f"[{count}/{progress.total}] {ended(*progress.last)}")

    return show


@contextlib.contextmanager
def _live_view() -> Iterator[Show]:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    shown: list[object] = [None]
    with Live(console=console, refresh_per_second=4, transient=True) as live:

        def show(progress: RunProgress) -> None:
            if progress.last is not None and progress.last is not shown[0]:
                shown[0] = progress.last
                console.print(Text(visible(ended(*progress.last))))
            lines = visible("\n".join(_format_progress(progress)))
            live.update(Text(lines, no_wrap=True, overflow="ellipsis"))

        yield show


def _format_progress(progress: RunProgress) -> list[str]:
    head = (
        f"{progress.done} of {progress.total} done, {len(progress.running)} running, "
        f"{progress.failed} failed{_format_left(progress)}"
    )
    if progress.lost_workers:
        head += f"; {tell_losses(progress.lost_workers, progress.begun_again.total())}"
    running = list(progress.running.values())[:8]
    return [head, *(f"  {task.name}{_format_standing(progress, task)}" for task in running)]


def _format_left(progress: RunProgress) -> str:
    """The time that is left, as far as it is known."""
    left, unknown = progress.left, progress.left.unknown
    if not unknown:
        return f", about {duration(left.least_seconds(progress.jobs))} left" if left.number else ""
    if unknown == left.number:
        return ", time left not known"
    least = duration(left.least_seconds(progress.jobs))
    return f", more than {least} left: nothing is known of {unknown} of the {left.number} tasks"


def _format_standing(progress: RunProgress, task: Task) -> str:
    standing = progress.standing.get(task.key)
    if standing is None:
        return ""
    return (
        f": training {standing.training} of {task.trainings}, "
        f"round {standing.round} of {standing.rounds}"
    )
