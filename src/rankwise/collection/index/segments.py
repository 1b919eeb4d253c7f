"""Segments: a batch of documents as numbered words, made by one worker, kept in one file.

A segment's name holds the digest of what went into it. So a build that was killed finds what it
had finished, and a corpus that changed does not find what no longer fits.
"""

from __future__ import annotations

import functools
import hashlib
import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.analysis import Analyser, Analysis
from rankwise.collection.corpora.document import Document
from rankwise.data.text import TextColumn
from rankwise.files import readable, written_whole

ANCHOR = "anchor"
_LEFT_OUT = -1


@dataclass(frozen=True, eq=False)
class Segment:
    """Documents with their words as numbers into the segment's own list of terms.

    Words of stream s of document d are `tokens[boundaries[d * S + s] : boundaries[d * S + s + 1]]`.
    Words of link l are `anchor_tokens[anchor_boundaries[l] : anchor_boundaries[l + 1]]`.
    """

    terms: TextColumn
    tokens: NDArray[np.int32]
    boundaries: NDArray[np.int64]
    ids: TextColumn
    urls: TextColumn
    categories: TextColumn
    link_sources: NDArray[np.int64]
    link_targets: TextColumn
    anchor_tokens: NDArray[np.int32]
    anchor_boundaries: NDArray[np.int64]

    @property
    def n_documents(self) -> int:
        """How many documents the segment has."""
        return len(self.ids)


def digest_segment(documents: Sequence[Document], settings: str) -> str:
    """What a segment of these documents under these settings is called."""
    digest = hashlib.blake2b(settings.encode(), digest_size=12)
    for document in documents:
        parts = [document.id, document.url, document.category]
        parts += [text for stream in document.streams.items() for text in stream]
        parts += [text for link in document.links for text in (link.target, link.text)]
        for part in parts:
            encoded = part.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "little"))
            digest.update(encoded)
    return digest.hexdigest()


def write_segment(
    documents: Sequence[Document], analysis: Analysis, streams: Sequence[str], path: str
) -> str:
    """Analyse the documents and write their segment; runs in a worker process."""
    segment = make_segment(documents, analysis, streams)
    arrays: dict[str, NDArray[np.generic]] = {}
    for entry in fields(Segment):
        value = getattr(segment, entry.name)
        if isinstance(value, TextColumn):
            arrays[f"{entry.name}.data"], arrays[f"{entry.name}.ends"] = value.data, value.ends
        else:
            arrays[entry.name] = value
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    with written_whole(path) as stream:
        stream.write(content.getbuffer())
    return path


def make_segment(
    documents: Sequence[Document], analysis: Analysis, streams: Sequence[str]
) -> Segment:
    """The words of the documents, numbered; links keep their targets as text until all are known.

    The stream `anchor` has only the document's own here: most of its words stand on others.
    """
    numbers = _WordNumbers(_make_analyser(analysis))
    texts = [document.streams.get(stream, "") for document in documents for stream in streams]
    links = [(source, link) for source, one in enumerate(documents) for link in one.links]
    anchors = [link.text if ANCHOR in streams else "" for _, link in links]
    tokens, boundaries = numbers.numbered(texts)
    anchor_tokens, anchor_boundaries = numbers.numbered(anchors)
    return Segment(
        terms=_pack(numbers.terms),
        tokens=tokens,
        boundaries=boundaries,
        ids=_pack(document.id for document in documents),
        urls=_pack(document.url for document in documents),
        categories=_pack(document.category for document in documents),
        link_sources=np.array([source for source, _ in links], np.int64),
        link_targets=_pack(link.target for _, link in links),
        anchor_tokens=anchor_tokens,
        anchor_boundaries=anchor_boundaries,
    )


def _pack(texts: Iterable[str]) -> TextColumn:
    """A column of texts; what is not Unicode text (lone surrogates) survives."""
    return TextColumn.from_encoded([text.encode("utf-8", "surrogatepass") for text in texts])


def read_segment(path: str | Path) -> Segment:
    """The segment of a file; its parts are checked against the checksums in the file."""
    with readable(path) as stream, np.load(stream, allow_pickle=False) as arrays:
        values: dict[str, Any] = {
            entry.name: TextColumn.from_ends(
                arrays[f"{entry.name}.data"], arrays[f"{entry.name}.ends"]
            )
            if f"{entry.name}.data" in arrays
            else arrays[entry.name]
            for entry in fields(Segment)
        }
    return Segment(**values)


def is_whole(path: Path) -> bool:
    """Whether a segment file is there and none of its bytes has changed."""
    try:
        with zipfile.ZipFile(path) as parts:
            return parts.testzip() is None
    except (OSError, zipfile.BadZipFile):
        return False


@functools.lru_cache(maxsize=1)
def _make_analyser(analysis: Analysis) -> Analyser:
    """The same one for all segments of a worker: most words of a segment were in one before."""
    return Analyser(analysis)


class _WordNumbers(dict[str, int]):
    """Number of each cut word among the segment's terms, found when it is first asked for."""

    def __init__(self, analyser: Analyser) -> None:
        super().__init__()
        self._analyser = analyser
        self._numbers: dict[str, int] = {}

    def __missing__(self, raw: str) -> int:
        word = self._analyser.index_word(raw)
        number = self._numbers.setdefault(word, len(self._numbers)) if word else _LEFT_OUT
        self[raw] = number
        return number

    @property
    def terms(self) -> list[str]:
        return list(self._numbers)

    def numbered(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The words of all texts one after the other, and where each text begins and ends."""
        cut = self._analyser.cut
        found: list[int] = []
        ends = []
        for text in texts:
            if text:
                found += [number for raw in cut(text.lower()) if (number := self[raw]) >= 0]
            ends.append(len(found))
        return np.array(found, np.int32), np.array([0, *ends], np.int64)
