"""A corpus, opened with one of the corpus formats, of which this file has every one by name."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rankwise.arguments import check_choice
from rankwise.collection.corpora.classical import (
    NPL_BEGINNING,
    read_npl,
    read_ohsumed,
    read_smart,
    read_time,
)
from rankwise.collection.corpora.classical import TIME_DOCUMENT_MARK as TIME_MARK
from rankwise.collection.corpora.document import OTHER_FILE, Broken, Document
from rankwise.collection.corpora.html import is_page_name, read_html
from rankwise.collection.corpora.json_lines import read_json_lines
from rankwise.collection.corpora.text_files import beginning, files_below, without_compression
from rankwise.collection.corpora.trec_documents import DOCUMENT_MARK, read_trec
from rankwise.collection.corpora.warc import read_warc
from rankwise.data.formats.compression import DamagedCompression, open_bytes
from rankwise.errors import RankwiseError
from rankwise.files import is_folder, resolve

_ENDINGS = (
    ".jsonl", ".ndjson", ".json", ".warc", ".trec", ".xml", ".sgml", ".txt", ".html", ".htm",
)  # fmt: skip
_UNKNOWN, _EMPTY = "unknown", "empty"

Read = Callable[[Path, Path], Iterator[Document | Broken]]


@dataclass(frozen=True)
class CorpusFormat:
    """One way in which documents are stored.

    Attributes:
        name: as it is asked for.
        summary: what it is, in one line.
        read: the documents of one file, given the file and the corpus it belongs to.
        streams: those that are indexed when the user names none; empty takes all that are found.
    """

    name: str
    summary: str
    read: Read
    streams: tuple[str, ...] = ()


WEB_STREAMS = ("body", "anchor", "title", "url", "extracted title")

CORPUS_FORMATS = {
    entry.name: entry
    for entry in (
        CorpusFormat(
            "jsonl", "JSON lines with named streams", lambda file, _: read_json_lines(file)
        ),
        CorpusFormat(
            "smart",
            "SMART records (.I .T .A .W .X): Cranfield, CACM, CISI, MEDLINE",
            lambda file, _: read_smart(file),
            ("title", "abstract"),
        ),
        CorpusFormat(
            "ohsumed",
            "OHSUMED's MEDLINE references (.I .U .T .W)",
            lambda file, _: read_ohsumed(file),
            ("title", "abstract"),
        ),
        CorpusFormat(
            "time", "the TIME collection (*TEXT)", lambda file, _: read_time(file), ("body",)
        ),
        CorpusFormat(
            "npl",
            "numbered texts that end with a line of '/', as NPL's",
            lambda file, _: read_npl(file),
            ("body",),
        ),
        CorpusFormat("trec", "TREC text and web files (<DOC>)", lambda file, _: read_trec(file)),
        CorpusFormat(
            "warc", "WARC files of web pages", lambda file, _: read_warc(file), WEB_STREAMS
        ),
        CorpusFormat("html", "a folder of HTML pages as a web site", read_html, WEB_STREAMS),
    )
}


@dataclass(frozen=True)
class Corpus:
    """Documents that can be gone through again and again, and what they are.

    Attributes:
        name: what the data set is called.
        origin: where the documents come from, for people.
        format: how they are stored, a key of `CORPUS_FORMATS` where they are in files.
        streams: those that are indexed when the user names none; empty takes all that are found.
        source: changes when the documents may have changed.
        documents: goes through them; what cannot be read comes as `Broken`.
    """

    name: str
    origin: str
    format: str
    streams: tuple[str, ...]
    source: str
    documents: Callable[[], Iterator[Document | Broken]]


def open_corpus(
    path: str | Path,
    format_name: str = "auto",
    name: str | None = None,
    *,
    leave_out: Iterable[Path] = (),
) -> Corpus:
    """The corpus in a file or folder.

    `auto` finds the format by what the files begin with: that of most bytes, the others are left
    out and named. A folder whose format is given is read whole, but of a web site only the pages.
    No document of a folder is what is in the files and folders to `leave_out`, as queries and
    judgements, or in the folder of a build.
    """
    root = Path(path)
    found = files_below(root, leave_out)
    if format_name == "auto":
        chosen, files = _detect_format(root, found)
    else:
        check_choice("a corpus format", format_name, ("auto", *CORPUS_FORMATS), verb="is")
        chosen = CORPUS_FORMATS[format_name]
        pages_only = chosen.name == "html" and is_folder(root)
        files = [file for file in found if is_page_name(file.name) or not pages_only]
    if not files:
        raise RankwiseError(f"{root} must hold documents in {chosen.summary}, found no such file")

    def documents() -> Iterator[Document | Broken]:
        for file in sorted(set(found) - set(files)):
            yield Broken(str(file), f"the corpus is {chosen.summary}", OTHER_FILE)
        for file in files:
            yield from _read_file(chosen, file, root)

    place = resolve(root)
    own_name = name or (place.name if is_folder(root) else _strip_endings(place.name))
    return Corpus(
        own_name, str(root), chosen.name, chosen.streams, _describe_source(files), documents
    )


def _strip_endings(name: str) -> str:
    """A file's name without the endings that say how it is written: `cf` of `cf.jsonl.gz`."""
    plain = Path(without_compression(name))
    return plain.stem if plain.suffix.lower() in _ENDINGS else plain.name


def _read_file(chosen: CorpusFormat, file: Path, root: Path) -> Iterator[Document | Broken]:
    """The documents of a file, and of a damaged one those that come before the damage."""
    try:
        yield from chosen.read(file, root)
    except DamagedCompression:
        yield Broken(str(file), "its compression is damaged; the rest of it is left out")


def _describe_source(files: list[Path]) -> str:
    """Names, sizes and times of the files: reading a large corpus only to compare takes long."""
    facts = [(str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def _detect_format(root: Path, files: list[Path]) -> tuple[CorpusFormat, list[Path]]:
    """The format of most bytes, and the files that have it."""
    if not files:
        raise RankwiseError(f"{root} must hold documents, found no file in it")
    names = {file: _detect_format_name(file) for file in files}
    sizes: Counter[str] = Counter()
    for file, name in names.items():
        if name in CORPUS_FORMATS:
            sizes[name] += file.stat().st_size
    if not sizes:
        with open_bytes(files[0]) as stream:
            stream.read(1)  # where the file is damaged, that is what is said
        raise RankwiseError(
            f"cannot tell the format of {files[0]}; name it: one of {', '.join(CORPUS_FORMATS)}"
        )
    chosen = sizes.most_common(1)[0][0]
    # A file of which nothing can be read is empty or damaged; reading it says which.
    taken = {chosen} if chosen == "html" else {chosen, _EMPTY}
    return CORPUS_FORMATS[chosen], [file for file in files if names[file] in taken]


def _detect_format_name(file: Path) -> str:
    if is_page_name(file.name):
        return "html"
    first = beginning(file).lstrip()
    if not first:
        return _EMPTY
    if first.startswith(b"WARC/"):
        return "warc"
    if first.startswith(b"{"):
        return "jsonl"
    if first.startswith(b".I"):
        return "ohsumed" if b".U" in {line[:2] for line in first.splitlines()} else "smart"
    if first.startswith(TIME_MARK):
        return "time"
    if NPL_BEGINNING.match(first):
        return "npl"
    return "trec" if DOCUMENT_MARK.search(first) else _UNKNOWN
