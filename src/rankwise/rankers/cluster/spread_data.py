"""Training data that lie in shares on the workers of a cluster, read there and never elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_shares import LetorShare, cut_into_shares
from rankwise.errors import RankwiseError
from rankwise.rankers.cluster.workers import Tick, Workers
from rankwise.rankers.ranker import Round, Watch

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
    homes = _homes(len(pieces), list(workers.threads))
    workers = workers.only(homes)
    held = [
        workers.submit(home, _answer, partial(_read, threads=workers.threads[home]), piece)
        for piece, home in zip(pieces, homes, strict=True)
    ]
    sizes = workers.answers(
        [workers.submit(home, _size, one) for one, home in zip(held, homes, strict=True)], tick
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


class _Size(NamedTuple):
    n_features: int
    n_documents: int
    query_ids: list[str]


def _homes(shares: int, workers: Sequence[str]) -> list[str]:
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


def _read(share: LetorShare, threads: int) -> Dataset:
    """The share without the texts of its documents, which training does not need."""
    return share.read(threads).without_texts()


def _size(dataset: Dataset) -> _Size:
    return _Size(dataset.n_features, dataset.n_documents, list(dataset.query_ids))


def _widened(workers: Workers, dataset: Any, home: str, size: _Size, width: int) -> Any:
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
