"""Build an index: documents in batches to workers, their segments joined at the end.

The result does not depend on the number of workers, which are processes of this machine or of a
cluster. A build that was killed goes on with the segments that it had finished; a finished index
of the same source is opened if its digests are right, and built again if not.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import pkgutil
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankwise import __version__
from rankwise.cluster import KnownWorkers, WrongCode, connect, import_distributed, parse_wait
from rankwise.collection.analysis import Analysis
from rankwise.collection.corpora.document import BROKEN, Broken, Document, Findings
from rankwise.collection.index.index import (
    DATA,
    FORMAT,
    MANIFEST,
    WHOLE,
    Index,
    Manifest,
    View,
    describe_files,
    has_manifest,
    make_view_file_name,
    read_manifest,
    write_manifest,
)
from rankwise.collection.index.merging import ViewPlan, merge_segments
from rankwise.collection.index.segments import digest_segment, is_whole, write_segment
from rankwise.collection.metadata import is_plain_name
from rankwise.errors import Advice, RankwiseError
from rankwise.files import CannotWrite, make_folder, remove_abandoned
from rankwise.processes import leave_with, without_main
from rankwise.progress import Advance

SEGMENTS = "segments"
_DOCUMENTS_A_BATCH = 1000
_LOOK_SECONDS = 1.0
_CHARACTERS_A_BATCH = 8_000_000
_UNUSABLE = "document whose id is empty or has blanks or other unprintable characters, left out"
_REPEATED = "document id that was there before, left out"
_LOST_LINK = "link to a page that is not in the corpus"


@dataclass(frozen=True)
class IndexPlan:
    """What is to be indexed, and how.

    Attributes:
        name: of the corpus.
        streams: those that make up the whole document; `anchor` is the text of links to it.
        other_streams: indexed too, but no part of the whole, as the extracted title.
        analysis: how text becomes words.
        source: says what the corpus is, so that a finished index is only reused for the same one.
    """

    name: str
    streams: tuple[str, ...]
    other_streams: tuple[str, ...] = ()
    analysis: Analysis = field(default_factory=Analysis)
    source: str = ""

    def __post_init__(self) -> None:
        names = self.all_streams
        if not self.streams or len(set(names)) < len(names) or WHOLE in names:
            raise RankwiseError(
                f"an index needs one or more streams, each once and none called {WHOLE!r}, "
                f"found {', '.join(names) or 'none'}"
            )
        if not is_plain_name(self.name):
            raise RankwiseError(
                "the name of a corpus must be plain text on one line, without blanks at its ends, "
                f"found {self.name!r}",
                Advice("give another: {}", "name"),
            )
        for stream in names:
            if not is_plain_name(stream):
                raise RankwiseError(
                    "the name of a stream must be plain text on one line, without blanks at its "
                    f"ends, found {stream!r}",
                    Advice("rename it in the corpus"),
                    Advice("name the streams to be indexed: {}", "streams"),
                )

    @property
    def all_streams(self) -> tuple[str, ...]:
        """All streams, in the order in which they stand in a document."""
        return self.streams + self.other_streams

    @property
    def views(self) -> tuple[ViewPlan, ...]:
        """The streams, then the whole document where it is more than one, then other streams."""
        each = [ViewPlan(name, n, n) for n, name in enumerate(self.all_streams)]
        whole = [ViewPlan(WHOLE, 0, len(self.streams) - 1)] if len(self.streams) > 1 else []
        return (*each[: len(self.streams)], *whole, *each[len(self.streams) :])

    @property
    def settings(self) -> str:
        """Everything that a segment depends on besides its documents."""
        return json.dumps([FORMAT, list(self.all_streams), self.analysis.as_record()])


def build_index(
    documents: Iterable[Document | Broken],
    folder: str | Path,
    plan: IndexPlan,
    *,
    engine: IndexingWorkers | None = None,
    findings: Findings | None = None,
    advance: Advance = lambda count: None,
) -> Index:
    """The index of `documents` in `folder`, built, finished or opened.

    `advance` is called with the number of documents read so far.
    """
    home = make_folder(folder)
    found = findings if findings is not None else Findings()
    finished, damage = _open_finished_index(home, plan)
    if finished is not None:
        _take_over(finished, found)
        return finished
    segments = make_folder(home / SEGMENTS)
    paths = _write_segments(
        _accept_documents(documents, found, advance), segments, plan, engine or IndexingWorkers()
    )
    if not paths:
        raise RankwiseError(
            f"the corpus {plan.name!r} must hold documents, found none that is whole; "
            + "; ".join(found.lines())
        )
    _merge_segments(paths, home, plan, found)
    shutil.rmtree(segments, ignore_errors=True)
    # Said after the manifest is written: what the index was before is no fact about the new one.
    if damage:
        found.add("index that could not be used, built again", damage)
    return Index.open(home)


def _open_finished_index(home: Path, plan: IndexPlan) -> tuple[Index | None, str]:
    """The index that is there if it is the planned one and whole, else what is wrong with it."""
    remove_abandoned(home / MANIFEST)
    if not plan.source or not has_manifest(home):
        return None, ""
    try:
        same = read_manifest(home).source == _describe_source(plan)
        return (Index.open(home, verify=True) if same else None), ""
    except RankwiseError as error:
        return None, str(error)


def _take_over(index: Index, findings: Findings) -> None:
    """Say what was said when the index was built; where that loses documents, be as strict."""
    found = index.manifest.findings
    for kind in (BROKEN, _UNUSABLE, _REPEATED):
        if findings.strict and kind in found:
            raise RankwiseError(f"{kind}: {'; '.join(map(str, found[kind]['first'][:1]))}")
    findings.restore(found)


def _accept_documents(
    documents: Iterable[Document | Broken], findings: Findings, advance: Advance
) -> Iterator[Document]:
    """Documents that are whole and new; the others are counted and named."""
    seen: set[str] = set()
    for count, document in enumerate(documents, 1):
        advance(count)
        if isinstance(document, Broken):
            findings.add(document.kind, str(document), fatal_if_strict=document.is_damage)
        elif not _is_usable(document.id):
            findings.add(_UNUSABLE, _name_document(document), fatal_if_strict=True)
        elif document.id in seen:
            findings.add(_REPEATED, _name_document(document), fatal_if_strict=True)
        else:
            seen.add(document.id)
            yield document


def _name_document(document: Document) -> str:
    """The id as Python writes it, since it may hold anything, and where the document stands."""
    return f"{document.id!r}" + (f" at {document.where}" if document.where else "")


def _is_usable(identifier: str) -> bool:
    """Whether an id can stand between blanks in text files; lone surrogates are not printable."""
    return bool(identifier) and identifier.isprintable() and " " not in identifier


def _split_batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += sum(map(len, document.streams.values()))
        size += sum(len(link.target) + len(link.text) for link in document.links)
        if len(batch) >= _DOCUMENTS_A_BATCH or size >= _CHARACTERS_A_BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _write_segments(
    documents: Iterable[Document], folder: Path, plan: IndexPlan, engine: IndexingWorkers
) -> list[Path]:
    """Segments of all documents in order; those that are there already are not made again."""
    paths: list[Path] = []
    waiting: set[Future[str]] = set()
    with engine.executor() as (executor, room):
        for number, batch in enumerate(_split_batches(documents)):
            path = folder / f"{number:06d}-{digest_segment(batch, plan.settings)}.npz"
            paths.append(path)
            if is_whole(path):
                continue
            work = (batch, plan.analysis, plan.all_streams, str(path.resolve()))
            if executor is None:
                write_segment(*work)
                continue
            if len(waiting) >= room():
                waiting = _wait_for_one(waiting, room)
            waiting.add(executor.submit(write_segment, *work))
        while waiting:
            waiting = _wait_for_one(waiting, room)
    return paths


def _wait_for_one(waiting: set[Future[str]], room: Callable[[], int]) -> set[Future[str]]:
    """Those still waiting when at least one has ended; an error of one ends the build.

    While none ends, `room` is asked for: it raises where a cluster has lost its last worker.
    """
    done, still = wait(waiting, _LOOK_SECONDS, return_when=FIRST_COMPLETED)
    while not done:
        room()
        done, still = wait(waiting, _LOOK_SECONDS, return_when=FIRST_COMPLETED)
    for future in done:
        future.result()
    return still


def _merge_segments(paths: list[Path], home: Path, plan: IndexPlan, findings: Findings) -> None:
    """Make the files of the index beside its place, then put them there, then say so."""
    beside = home / "merging"
    shutil.rmtree(beside, ignore_errors=True)
    make_folder(beside)
    views = [ViewPlan(make_view_file_name(v.name), v.first, v.last) for v in plan.views]
    try:
        merged = merge_segments(paths, beside, plan.all_streams, views)
    except OSError as error:
        # numpy reports a short write, which is how a full disk shows, without its cause.
        raise CannotWrite(beside, error.strerror or "the disk is full") from error
    for example in merged.first_lost_links:
        findings.add(_LOST_LINK, example)
    if merged.lost_links:
        findings.counts[_LOST_LINK] = merged.lost_links
    # Until here an index that was there before is whole.
    (home / MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(home / DATA, ignore_errors=True)
    beside.rename(home / DATA)
    write_manifest(
        home,
        Manifest(
            format=FORMAT,
            name=plan.name,
            source=_describe_source(plan),
            streams=plan.all_streams,
            views=tuple(
                View(planned.name, view.first, view.last, view.unique_terms, view.total_terms)
                for planned, view in zip(plan.views, merged.views, strict=True)
            ),
            analysis=plan.analysis.as_record(),
            n_documents=merged.n_documents,
            n_terms=merged.n_terms,
            findings=findings.as_record(),
            files=describe_files(home),
        ),
    )


def _describe_source(plan: IndexPlan) -> str:
    return json.dumps([plan.source, plan.name, list(plan.streams), plan.settings])


_GOES_ON = "the same command goes on where this one stopped"
_VERSION_NAME = "rankwise:__version__"


@dataclass(frozen=True)
class IndexingWorkers:
    """Which workers analyse batches of documents: in this process, in others, or on a Dask cluster.

    Attributes:
        processes: how many; 1 stays in this process.
        dask: address of a Dask scheduler whose workers see the same folder; it is used instead.
        wait: how long a cluster without workers is waited for: seconds, or `10m`.
    """

    processes: int = 1
    dask: str | None = None
    wait: float | str | None = None

    def __post_init__(self) -> None:
        parse_wait(self.wait)
        if self.processes < 1:
            raise RankwiseError(
                f"documents are analysed by at least 1 process, found {self.processes}",
                Advice("leave out {}", "jobs"),
            )
        if self.wait is not None and self.dask is None:
            raise RankwiseError(
                "a time to wait for workers is for a Dask cluster, found none",
                Advice("name {}", "dask"),
            )

    @contextlib.contextmanager
    def executor(self) -> Iterator[tuple[Executor | None, Callable[[], int]]]:
        """An executor (None to stay here), and how many batches it may hold at the moment."""
        if self.dask is not None:
            with _connect(self.dask) as client:
                yield client.get_executor(), _Room(client, parse_wait(self.wait))
        elif self.processes > 1:
            with _open_pool(self.processes) as pool:
                yield pool, lambda: 2 * self.processes
        else:
            yield None, lambda: 1


@contextlib.contextmanager
def _open_pool(processes: int) -> Iterator[Executor]:
    spawned = multiprocessing.get_context("spawn")
    try:
        with (
            without_main(),
            ProcessPoolExecutor(
                processes, mp_context=spawned, initializer=leave_with, initargs=(os.getpid(),)
            ) as pool,
        ):
            yield pool
    except BrokenExecutor as error:
        raise RankwiseError(
            "a process that analysed documents ended before its time (it was killed, or memory "
            f"ran out); {_GOES_ON}",
            Advice("perhaps with fewer {}", "jobs"),
        ) from error


@contextlib.contextmanager
def _connect(address: str) -> Iterator[Any]:
    purpose = "indexing on a Dask cluster"
    distributed = import_distributed(purpose)
    with connect(address, purpose) as client:
        try:
            yield client
        except (distributed.KilledWorker, CancelledError) as error:
            raise RankwiseError(
                "workers of the Dask cluster ended again and again over the same documents, or its "
                f"scheduler did (killed, or memory ran out); {_GOES_ON}"
            ) from error
        except ImportError as error:
            raise WrongCode.of(error) from error


class _Room:
    """How many batches fit: two for each worker, which must have this Rankwise."""

    def __init__(self, client: Any, wait: float) -> None:
        self._known = KnownWorkers(client, wait)
        # The scheduler reads what workers are sent.
        found = client.run_on_scheduler(pkgutil.resolve_name, _VERSION_NAME)
        if found != __version__:
            raise WrongCode.of(f"{found} at the scheduler")

    def __call__(self) -> int:
        workers = self._known.ask_new(__version__, pkgutil.resolve_name, _VERSION_NAME)
        return 2 * max(1, len(workers))
