"""Read and write LETOR's metadata: the XML of a collection and of its queries.

The layout is that of LETOR 3.0's OHSUMED (Qin, Liu, Xu and Li 2010, section 3.4, figures 2 and 3).
Query files are written as published, byte for byte; of the collection file only the content is
kept, since the published one mixes line ends.

The XML is read as a stream: nothing is expanded, nothing grows without bound. Document types, and
with them every entity but the five of XML itself, are refused where they begin, before the parser
has seen a definition. So are attributes, which LETOR's files do not have.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn
from urllib.parse import quote
from xml.parsers import expat
from xml.sax.saxutils import escape

import numpy as np

from rankwise.collection.corpora.text_files import QUERY_TABLE, is_query_table, read_query_rows
from rankwise.collection.statistics import (
    CollectionStatistics,
    QueryStatistics,
    QueryTerm,
    StreamStatistics,
    check_query,
)
from rankwise.data.frames import as_text
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import readable, reading_failure, resolve

COLLECTION_FILE = "collectioninfo.xml"
_HEADER = '<?xml version="1.0" encoding="utf-8"?>\n'
_QUERY_FILE = re.compile(r"query-.+\.xml", re.IGNORECASE)
# Tab, line feed and carriage return are allowed in XML but read back as something else.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def list_query_files(directory: str | Path) -> list[Path]:
    """The files `query-….xml` of a metadata folder in the order of the build that made them.

    That is the order of `queries.tsv` beside the folder; where there is none, numbers in the names
    are ordered by size.
    """
    folder = Path(directory)
    try:
        found = [path for path in folder.iterdir() if _QUERY_FILE.fullmatch(path.name)]
    except OSError as error:
        raise RankwiseError(reading_failure(folder, error)) from error
    if not found:
        raise RankwiseError(
            f"{folder} must hold the metadata {COLLECTION_FILE} and query-1.xml, query-2.xml, …; "
            "found no query file"
        )
    places = _read_places(resolve(folder).parent / QUERY_TABLE)
    last = len(places)
    return sorted(found, key=lambda p: (places.get(p.name, last), _split_naturally(p.stem)))


def read_queries(
    directory: str | Path, collection: CollectionStatistics
) -> Iterator[QueryStatistics]:
    """All queries of a metadata folder, one at a time, each id once."""
    homes: dict[str, Path] = {}
    for path in list_query_files(directory):
        query = read_query(path, collection)
        if query.query_id in homes:
            raise RankwiseError(
                f"each query must have one file, found query {query.query_id!r} in both "
                f"{homes[query.query_id]} and {path}"
            )
        homes[query.query_id] = path
        yield query


def read_collection(directory: str | Path) -> CollectionStatistics:
    """The collection file of a metadata folder."""
    path = Path(directory) / COLLECTION_FILE
    with readable(path) as stream:
        elements = Elements(stream, path)
        elements.open("collectioninfo")
        name = elements.value("name").strip()
        documents, n_streams = elements.number("docnum"), elements.number("streamnum")
        streams: list[StreamStatistics] = []
        while elements.begins("stream"):
            streams.append(_read_stream(elements, len(streams) + 1))
        elements.close("collectioninfo")
        elements.finish()
    if n_streams != len(streams):
        raise FormatError(f"<streamnum> says {n_streams} streams, found {len(streams)}", path)
    return CollectionStatistics(name, documents, tuple(streams))


def read_query(path: str | Path, collection: CollectionStatistics) -> QueryStatistics:
    """One query file; figures that contradict each other or the collection are refused."""
    n_streams = len(collection.streams)
    with readable(path) as stream:
        elements = Elements(stream, path)
        elements.open("query")
        query_id = elements.value("id")
        lengths = _read_stream_lengths(elements, n_streams)
        terms = _read_terms(elements, n_streams)
        documents, labels, counts = _read_documents(elements, n_streams, len(terms))
        elements.close("query")
        elements.finish()
    table = np.array(counts, np.int64).reshape(len(documents), n_streams, 2 + len(terms))
    query = QueryStatistics(
        query_id, lengths, terms, tuple(documents), np.array(labels, np.float64),
        np.ascontiguousarray(table[:, :, 0]),
        np.ascontiguousarray(table[:, :, 1]),
        np.ascontiguousarray(table[:, :, 2:]),
    )  # fmt: skip
    try:
        check_query(collection, query)
    except RankwiseError as error:
        raise FormatError(str(error), path) from error
    return query


def is_plain_name(text: str) -> bool:
    """Whether the name of a collection or a stream is read back as it is written."""
    return bool(text) and text == text.strip() and not _UNWRITABLE.search(text)


def make_query_file_name(query_id: str) -> str:
    """`query-ID.xml`; what a file name cannot hold is written as in URLs."""
    return f"query-{quote(query_id, safe=' ')}.xml"


def format_collection(collection: CollectionStatistics) -> str:
    """The collection file, indented by two blanks per level, with line feeds."""
    lines = ["<collectioninfo>", f"  <name>{_escape_text(collection.name)}</name>"]
    lines.append(f"  <docnum>{collection.n_documents}</docnum>")
    lines.append(f"  <streamnum>{len(collection.streams)}</streamnum>")
    for stream in collection.streams:
        lines += [
            "  <stream>",
            f"    <streamid>{stream.stream_id}</streamid>",
            f"    <streamdescription>{_escape_text(stream.description)}</streamdescription>",
            f"    <uniquetermnum>{stream.unique_terms}</uniquetermnum>",
            f"    <totaltermnum>{stream.total_terms}</totaltermnum>",
            "  </stream>",
        ]
    return _HEADER + "\n".join([*lines, "</collectioninfo>", ""])


def format_query(query: QueryStatistics) -> str:
    """A query file as LETOR wrote it: every tag pair or value on a line, not indented."""
    parts = [_HEADER, f"<query>\n<id>{_escape_text(query.query_id)}</id>\n<streaminfo>\n"]
    for number, length in enumerate(query.stream_query_lengths, 1):
        parts.append(
            f"<stream>\n<streamid>{number}</streamid>\n"
            f"<streamspecificquerylength>{length}</streamspecificquerylength>\n</stream>\n"
        )
    parts.append(f"</streaminfo>\n<terminfo>\n<termnum>{len(query.terms)}</termnum>\n")
    parts += [_format_term(number, term) for number, term in enumerate(query.terms, 1)]
    parts.append(f"</terminfo>\n<docinfo>\n<docnum>{query.n_documents}</docnum>\n")
    parts += _format_documents(query)
    parts.append("</docinfo>\n</query>\n")
    return "".join(parts)


def _read_places(table: Path) -> dict[str, int]:
    """The place of each query's file in the table of a build; none where there is no such table."""
    rows = read_query_rows(table, ("query",)) if is_query_table(table) else ()
    return {make_query_file_name(row["query"]): place for place, row in rows}


def _split_naturally(stem: str) -> tuple[tuple[int, int, str], ...]:
    """Runs of digits by size, other texts by their letters; a digit comes before a letter."""
    parts = re.findall(r"[0-9]+|[^0-9]+", stem)
    return tuple((0, int(p), p) if p[0] in "0123456789" else (1, 0, p) for p in parts)


def _read_stream(elements: Elements, number: int) -> StreamStatistics:
    elements.open("stream")
    elements.expect("streamid", number)
    stream = StreamStatistics(
        number,
        elements.value("streamdescription").strip(),
        elements.number("uniquetermnum"),
        elements.number("totaltermnum"),
    )
    elements.close("stream")
    return stream


def _read_stream_lengths(elements: Elements, n_streams: int) -> tuple[int, ...]:
    elements.open("streaminfo")
    lengths = []
    for number in range(1, n_streams + 1):
        elements.open("stream")
        elements.expect("streamid", number)
        lengths.append(elements.number("streamspecificquerylength"))
        elements.close("stream")
    elements.close("streaminfo")
    return tuple(lengths)


def _read_terms(elements: Elements, n_streams: int) -> tuple[QueryTerm, ...]:
    elements.open("terminfo")
    n_terms = elements.number("termnum")
    terms: list[QueryTerm] = []
    while len(terms) < n_terms:
        elements.open("term")
        elements.expect("termid", len(terms) + 1)
        word = elements.value("word")
        frequencies = [_read_frequencies(elements, stream + 1) for stream in range(n_streams)]
        terms.append(
            QueryTerm(word, tuple(df for df, _ in frequencies), tuple(cf for _, cf in frequencies))
        )
        elements.close("term")
    elements.close("terminfo")
    return tuple(terms)


def _read_frequencies(elements: Elements, stream: int) -> tuple[int, int]:
    elements.open("stream")
    elements.expect("streamid", stream)
    found = elements.number("streamfrequency"), elements.number("streamtermfrequency")
    elements.close("stream")
    return found


def _read_documents(
    elements: Elements, n_streams: int, n_terms: int
) -> tuple[list[str], list[float], list[int]]:
    """Ids, labels, and of each stream of each document the length, distinct words and counts."""
    elements.open("docinfo")
    n_documents = elements.number("docnum")
    documents: list[str] = []
    labels: list[float] = []
    counts: list[int] = []
    while len(documents) < n_documents:
        elements.open("doc")
        documents.append(elements.value("docid"))
        labels.append(elements.decimal("label"))
        for stream in range(1, n_streams + 1):
            _read_counts(elements, stream, n_terms, counts)
        elements.close("doc")
    elements.close("docinfo")
    return documents, labels, counts


def _read_counts(elements: Elements, stream: int, n_terms: int, counts: list[int]) -> None:
    elements.open("stream")
    elements.expect("streamid", stream)
    counts.append(elements.number("length"))
    counts.append(elements.number("uniquelength"))
    for term in range(1, n_terms + 1):
        elements.open("term")
        elements.expect("termid", term)
        counts.append(elements.number("termfrequency"))
        elements.close("term")
    elements.close("stream")


def _format_term(number: int, term: QueryTerm) -> str:
    streams = "".join(
        f"<stream>\n<streamid>{stream}</streamid>\n<streamfrequency>{df}</streamfrequency>\n"
        f"<streamtermfrequency>{cf}</streamtermfrequency>\n</stream>\n"
        for stream, (df, cf) in enumerate(
            zip(term.document_frequency, term.collection_frequency, strict=True), 1
        )
    )
    word = _escape_text(term.word)
    return f"<term>\n<termid>{number}</termid>\n<word>{word}</word>\n{streams}</term>\n"


def _format_documents(query: QueryStatistics) -> Iterator[str]:
    for document_id, label, lengths, unique_lengths, counts in zip(
        query.document_ids, query.labels.tolist(), query.lengths.tolist(),
        query.unique_lengths.tolist(), query.term_frequencies.tolist(), strict=True,
    ):  # fmt: skip
        yield (
            f"<doc>\n<docid>{_escape_text(document_id)}</docid>\n<label>{as_text(label)}</label>\n"
        )
        for stream, (length, unique) in enumerate(zip(lengths, unique_lengths, strict=True)):
            yield (
                f"<stream>\n<streamid>{stream + 1}</streamid>\n<length>{length}</length>\n"
                f"<uniquelength>{unique}</uniquelength>\n"
            )
            for term, count in enumerate(counts[stream], 1):
                yield (
                    f"<term>\n<termid>{term}</termid>\n"
                    f"<termfrequency>{count}</termfrequency>\n</term>\n"
                )
            yield "</stream>\n"
        yield "</doc>\n"


def _escape_text(text: str) -> str:
    if _UNWRITABLE.search(text):
        raise RankwiseError(f"a name in the metadata must be plain text, found {text!r}")
    return escape(text)


_CHUNK = 1 << 16
_LONGEST_VALUE = 10_000
_LONGEST_TOKEN = 1 << 20
_DEEPEST = 16
_DECIMAL = re.compile(r"[ \t\r\n]*-?[0-9]{1,18}(\.[0-9]{1,20})?(e-?[0-9]{1,3})?[ \t\r\n]*")
_NUMBER = re.compile(r"[ \t\r\n]*-?[0-9]{1,18}[ \t\r\n]*")


class _Event(NamedTuple):
    """`<tag>` begins (value None, end False), ends (end True), or is a value element."""

    tag: str
    value: str | None
    end: bool
    line: int


class Elements:
    """The elements of a file one after the other: `open`, `value`, `number`, `close`, `finish`."""

    def __init__(self, stream: BinaryIO, path: str | Path) -> None:
        self._path = path
        self._events = _read_events(stream, path)
        self._next = _Event("", None, True, 1)
        self._advance()

    def open(self, tag: str) -> None:
        """The next thing must be the beginning of an element with children."""
        if self._next.tag != tag or self._next.end or self._next.value is not None:
            self._refuse(f"<{tag}>")
        self._advance()

    def close(self, tag: str) -> None:
        """The next thing must be the end of this element."""
        if self._next.tag != tag or not self._next.end:
            self._refuse(f"</{tag}>")
        self._advance()

    def begins(self, tag: str) -> bool:
        """Whether an element of this name comes next."""
        return self._next.tag == tag and not self._next.end

    def value(self, tag: str) -> str:
        """The text of the next element, which must have this name and no children."""
        event = self._next
        if event.tag != tag or event.value is None:
            self._refuse(f"<{tag}>")
        self._advance()
        return event.value

    def number(self, tag: str) -> int:
        """The value of the next element as a whole number of at most 18 digits."""
        line = self._next.line
        text = self.value(tag)
        if _NUMBER.fullmatch(text) is None:
            raise FormatError(
                f"<{tag}> must hold a whole number of at most 18 digits, found {text[:40]!r}",
                self._path,
                line,
            )
        return int(text)

    def decimal(self, tag: str) -> float:
        """The value of the next element as a finite number."""
        line = self._next.line
        text = self.value(tag)
        if _DECIMAL.fullmatch(text) is None:
            raise FormatError(f"<{tag}> must hold a number, found {text[:40]!r}", self._path, line)
        return float(text)

    def expect(self, tag: str, expected: int) -> None:
        """The next element must hold this number."""
        line = self._next.line
        found = self.number(tag)
        if found != expected:
            raise FormatError(f"<{tag}> must be {expected} here, found {found}", self._path, line)

    def finish(self) -> None:
        """Nothing may follow."""
        if self._next.tag:
            self._refuse("the end of the file")

    def _advance(self) -> None:
        event = next(self._events, None)
        self._next = _Event("", None, True, self._next.line) if event is None else event

    def _refuse(self, expected: str) -> NoReturn:
        event = self._next
        found = f"<{'/' if event.end else ''}{event.tag[:40]}>" if event.tag else "the end"
        raise FormatError(f"{expected} must stand here, found {found}", self._path, event.line)


def _read_events(stream: BinaryIO, path: str | Path) -> Iterator[_Event]:
    parser = expat.ParserCreate()
    listener = _Listener(parser, path)
    fed = 0
    try:
        while chunk := stream.read(_CHUNK):
            fed += len(chunk)
            parser.Parse(chunk, False)
            if fed - parser.CurrentByteIndex > _LONGEST_TOKEN:
                listener.fail(f"a tag or comment must be at most {_LONGEST_TOKEN} bytes long")
            while listener.found:
                yield listener.found.popleft()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        raise FormatError(
            f"the file must be well-formed XML, found: {problem}", path, error.lineno
        ) from error
    except (LookupError, ValueError) as error:
        # The parser asks Python for encodings that it does not know itself.
        raise FormatError(f"the file must be UTF-8, found: {error}", path, 1) from error
    yield from listener.found


class _Listener:
    """What the parser tells: beginnings, values and ends; blanks between them are nothing."""

    def __init__(self, parser: expat.XMLParserType, path: str | Path) -> None:
        self.found: deque[_Event] = deque()
        self._parser, self._path = parser, path
        self._texts: list[str] = []
        self._tags: list[str] = []
        # Where the innermost element began; 0 once it is known to have children.
        self._began = 0
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._document_type

    def fail(self, message: str) -> NoReturn:
        raise FormatError(message, self._path, self._parser.CurrentLineNumber)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if attributes:
            self.fail(f"there must be no attributes, found some in <{tag[:40]}>")
        if len(self._tags) >= _DEEPEST:
            self.fail(f"elements must be at most {_DEEPEST} deep, found <{tag[:40]}> deeper")
        self._refuse_text()
        if self._began:
            self.found.append(_Event(self._tags[-1], None, False, self._began))
        self._tags.append(tag)
        self._began = self._parser.CurrentLineNumber

    def _end(self, tag: str) -> None:
        if self._began:
            self.found.append(_Event(tag, "".join(self._texts), False, self._began))
            self._texts.clear()
        else:
            self._refuse_text()
            self.found.append(_Event(tag, None, True, self._parser.CurrentLineNumber))
        self._tags.pop()
        self._began = 0

    def _text(self, text: str) -> None:
        self._texts.append(text)
        if sum(map(len, self._texts)) > _LONGEST_VALUE:
            self.fail(f"a value must be at most {_LONGEST_VALUE} characters long")

    def _refuse_text(self) -> None:
        if self._texts:
            if "".join(self._texts).strip():
                self.fail("text must stand in elements without children, found some elsewhere")
            self._texts.clear()

    def _document_type(self, *_: object) -> None:
        self.fail("there must be no document type (<!DOCTYPE …>), found one")
