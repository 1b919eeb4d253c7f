"""The workers of a Dask cluster that do one thing together, and must all stay until it is done.

Dask gives the tasks of a dead worker to others, which is no help where each worker holds data of
its own: such work would wait for ever. Waiting here looks every second whether all are there.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from rankwise.errors import Advice, RankwiseError
from rankwise.extras import install_line

Tick = Callable[[], None]
"""Called about every second while waiting; what it raises ends the wait."""

_LOOK_SECONDS = 1.0
_FETCH_SECONDS = 60.0
_RETURN_SECONDS = 30.0


class ClusterLost(RankwiseError):
    """A worker went in the middle of its work, through no fault of a method or its parameters."""


class SchedulerLost(ClusterLost):
    """No scheduler answers, or it has no workers: nothing can be run on this cluster."""


@dataclass(frozen=True, eq=False)
class Workers:
    """The workers that a cluster had at one moment.

    Attributes:
        client: of `distributed`, connected to the scheduler.
        threads: of every worker, by address, in the order of addresses.
        processes: what tells the process behind an address from one that takes its place.
    """

    client: Any
    threads: Mapping[str, int]
    processes: Mapping[str, str]

    @classmethod
    def of(cls, client: Any) -> Workers:
        """All workers that are there now."""
        found = _identities(client)
        if not found:
            raise SchedulerLost(
                f"the cluster of {client.scheduler.address} must have workers, found none; start "
                f"some: dask worker {client.scheduler.address}"
            )
        return cls(
            client,
            {address: int(found[address]["nthreads"]) for address in sorted(found)},
            {address: str(found[address]["local_directory"]) for address in found},
        )

    def only(self, homes: Iterable[str]) -> Workers:
        """Those of the workers that have something to do; the others may come and go."""
        wanted = set(homes)
        return Workers(
            self.client,
            {home: threads for home, threads in self.threads.items() if home in wanted},
            {home: process for home, process in self.processes.items() if home in wanted},
        )

    def submit(self, home: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """The future of a call that is made on the worker at `home` and nowhere else."""
        return self.client.submit(
            function, *arguments, workers=[home], allow_other_workers=False, pure=False
        )

    def answers(self, futures: Sequence[Any], tick: Tick) -> list[Any]:
        """What all calls returned; the first failure in the order of the futures is raised."""
        self.wait(futures, tick)
        return [self._answer(future, tick) for future in futures]

    def first_answers(self, futures: Sequence[Any], tick: Tick) -> list[Any]:
        """The same for calls that wait for each other: a failure is raised when it is known."""
        while pending := [one for one in futures if one.status == "pending"]:
            if any(one.status == "error" for one in futures):
                break
            self._look(pending, tick)
        ordered = sorted(futures, key=lambda one: one.status != "error")
        found = {one.key: self._answer(one, tick) for one in ordered}
        return [found[one.key] for one in futures]

    def wait(self, futures: Sequence[Any], tick: Tick) -> None:
        """Until every call has ended, well or not."""
        while pending := [one for one in futures if one.status == "pending"]:
            self._look(pending, tick)

    def lost(self) -> list[str]:
        """The addresses whose workers are gone, even where another has come in their place."""
        found = _identities(self.client)
        return [
            address
            for address, process in self.processes.items()
            if address not in found or str(found[address]["local_directory"]) != process
        ]

    def find_silent(self) -> list[str]:
        """The addresses at which nobody answers, whether the scheduler has noticed it or not."""
        answers = self.client.run(_stay, workers=list(self.threads), on_error="return")
        return [address for address, answer in answers.items() if isinstance(answer, OSError)]

    def refuse_loss(self, *, ask: bool = False) -> None:
        """Raise where a worker is gone.

        What follows from a loss may be heard before the scheduler has noticed it: `ask` asks every
        worker, too.
        """
        lost = self.lost() or (self.find_silent() if ask else [])
        if lost:
            raise ClusterLost(
                f"every worker must stay until training ends, found {', '.join(sorted(lost))} "
                "gone (ended, or out of memory)",
                Advice(
                    "start training again when it is back, with more workers or memory if it was "
                    "too little"
                ),
            )

    def end(self, calls: Iterable[tuple[Any, str]], patience: float) -> None:
        """End calls, given with their workers, that do not end within `patience` seconds.

        A call cannot be ended from outside, so its process ends; a nanny starts it anew. A worker
        without one may be part of a process that has more to do, and is left alone.
        """
        limit = time.monotonic() + patience
        with contextlib.suppress(OSError, TimeoutError, RuntimeError, SchedulerLost):
            there = _identities(self.client)
            running = [call for call in calls if call[1] in there and call[0].status == "pending"]
            while running and time.monotonic() < limit:
                time.sleep(_LOOK_SECONDS / 10)
                running = [call for call in running if call[0].status == "pending"]
            self.client.cancel([future for future, _ in running])
            homes = sorted({home for _, home in running if there[home].get("nanny")})
            if homes:
                self.client.run(_leave, workers=homes, on_error="ignore")
                self._await_return(homes, len(there))

    def _await_return(self, homes: Sequence[str], count: int) -> None:
        """Wait, but not for long, until the processes at `homes` are gone and others are there."""
        limit = time.monotonic() + _RETURN_SECONDS
        while time.monotonic() < limit:
            if set(homes) <= set(self.lost()) and len(_identities(self.client)) >= count:
                return
            time.sleep(_LOOK_SECONDS / 10)

    def _look(self, pending: Sequence[Any], tick: Tick) -> None:
        """Wait a second or until something ends, then see whether all is well."""
        distributed = importlib.import_module("distributed")
        with self.client.as_current(), _restarts(), contextlib.suppress(TimeoutError):
            distributed.wait(pending, timeout=_LOOK_SECONDS, return_when="FIRST_COMPLETED")
            return
        self.refuse_loss()
        tick()

    def _answer(self, future: Any, tick: Tick) -> Any:
        """The result; a worker that dies before it is fetched would make a plain call wait."""
        while True:
            try:
                with _restarts():
                    return future.result(timeout=_FETCH_SECONDS)
            except TimeoutError as error:
                # The call itself may have failed like this; waiting for it would not end.
                if future.status == "error":
                    raise RankwiseError(f"a worker failed: {future.exception()!r}") from error
                self.refuse_loss()
                tick()
            except ImportError as error:
                raise RankwiseError(
                    f"the workers must have what training over a cluster needs, found: {error}; "
                    f"install it there: {install_line('spread')}"
                ) from error


@contextlib.contextmanager
def _restarts() -> Iterator[None]:
    """Calls are cancelled by a scheduler that forgets them; nobody here cancels what it awaits."""
    try:
        yield
    except CancelledError as error:
        raise ClusterLost(
            "the cluster must stay until training ends, found that it was restarted or has lost "
            "its scheduler",
            Advice("start training again"),
        ) from error


def _stay() -> None:
    """Nothing: that it can be called is the answer."""


def _leave() -> None:
    """End this process in a moment: the one who asks for it gets an answer first."""
    threading.Timer(0.1, os._exit, (1,)).start()


def _identities(client: Any) -> dict[str, dict[str, Any]]:
    """What the scheduler knows of its workers, by address."""
    try:
        found: dict[str, dict[str, Any]] = client.sync(client.scheduler.identity)["workers"]
    except (OSError, TimeoutError, RuntimeError) as error:
        raise SchedulerLost(
            "the Dask scheduler must stay until training ends, found that it no longer answers; "
            "start it again, then the same command"
        ) from error
    return found
