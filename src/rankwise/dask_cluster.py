"""A Dask cluster: connecting to it, and whether its workers have the code of this process."""

from __future__ import annotations

import contextlib
import importlib
import logging
from collections.abc import Callable, Collection, Iterator
from typing import Any

from rankwise import __version__
from rankwise.errors import MissingExtra, RankwiseError

_LOG = logging.getLogger(__name__)
_CONNECT_SECONDS = 30


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
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._known: frozenset[str] | None = None

    def ask_new(
        self, expected: str, question: Callable[..., str], *arguments: Any
    ) -> dict[str, int]:
        """The threads of each worker by its address, after those that are new have answered."""
        threads: dict[str, int] = self._client.nthreads()
        if not threads and self._known is None:
            warn_of_waiting()
        new = threads.keys() - (self._known or frozenset())
        if new:
            refuse_other_code(self._client, expected, question, *arguments, workers=new)
        self._known = frozenset(threads)
        return threads


def warn_of_waiting() -> None:
    """Log that a cluster has no workers yet."""
    _LOG.warning("the Dask scheduler has no workers yet; waiting for them")


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
