"""The progress bar of slow commands; it appears only when a second has passed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

PATIENCE_SECONDS = 1.0


@contextlib.contextmanager
def terminal_progress(description: str, total: float | None) -> Iterator[Callable[[float], None]]:
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
    patience = threading.Timer(PATIENCE_SECONDS, bar.start)
    patience.daemon = True
    patience.start()
    try:
        yield lambda done: bar.update(task, completed=done)
    finally:
        patience.cancel()
        bar.stop()
