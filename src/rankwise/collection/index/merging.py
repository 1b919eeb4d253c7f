"""Segments joined into an index: one list of terms, links to documents, postings.

Memory holds the terms, ids and URLs, the links with their anchor words, and a few numbers per term
and document; words and postings go from disk to disk.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from rankwise.collection.corpora.urls import normalize_url
from rankwise.collection.index.index import View
from rankwise.collection.index.segments import ANCHOR, Segment, read_segment
from rankwise.data.text import TextColumn, join
from rankwise.errors import RankwiseError
from rankwise.native import INT32S, INT32S_OUT, INT64, INT64S, INT64S_OUT, function

_SHOWN = 5
_LOST = -1

_VIEW = (INT32S, INT64, INT64S, INT64, INT64, INT64, INT64, INT64, INT32S_OUT)
_count_postings = function(
    "rankwise_count_postings", *_VIEW, INT64S_OUT, INT32S_OUT, INT32S_OUT, returns=INT64
)
_fill_postings = function(
    "rankwise_fill_postings", *_VIEW, INT64S_OUT, INT64, INT32S_OUT, INT32S_OUT, returns=INT64
)


@dataclass(frozen=True)
class ViewPlan:
    """A name and the streams from `first` to `last` that it stands for."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class Merged:
    """Sizes of what was merged, and links that lead nowhere: how many, and the first few."""

    n_documents: int
    n_terms: int
    views: tuple[View, ...]
    lost_links: int
    first_lost_links: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Anchors:
    """Words of links by the document that they point to, documents ascending."""

    tokens: NDArray[np.int32]
    counts: NDArray[np.int64]


def merge_segments(
    paths: Sequence[Path], folder: Path, streams: Sequence[str], views: Sequence[ViewPlan]
) -> Merged:
    """Write the files of an index into `folder`, which must exist and be empty."""
    numbers = _merge_texts(paths, folder)
    n_documents = len(np.load(folder / "ids.ends.npy", mmap_mode="r"))
    anchors, lost, first_lost = _merge_links(paths, folder, numbers, n_documents)
    _merge_tokens(paths, folder, streams, numbers, anchors, n_documents)
    written = tuple(_invert(folder, view, len(streams), len(numbers)) for view in views)
    return Merged(n_documents, len(numbers), written, lost, first_lost)


def _merge_texts(paths: Sequence[Path], folder: Path) -> dict[bytes, int]:
    """Terms in the order of their bytes, and everything that documents are called."""
    terms: set[bytes] = set()
    columns: dict[str, list[TextColumn]] = {"ids": [], "urls": [], "categories": []}
    for path in paths:
        segment = read_segment(path)
        terms.update(segment.terms.encoded_texts())
        for name, parts in columns.items():
            parts.append(getattr(segment, name))
    in_order = sorted(terms)
    _save_texts(folder, "terms", TextColumn.from_encoded(in_order))
    for name, parts in columns.items():
        _save_texts(folder, name, join(parts))
    return {term: number for number, term in enumerate(in_order)}


def _merge_links(
    paths: Sequence[Path], folder: Path, numbers: dict[bytes, int], n_documents: int
) -> tuple[_Anchors, int, tuple[str, ...]]:
    """Links between documents as offsets and targets, and the words that point to each."""
    homes = _index_homes(folder)
    sources, targets, tokens, pointed = _make_integer_list(), _make_integer_list(), [], []
    lost, before = 0, 0
    first_lost: list[str] = []
    for segment in map(read_segment, paths):
        found = np.array(
            [_find_home(homes, text) for text in segment.link_targets.encoded_texts()], np.int64
        )
        origin = segment.link_sources + before
        kept = (found >= 0) & (found != origin)
        lost += int(np.count_nonzero(found < 0))
        first_lost += _name_links(segment, np.flatnonzero(found < 0)[: _SHOWN - len(first_lost)])
        sources.append(origin[kept])
        targets.append(found[kept])
        lengths = np.diff(segment.anchor_boundaries) * kept
        words = _number_terms(segment, numbers)[segment.anchor_tokens]
        tokens.append(words[np.repeat(kept, np.diff(segment.anchor_boundaries))])
        pointed.append(np.repeat(found, lengths))
        before += segment.n_documents
    _save_links(folder, np.concatenate(sources), np.concatenate(targets), n_documents)
    return _gather_anchors(tokens, pointed, n_documents), lost, tuple(first_lost)


def _name_links(segment: Segment, links: NDArray[np.int64]) -> list[str]:
    """`document: target` of these links, targets as Python writes them: they may hold anything."""
    sources = segment.ids.take(segment.link_sources[links])
    targets = segment.link_targets.take(links)
    return [f"{source}: {target[:100]!r}" for source, target in zip(sources, targets, strict=True)]


def _make_integer_list() -> list[NDArray[np.int64]]:
    return [np.zeros(0, np.int64)]


def _index_homes(folder: Path) -> dict[bytes, int]:
    """The number of the document with this id or this URL; ids come first.

    A number is also known without its leading zeros, where only one document has it: see
    `find_places`.
    """
    homes: dict[bytes, int] = {}
    for number, identifier in enumerate(_load_texts(folder, "ids").encoded_texts()):
        homes.setdefault(identifier, number)
        if identifier.isdigit():
            key = _make_number_key(identifier)
            homes[key] = _LOST if key in homes else number
    for number, url in enumerate(_load_texts(folder, "urls").encoded_texts()):
        if url:
            homes.setdefault(_make_url_key(url), number)
    return homes


def _find_home(homes: dict[bytes, int], target: bytes) -> int:
    found = homes.get(target)
    if found is None and target.isdigit():
        found = homes.get(_make_number_key(target))
    return homes.get(_make_url_key(target), _LOST) if found is None else found


# Keys that no id can have: ids hold no NUL.
def _make_number_key(digits: bytes) -> bytes:
    return b"\0\0" + (digits.lstrip(b"0") or b"0")


def _make_url_key(url: bytes) -> bytes:
    return b"\0" + normalize_url(url.decode("utf-8", "replace")).encode("utf-8", "replace")


def _save_links(
    folder: Path, sources: NDArray[np.int64], targets: NDArray[np.int64], n_documents: int
) -> None:
    """Each pair of documents once, by source and then by target."""
    pairs = np.unique(sources * n_documents + targets)
    counts = np.bincount(pairs // max(n_documents, 1), minlength=n_documents)
    np.save(folder / "link-offsets.npy", _add_up_offsets(counts))
    np.save(folder / "link-targets.npy", (pairs % max(n_documents, 1)).astype(np.int32))


def _gather_anchors(
    tokens: list[NDArray[np.int32]], pointed: list[NDArray[np.int64]], n_documents: int
) -> _Anchors:
    words = np.concatenate([np.zeros(0, np.int32), *tokens])
    documents = np.concatenate([*_make_integer_list(), *pointed])
    order = np.argsort(documents, kind="stable")
    return _Anchors(words[order], np.bincount(documents, minlength=n_documents).astype(np.int64))


def _merge_tokens(
    paths: Sequence[Path],
    folder: Path,
    streams: Sequence[str],
    numbers: dict[bytes, int],
    anchors: _Anchors,
    n_documents: int,
) -> None:
    """Words document by document, stream by stream; a document's own anchor precedes links'."""
    anchor = streams.index(ANCHOR) if ANCHOR in streams else None
    total = sum(len(segment.tokens) for segment in map(read_segment, paths))
    total += len(anchors.tokens) if anchor is not None else 0
    tokens = _map_new(folder / "tokens.npy", np.int32, total)
    boundaries = _map_new(folder / "boundaries.npy", np.int64, n_documents * len(streams) + 1)
    anchor_ends = np.cumsum(anchors.counts)
    before, written = 0, 0
    for segment in map(read_segment, paths):
        n = segment.n_documents
        lengths = np.diff(segment.boundaries).reshape(n, len(streams))
        own = np.ascontiguousarray(lengths)
        if anchor is not None:
            pointing = anchors.counts[before : before + n]
            lengths = lengths.copy()
            lengths[:, anchor] += pointing
        ends = written + np.cumsum(lengths.ravel())
        begins = (ends - lengths.ravel()).reshape(n, len(streams))
        words = _number_terms(segment, numbers)[segment.tokens]
        tokens[_expand_stretches(begins.ravel(), own.ravel())] = words
        if anchor is not None and n:
            last = int(anchor_ends[before + n - 1])
            first = last - int(pointing.sum())
            where = _expand_stretches(begins[:, anchor] + own[:, anchor], pointing)
            tokens[where] = anchors.tokens[first:last]
        boundaries[before * len(streams) + 1 : (before + n) * len(streams) + 1] = ends
        before, written = before + n, int(ends[-1]) if n else written
    tokens.flush()
    boundaries.flush()


def _map_new(path: Path, kind: type[np.generic], length: int) -> np.memmap[Any, Any]:
    """A new array in a file, of zeros, for which the disk has room.

    Writing to a page that a full disk has no room for would kill the process.
    """
    array = open_memmap(path, "w+", kind, (length,))
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as stream:
            os.posix_fallocate(stream.fileno(), 0, path.stat().st_size)
    return array


def _expand_stretches(begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """begin, begin + 1, … for each stretch, one after the other."""
    ends = np.cumsum(lengths)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    where: NDArray[np.int64] = np.repeat(begins, lengths) + within
    return where


def _number_terms(segment: Segment, numbers: dict[bytes, int]) -> NDArray[np.int32]:
    return np.array([numbers[term] for term in segment.terms.encoded_texts()], np.int32)


def _invert(folder: Path, view: ViewPlan, n_streams: int, n_terms: int) -> View:
    """Postings of one view; disk is written as the documents come, page by page."""
    tokens = np.asarray(np.load(folder / "tokens.npy", mmap_mode="r"))
    boundaries = np.asarray(np.load(folder / "boundaries.npy", mmap_mode="r"))
    n_documents = (len(boundaries) - 1) // n_streams
    frequencies = np.zeros(n_terms, np.int64)
    lengths, unique = np.zeros(n_documents, np.int32), np.zeros(n_documents, np.int32)
    where = (tokens, len(tokens), boundaries, n_documents, n_streams, view.first, view.last,
             n_terms)  # fmt: skip
    seen = np.full(n_terms, -1, np.int32)
    wrong = _count_postings(*where, seen, frequencies, lengths, unique)
    offsets = _add_up_offsets(frequencies)
    postings = [
        _map_new(folder / f"{view.name}-{what}.npy", np.int32, int(offsets[-1]))
        for what in ("documents", "frequencies")
    ]
    seen[:] = -1
    wrong = wrong or _fill_postings(
        *where, seen, offsets[:-1].copy(), int(offsets[-1]), *map(np.asarray, postings)
    )
    if wrong:
        raise RankwiseError(f"the words in {folder} must be terms of its index, found others")
    for part in postings:
        part.flush()
    for what, array in (("offsets", offsets), ("lengths", lengths), ("unique-lengths", unique)):
        np.save(folder / f"{view.name}-{what}.npy", array)
    known, words = int(np.count_nonzero(frequencies)), int(lengths.sum(dtype=np.int64))
    return View(view.name, view.first, view.last, known, words)


def _add_up_offsets(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def _save_texts(folder: Path, name: str, texts: TextColumn) -> None:
    np.save(folder / f"{name}.data.npy", texts.data)
    np.save(folder / f"{name}.ends.npy", texts.ends)


def _load_texts(folder: Path, name: str) -> TextColumn:
    return TextColumn.from_ends(
        *(np.load(folder / f"{name}.{part}.npy") for part in ("data", "ends"))
    )
