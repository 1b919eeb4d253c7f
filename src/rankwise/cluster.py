"""A Dask cluster: connecting to it, waiting for its workers, and whether they have this code."""

from __future__ import annotations

import contextlib
import importlib
import logging
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any

from rankwise import __version__
from rankwise.arguments import parse_seconds
from rankwise.errors import Advice, MissingExtra, RankwiseError

WAIT_SECONDS = 120.0
"""So long a scheduler without workers is waited for, where nothing else is asked for."""

_LOG = logging.getLogger(__name__)
_CONNECT_SECONDS = 30
_LOOK_SECONDS = 1.0
_RETURN_SECONDS = 30.0


class NoWorkers(RankwiseError):
    """A scheduler had no worker for as long as one was waited for."""


class WrongCode(RankwiseError):
    """A cluster has another Rankwise than this process, or none: nothing can be run on it."""

    @classmethod
    def of(cls, found: object, expected: str = __version__) -> WrongCode:
        """The refusal of what was found in the place of the expected code."""
        # Not in `__init__`: errors travel from workers, and are made anew from their sentence.
        return cls(
            f"the workers of the Dask cluster and its scheduler must have Rankwise {expected} and "
            f"what it needs, found: {found}; install the same version everywhere, and start "
            "workers anew after a change"
        )


def import_distributed(purpose: str) -> Any:
    """Dask's module for clusters; where it is not installed, a sentence says how to get it."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise MissingExtra(purpose, "cluster") from None


@contextlib.contextmanager
def connect(scheduler: Any, purpose: str) -> Iterator[Any]:
    """A client of the scheduler at an address, or of a cluster of this process."""
    distributed = import_distributed(purpose)
    _check_address(scheduler)
    try:
        client = distributed.Client(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RankwiseError(
            f"there must be a Dask scheduler at {scheduler}, none answered: {error}"
        ) from error
    with contextlib.closing(client):
        yield client


def refuse_other_code(
    client: Any,
    expected: str,
    question: Callable[..., str],
    *arguments: Any,
    workers: Collection[str] | None = None,
) -> None:
    """Raise where a worker does not answer a question about its code with what is `expected`.

    All workers are asked, or those at some addresses; one that is gone has nothing to answer for.
    """
    asked = None if workers is None else list(workers)
    answers = client.run(question, *arguments, workers=asked, on_error="return")
    for address, found in answers.items():
        if isinstance(found, OSError):
            continue
        if isinstance(found, RankwiseError):
            raise found
        # What a worker cannot import comes back as a plain exception that quotes the error.
        if isinstance(found, Exception) or found != expected:
            raise WrongCode.of(f"{found} at {address}", expected)


class KnownWorkers:
    """The workers of a cluster that were asked for their code; new ones are asked as they come.

    One with other code would give values under the wrong key; one without would die of each task.
    Where there is none, the first is waited for, `wait` seconds at most.
    """

    def __init__(self, client: Any, wait: float) -> None:
        self._client = client
        self._wait = wait
        self._known: frozenset[str] = frozenset()

    def ask_new(
        self, expected: str, question: Callable[..., str], *arguments: Any
    ) -> dict[str, int]:
        """The threads of each worker by its address, after those that are new have answered."""
        await_workers(self._client, self._wait)
        threads: dict[str, int] = self._client.nthreads()
        new = threads.keys() - self._known
        if new:
            refuse_other_code(self._client, expected, question, *arguments, workers=new)
        self._known = frozenset(threads)
        return threads


def parse_wait(wait: float | str | None) -> float:
    """The seconds that workers are waited for: a number, or a text like `10m`; None is usual."""
    return WAIT_SECONDS if wait is None else parse_seconds(wait, zero=True)


def await_workers(
    client: Any,
    seconds: float,
    tick: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Return when the cluster has a worker, at once or later; raise where none comes in time.

    `tick` is called about every second of the wait; what it raises ends it.
    """
    if client.nthreads():
        return
    address = client.scheduler.address
    limit = clock() + seconds
    if seconds > 0:
        _LOG.warning("%s has no workers; waiting %g seconds for the first", address, seconds)
    while (left := limit - clock()) > 0:
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(1, timeout=min(left, _LOOK_SECONDS))
            return
        tick()
    raise NoWorkers(
        f"the cluster of {address} must have workers, found none in {seconds:g} seconds; start "
        f"some: dask worker {address}",
        Advice("wait longer for them: {}", "wait", "10m"),
    )


def await_return(
    client: Any,
    count: int,
    tick: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Wait, but not for long, until there are `count` workers again, after one was lost."""
    limit = clock() + _RETURN_SECONDS
    while (left := limit - clock()) > 0:
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(count, timeout=min(left, _LOOK_SECONDS))
            return
        tick()


def _check_address(scheduler: Any) -> None:
    """A misspelt address would be tried for a minute, and fail without a word on why."""
    if not isinstance(scheduler, str):
        return
    backends = importlib.import_module("distributed.comm.registry").backends
    scheme, _, place = (scheduler if "://" in scheduler else f"tcp://{scheduler}").partition("://")
    port = place.rpartition(":")[2]
    if scheme not in backends or not (port.isdecimal() or scheme == "inproc"):
        raise RankwiseError(
            f"the address of a Dask scheduler must be like tcp://head:8786, found {scheduler!r}"
        )
