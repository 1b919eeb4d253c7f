"""The progress bar of slow commands; it appears only when a second has passed."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

PATIENCE_SECONDS = 1.0


@contextlib.contextmanager
def terminal_progress(
    description: str, total: float | None
) -> Iterator[Callable[[float], None]]:
    """Yield a function that takes the amount done; draw on standard error."""
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(description, total=total)
    begun = time.monotonic()
    started = False

    def advance(done: float) -> None:
        nonlocal started
        if not started and time.monotonic() - begun > PATIENCE_SECONDS:
            bar.start()
            started = True
        bar.update(task, completed=done)

    try:
        yield advance
    finally:
        bar.stop()
