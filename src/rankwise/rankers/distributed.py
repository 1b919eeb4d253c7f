"""Training one model over the workers of a Dask cluster.

The training data lie in shares on the workers, are read there and never elsewhere; rankers that are
SpreadingRankers can learn from them.

All workers do one thing together, and must stay until it is done. Dask gives the tasks of a dead
worker to others, which is no help where each worker holds data of its own: such work would wait for
ever. Waiting here looks every second whether all are there.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_reader import LetorShare, cut_into_shares
from rankwise.errors import Advice, RankwiseError, install_line
from rankwise.models.model import Model
from rankwise.models.scorers.scorer import Scorer
from rankwise.rankers.ranker import (
    Learned,
    Ranker,
    Round,
    Watch,
    add_remarks,
    never_stop,
    unvalidated_remarks,
)


@dataclass(frozen=True)
class SpreadingRanker(Ranker):
    """A ranker with a second way to fit, for training data that outgrow a machine."""

    def fit_on_cluster(
        self,
        train: SpreadData,
        validation: Dataset | None = None,
        *,
        watch: Watch = never_stop,
    ) -> Model:
        """Learn from `train`, which stays where it is; otherwise as `fit`."""
        train.each(partial(self._refuse, what="training"), ticking(watch, self.name))
        if validation is not None:
            self._refuse_validation(validation, train.n_features)
        able, remarks = self._able_to_choose(None, validation)
        scorer, facts = able._learn_on_cluster(train, validation, watch)
        facts = add_remarks(facts, remarks)
        if validation is None:
            facts = add_remarks(facts, unvalidated_remarks(facts) if self.uses_measure else [])
        return Model(self.name, able.parameters(), scorer, facts, self.paper)

    @abstractmethod
    def _learn_on_cluster(
        self, train: SpreadData, validation: Dataset | None, watch: Watch
    ) -> Learned[Scorer]:
        """The learned function, and facts about the training (JSON values only)."""


Answer = TypeVar("Answer")


def unhurried() -> None:
    """The tick of those who set no limit."""


def ticking(watch: Watch, ranker: str, rounds: int = 1) -> Tick:
    """A tick that tells `watch` of round 0; it may print even where LightGBM may not."""
    shown = sys.stdout

    def tick() -> None:
        with contextlib.redirect_stdout(shown):
            stop = watch(Round(0, rounds))
        if stop:
            raise RankwiseError(
                f"{ranker}: training over a cluster was stopped before its end, so there is no "
                "model: all rounds are grown before one is chosen"
            )

    return tick


class Share(NamedTuple):
    """One share: the future of its data set, the worker that holds it, and its size."""

    dataset: Any
    home: str
    n_documents: int
    n_queries: int


@dataclass(frozen=True, eq=False)
class SpreadData:
    """What is known here of training data that other machines hold.

    Attributes:
        workers: those that hold a share.
        shares: in the order of the file; neighbours share a worker.
        n_features: the columns of every share.
    """

    workers: Workers
    shares: tuple[Share, ...]
    n_features: int

    @property
    def n_documents(self) -> int:
        """Number of rows of all shares."""
        return sum(share.n_documents for share in self.shares)

    @property
    def n_queries(self) -> int:
        """Number of queries of all shares."""
        return sum(share.n_queries for share in self.shares)

    @property
    def homes(self) -> tuple[str, ...]:
        """The workers that hold data, in the order of the file."""
        return tuple(dict.fromkeys(share.home for share in self.shares))

    def each(self, function: Callable[[Dataset], Answer], tick: Tick = unhurried) -> list[Answer]:
        """What `function` says of every share, computed where the share lies."""
        futures = [
            self.workers.submit(share.home, _answer, function, share.dataset)
            for share in self.shares
        ]
        return self.workers.answers(futures, tick)


def spread(
    client: Any,
    path: str | Path,
    *,
    shares: int | None = None,
    zero_based: bool = False,
    n_features: int = 0,
    tick: Tick = unhurried,
) -> SpreadData:
    """Let the workers of a cluster read a LETOR file, each its own shares of it.

    Args:
        client: of `distributed`.
        path: a plain file that all workers see under this path.
        shares: how many; by default one for each worker. What a worker holds does not depend on
            it where it is a multiple of the number of workers.
        zero_based: indices begin at 0 rather than 1.
        n_features: at least so many columns.
        tick: called about every second while the workers read.
    """
    workers = Workers.of(client)
    pieces = cut_into_shares(path, shares or len(workers.threads), zero_based=zero_based)
    homes = _homes_of_shares(len(pieces), list(workers.threads))
    workers = workers.only(homes)
    held = [
        workers.submit(home, _answer, partial(_read_share, threads=workers.threads[home]), piece)
        for piece, home in zip(pieces, homes, strict=True)
    ]
    sizes = workers.answers(
        [workers.submit(home, _size_of_share, one) for one, home in zip(held, homes, strict=True)],
        tick,
    )
    _refuse_repeated(pieces, [size.query_ids for size in sizes])
    width = max(n_features, *(size.n_features for size in sizes))
    placed = tuple(
        Share(
            _widened(workers, one, home, size, width), home, size.n_documents, len(size.query_ids)
        )
        for one, home, size in zip(held, homes, sizes, strict=True)
    )
    return SpreadData(workers, placed, width)


class _ShareSize(NamedTuple):
    n_features: int
    n_documents: int
    query_ids: list[str]


def _homes_of_shares(shares: int, workers: Sequence[str]) -> list[str]:
    """The worker of every share: always the same, and an unbroken part of the file for each.

    What each worker holds decides the bins of LightGBM, hence its trees.
    """
    used = min(shares, len(workers))
    return [workers[number * used // shares] for number in range(shares)]


def _answer(function: Callable[[Any], Answer], argument: Any) -> Answer:
    """Call on a worker; errors with places in files become plain ones, which can be sent."""
    try:
        return function(argument)
    except RankwiseError as error:
        raise RankwiseError(str(error)) from None


def _read_share(share: LetorShare, threads: int) -> Dataset:
    """The share without the texts of its documents, which training does not need."""
    return share.read(threads).without_texts()


def _size_of_share(dataset: Dataset) -> _ShareSize:
    return _ShareSize(dataset.n_features, dataset.n_documents, list(dataset.query_ids))


def _widened(workers: Workers, dataset: Any, home: str, size: _ShareSize, width: int) -> Any:
    """Sparse files leave last features out: columns of 0 up to those of the widest share."""
    if size.n_features == width:
        return dataset
    return workers.submit(home, Dataset.widened, dataset, width)


def _refuse_repeated(pieces: Sequence[LetorShare], query_ids: Sequence[list[str]]) -> None:
    """A query id in two shares: one share alone cannot tell that its query is not whole."""
    seen: set[str] = set()
    for ids in query_ids:
        for query_id in ids:
            if query_id in seen:
                raise RankwiseError(
                    f"{pieces[0].path}: the rows of a query must stand together, found query "
                    f"{query_id!r} in two shares of the file; sort it by query first"
                )
        seen.update(ids)


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
        answers = self.client.run(_stay_on_worker, workers=list(self.threads), on_error="return")
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
                self.client.run(_leave_worker, workers=homes, on_error="ignore")
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


def _stay_on_worker() -> None:
    """Nothing: that it can be called is the answer."""


def _leave_worker() -> None:
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
