"""Errors of somebody else's code, told in one sentence with the place where they were raised."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rankwise.errors import RankwiseError
from rankwise.registry import describe_failure


@contextmanager
def one_sentence(ranker: str, method: str) -> Iterator[None]:
    """Whatever a method of a user's ranker raises is a RankwiseError, which keeps its cause."""
    try:
        yield
    except (RankwiseError, MemoryError):
        raise
    except Exception as error:
        raise RankwiseError(
            f"{ranker}: its {method} fails with {describe_failure(error)}"
        ) from error
