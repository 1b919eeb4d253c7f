"""An index opened: what features, sampling and metadata ask of a corpus.

manifest.json            written last: without it the folder is not an index; says that it is whole
data/tokens.npy          words of all documents as term numbers, document by document
data/boundaries.npy      where each stream of each document begins
data/<view>-….npy        postings of each stream and of the whole document
data/terms|ids|urls|categories.{data,ends}.npy
data/link-offsets.npy, data/link-targets.npy
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.analysis import Analysis
from rankwise.collection.corpora.document import find_places
from rankwise.collection.statistics import (
    CollectionStatistics,
    QueryStatistics,
    QueryTerm,
    StreamStatistics,
)
from rankwise.data.text import TextColumn
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import readable, write_text

WHOLE = "whole"
_LONGEST_VIEW_NAME = 100

Numbers = NDArray[np.int64]
Postings = tuple[NDArray[np.int32], NDArray[np.int32]]


@dataclass(frozen=True)
class Index:
    """Words of a corpus by stream. Documents and terms are numbered from 0.

    Arrays are mapped from disk, so that memory holds only what is looked at.
    """

    folder: Path
    manifest: Manifest

    @classmethod
    def open(cls, folder: str | Path, *, verify: bool = False) -> Index:
        """The index of a folder; `verify` reads all of it and compares digests."""
        manifest = read_manifest(folder)
        if verify:
            for name in find_damaged_files(folder, manifest):
                raise RankwiseError(
                    f"{Path(folder) / DATA / name} is damaged: its digest is not that of the "
                    "manifest; build the index again"
                )
        return cls(Path(folder), manifest)

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return self.manifest.n_documents

    @property
    def view_names(self) -> tuple[str, ...]:
        """Streams and the whole document, in the order of features."""
        return tuple(view.name for view in self.manifest.views)

    @cached_property
    def analysis(self) -> Analysis:
        """How text became words."""
        return Analysis.from_record(self.manifest.analysis)

    @cached_property
    def document_ids(self) -> TextColumn:
        """The name of each document."""
        return self._read_texts("ids")

    @cached_property
    def urls(self) -> TextColumn:
        """The URL of each document, empty where it has none."""
        return self._read_texts("urls")

    @cached_property
    def categories(self) -> TextColumn:
        """The user's label of each document, empty where it has none."""
        return self._read_texts("categories")

    @cached_property
    def terms(self) -> TextColumn:
        """All words, in the order of their bytes."""
        return self._read_texts("terms")

    @cached_property
    def links(self) -> tuple[Numbers, NDArray[np.int32]]:
        """Offsets and targets: document d links to `targets[offsets[d] : offsets[d + 1]]`."""
        return self._open_array("link-offsets"), self._open_array("link-targets")

    @cached_property
    def statistics(self) -> CollectionStatistics:
        """The collection as metadata and features know it."""
        streams = tuple(
            StreamStatistics(number, view.name, view.unique_terms, view.total_terms)
            for number, view in enumerate(self.manifest.views, 1)
        )
        return CollectionStatistics(self.manifest.name, self.n_documents, streams)

    def find_numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The numbers of the documents with these ids, as `find_places` finds them."""
        return find_places(ids, self.document_ids)

    def find_term_number(self, word: str) -> int:
        """The number of an index word, −1 where no document has it."""
        wanted = word.encode("utf-8", "surrogatepass")
        low, high = 0, len(self.terms)
        while low < high:
            middle = (low + high) // 2
            if self.terms.encoded(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self.terms) and self.terms.encoded(low) == wanted else -1

    def place(self, view: str) -> int:
        """Where a stream stands among the streams of features, from 0."""
        if view not in self.view_names:
            raise RankwiseError(
                f"the index has the streams {', '.join(self.view_names)}, found {view!r}"
            )
        return self.view_names.index(view)

    def postings(self, place: int, term: int) -> Postings:
        """Documents (ascending) that have the term in a stream, and how often."""
        if term < 0:
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        begin, end = self._open_view_array(place, "offsets")[term : term + 2]
        documents = self._open_view_array(place, "documents")[begin:end]
        return documents, self._open_view_array(place, "frequencies")[begin:end]

    def document_frequencies(self, place: int, terms: Numbers) -> Numbers:
        """How many documents have each term in a stream."""
        offsets = self._open_view_array(place, "offsets")
        return np.asarray(offsets[terms + 1] - offsets[terms], np.int64)

    def lengths(self, place: int) -> NDArray[np.int32]:
        """Words of each document in a stream."""
        return self._open_view_array(place, "lengths")

    def unique_lengths(self, place: int) -> NDArray[np.int32]:
        """Distinct words of each document in a stream."""
        return self._open_view_array(place, "unique-lengths")

    @cached_property
    def tokens(self) -> NDArray[np.int32]:
        """The words of all documents as term numbers."""
        return self._open_array("tokens")

    def stretches(self, documents: Numbers, place: int) -> tuple[Numbers, Numbers]:
        """Where a stream of each document begins and ends in `tokens`."""
        view = self.manifest.views[place]
        boundaries = self._open_array("boundaries")
        first = documents * len(self.manifest.streams)
        return boundaries[first + view.first], boundaries[first + view.last + 1]

    def query_statistics(
        self, query_id: str, words: Sequence[str], documents: Numbers, labels: NDArray[np.float64]
    ) -> QueryStatistics:
        """Everything that features need of a query and its documents."""
        numbers = [self.find_term_number(word) for word in words]
        places = range(len(self.manifest.views))
        counts = np.zeros((len(documents), len(places), len(words)), np.int64)
        df, cf = np.zeros((2, len(words), len(places)), np.int64)
        for place in places:
            for position, term in enumerate(numbers):
                having, frequencies = self.postings(place, term)
                df[position, place] = len(having)
                cf[position, place] = frequencies.sum(dtype=np.int64)
                counts[:, place, position] = look_up(having, frequencies, documents)
        terms = [
            QueryTerm(word, tuple(df[n].tolist()), tuple(cf[n].tolist()))
            for n, word in enumerate(words)
        ]
        return QueryStatistics(
            query_id=query_id,
            stream_query_lengths=tuple(np.count_nonzero(df, axis=0).tolist()),
            terms=tuple(terms),
            document_ids=tuple(self.document_ids.take(documents)),
            labels=labels,
            lengths=self._count_in_documents("lengths", documents),
            unique_lengths=self._count_in_documents("unique-lengths", documents),
            term_frequencies=counts,
        )

    def _count_in_documents(self, what: str, documents: Numbers) -> Numbers:
        columns = [
            self._open_view_array(n, what)[documents] for n in range(len(self.manifest.views))
        ]
        return np.stack(columns, axis=1).astype(np.int64)

    def _read_texts(self, name: str) -> TextColumn:
        return TextColumn.from_ends(
            self._open_array(f"{name}.data"), self._open_array(f"{name}.ends")
        )

    def _open_view_array(self, place: int, what: str) -> NDArray[Any]:
        view: View = self.manifest.views[place]
        return self._open_array(f"{make_view_file_name(view.name)}-{what}")

    def _open_array(self, name: str) -> NDArray[Any]:
        if name not in self._open:
            path = self.folder / DATA / f"{name}.npy"
            self._open[name] = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        return self._open[name]

    @cached_property
    def _open(self) -> dict[str, NDArray[Any]]:
        return {}


def look_up(
    documents: NDArray[np.int32], frequencies: NDArray[np.int32], wanted: Numbers
) -> Numbers:
    """The frequency of each wanted document among ascending postings, 0 where it is not there."""
    if not len(documents):
        return np.zeros(len(wanted), np.int64)
    where = np.minimum(np.searchsorted(documents, wanted), len(documents) - 1)
    return np.where(documents[where] == wanted, frequencies[where], 0).astype(np.int64)


def make_view_file_name(name: str) -> str:
    """A stream's name as the beginning of file names; different names stay different."""
    plain = "view-" + re.sub(r"[^a-z0-9]", lambda m: f"_{ord(m[0]):x}_", name)
    if len(plain) <= _LONGEST_VIEW_NAME:
        return plain
    # No shorter name has a second hyphen.
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{plain[:_LONGEST_VIEW_NAME]}-{digest}"


FORMAT = 5
MANIFEST = "manifest.json"
DATA = "data"
_PIECE = 1 << 22


@dataclass(frozen=True)
class View:
    """A stream, or the union of the streams from `first` to `last`, as features see it."""

    name: str
    first: int
    last: int
    unique_terms: int
    total_terms: int


@dataclass(frozen=True)
class Manifest:
    """What an index is made of.

    Attributes:
        format: of this layout.
        name: of the corpus.
        source: what the index was made from, in the words of whoever built it.
        streams: as they stand in each document.
        views: streams and the whole document, in the order of features.
        analysis: how text became words.
        n_documents, n_terms: sizes.
        findings: what was odd about the corpus.
        files: size and digest of each file.
    """

    format: int
    name: str
    source: str
    streams: tuple[str, ...]
    views: tuple[View, ...]
    analysis: dict[str, object]
    n_documents: int
    n_terms: int
    findings: dict[str, dict[str, Any]]
    files: dict[str, dict[str, object]]


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest, which makes the folder an index."""
    write_text(folder / MANIFEST, json.dumps(asdict(manifest), indent=1, ensure_ascii=True) + "\n")


def read_manifest(folder: str | Path) -> Manifest:
    """The manifest of an index; files that are missing or of another size are refused."""
    path = Path(folder) / MANIFEST
    with readable(path) as stream:
        content = stream.read()
    try:
        record: dict[str, Any] = json.loads(content)
        if record["format"] != FORMAT:
            raise RankwiseError(
                f"{path}: the index must have format {FORMAT}, found {record['format']!r}; "
                "build it again"
            )
        record["views"] = tuple(View(**view) for view in record["views"])
        record["streams"] = tuple(record["streams"])
        manifest = Manifest(**record)
        _check_sizes(Path(folder), manifest)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError("the file must be the manifest of an index; build it again", path) from (
            error
        )
    return manifest


def has_manifest(folder: Path) -> bool:
    """Whether the folder is a finished index."""
    return (folder / MANIFEST).is_file()


def describe_files(folder: Path) -> dict[str, dict[str, object]]:
    """Size and digest of every file of the index."""
    return {
        path.name: {"bytes": path.stat().st_size, "blake2b": compute_digest(path)}
        for path in sorted((folder / DATA).iterdir())
    }


def find_damaged_files(folder: str | Path, manifest: Manifest) -> Iterator[str]:
    """Names of the files whose content is not what it was when the index was built."""
    for name, facts in manifest.files.items():
        if compute_digest(Path(folder) / DATA / name) != facts["blake2b"]:
            yield name


def compute_digest(path: str | Path) -> str:
    """BLAKE2b of a file, 16 bytes in hexadecimal."""
    digest = hashlib.blake2b(digest_size=16)
    with readable(path) as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _check_sizes(folder: Path, manifest: Manifest) -> None:
    for name, facts in manifest.files.items():
        path = folder / DATA / name
        found = path.stat().st_size if path.is_file() else None
        if found != facts["bytes"]:
            state = "missing" if found is None else f"{found} bytes"
            raise RankwiseError(
                f"{path} must have {facts['bytes']} bytes, found it {state}; build the index again"
            )
