"""Work on pieces of a file side by side, with results in the order of the pieces."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from rankwise.processors import processors

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


def in_order(
    work: Callable[[Item], Outcome], items: Sequence[Item], threads: int | None = None
) -> Generator[Outcome, None, None]:
    """Apply `work` to all items in threads, begun in their order; only a few results wait."""
    if len(items) < 2:
        yield from map(work, items)
        return
    # Loading the library takes longer than reading a small file.
    from concurrent.futures import Future, ThreadPoolExecutor

    count = threads or processors()
    waiting: deque[Future[Outcome]] = deque()
    with ThreadPoolExecutor(count) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
