"""Progress bars of work in stages: each takes the place of the one before it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rankwise.cli.output import progress


@contextlib.contextmanager
def shown_stages() -> Iterator[Callable[[str, float | None], Callable[[float], None]]]:
    """Yield what begins a stage; on a terminal its bar appears after a second."""
    with contextlib.ExitStack() as stack:

        def begin(description: str, total: float | None = None) -> Callable[[float], None]:
            stack.close()
            return stack.enter_context(progress(description, total))

        yield begin
