"""The live line of training: round, training and validation measure, time left; Ctrl-C stops."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType

from rankwise.cli.output import note
from rankwise.rankers import QuietWatch, Round, Watch
from rankwise.shown import visible


@dataclass
class Interruption:
    """Whether Ctrl-C was pressed."""

    asked: bool = False


@contextlib.contextmanager
def interruptible() -> Iterator[Interruption]:
    """While this holds, the first Ctrl-C asks training to stop; a second one ends the command."""
    interruption = Interruption()

    def ask(number: int, frame: FrameType | None) -> None:
        if interruption.asked:
            raise KeyboardInterrupt
        interruption.asked = True
        note("\nstopping after this round; Ctrl-C again gives up without a model")

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def watching(name: str, interruption: Interruption) -> Iterator[Watch]:
    """A watch that shows every round on a terminal, nothing elsewhere, and obeys Ctrl-C."""
    shown = sys.stderr.isatty()
    with contextlib.ExitStack() as stack:
        show = stack.enter_context(_terminal_line(name)) if shown else _silent

        def watch(progress: Round) -> bool:
            show(progress)
            return interruption.asked

        yield watch if shown else QuietWatch(watch)


def figures(progress: Round) -> str:
    """`training 0.4512  validation 0.4433`, as far as known."""
    known = (("training", progress.training), ("validation", progress.validation))
    return "  ".join(f"{what} {value:.4f}" for what, value in known if value is not None)


def _silent(progress: Round) -> None:
    """Output that goes into a file or a pipe shows no progress."""


@contextlib.contextmanager
def _terminal_line(name: str) -> Iterator[Callable[[Round], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    line = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=16),
        TextColumn("round {task.completed:.0f} of {task.total:.0f}", markup=False),
        TextColumn("{task.fields[figures]}", markup=False),
        TimeRemainingColumn(),
        TextColumn("left", markup=False),
        console=Console(stderr=True),
        transient=True,
    )
    task = line.add_task(visible(name), total=1.0, figures="", visible=False)

    def show(progress: Round) -> None:
        line.update(
            task,
            completed=progress.number,
            total=max(progress.total, progress.number),
            figures=figures(progress),
            visible=True,
        )

    with line:
        yield show
