"""Every corpus format by name, and the corpus that is opened with one of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rankwise.collection.corpora.document import Broken, Document
from rankwise.collection.corpora.html import PAGE_ENDINGS, read_html
from rankwise.collection.corpora.json_lines import read_json_lines
from rankwise.collection.corpora.ohsumed import read_ohsumed
from rankwise.collection.corpora.smart import read_smart
from rankwise.collection.corpora.text_files import files_below, open_bytes
from rankwise.collection.corpora.trec import read_trec
from rankwise.collection.corpora.warc import read_warc
from rankwise.errors import RankwiseError

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
            "SMART records (.I .T .A .W .X): Cranfield, CACM",
            lambda file, _: read_smart(file),
            ("title", "abstract"),
        ),
        CorpusFormat(
            "ohsumed",
            "OHSUMED's MEDLINE references (.I .U .T .W)",
            lambda file, _: read_ohsumed(file),
            ("title", "abstract"),
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


def open_corpus(path: str | Path, format_name: str = "auto", name: str | None = None) -> Corpus:
    """The corpus in a file or folder; `auto` finds the format by what the first file holds."""
    root = Path(path)
    files = files_below(root)
    chosen = _detected(root, files) if format_name == "auto" else _find(format_name)
    if chosen.name == "html" and root.is_dir():
        files = [file for file in files if file.suffix.lower() in PAGE_ENDINGS]
    if not files:
        raise RankwiseError(f"{root} must hold documents in {chosen.summary}, found no such file")

    def documents() -> Iterator[Document | Broken]:
        for file in files:
            yield from chosen.read(file, root)

    own_name = name or root.resolve().name
    return Corpus(own_name, str(root), chosen.name, chosen.streams, _source(files), documents)


def _source(files: list[Path]) -> str:
    """Names, sizes and times of the files: reading a large corpus only to compare takes long."""
    facts = [(str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def _find(name: str) -> CorpusFormat:
    if name not in CORPUS_FORMATS:
        raise RankwiseError(
            f"a corpus format is one of auto, {', '.join(CORPUS_FORMATS)}, found {name!r}"
        )
    return CORPUS_FORMATS[name]


def _detected(root: Path, files: list[Path]) -> CorpusFormat:
    if not files:
        raise RankwiseError(f"{root} must hold documents, found no file in it")
    if any(file.suffix.lower() in PAGE_ENDINGS for file in files):
        return CORPUS_FORMATS["html"]
    with open_bytes(files[0]) as stream:
        beginning = stream.read(4096).lstrip()
    fields = {line[:2] for line in beginning.splitlines()}
    if beginning.startswith(b"WARC/"):
        return CORPUS_FORMATS["warc"]
    if beginning.startswith(b"{"):
        return CORPUS_FORMATS["jsonl"]
    if beginning[:5].upper() == b"<DOC>":
        return CORPUS_FORMATS["trec"]
    if beginning.startswith(b".I"):
        return CORPUS_FORMATS["ohsumed" if b".U" in fields else "smart"]
    raise RankwiseError(
        f"cannot tell the format of {files[0]}; name it: one of {', '.join(CORPUS_FORMATS)}"
    )
