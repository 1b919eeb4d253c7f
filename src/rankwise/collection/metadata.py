"""LETOR's metadata: the XML of a collection and of its queries, read and written.

The layout is that of LETOR 3.0's OHSUMED (Qin, Liu, Xu and Li 2010, section 3.4, figures 2 and 3).
Query files are written as published, byte for byte; of the collection file only the content is
kept, since the published one mixes line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape

import numpy as np

from rankwise.collection.query_table import QUERY_TABLE, is_query_table, read_query_rows
from rankwise.collection.statistics import (
    CollectionStatistics,
    QueryStatistics,
    QueryTerm,
    StreamStatistics,
    check_query,
)
from rankwise.collection.xml_elements import Elements
from rankwise.data.arrays import as_text
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import make_folder, readable, reading_failure, resolve, write_text

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


def write_metadata(
    directory: str | Path, collection: CollectionStatistics, queries: Iterable[QueryStatistics]
) -> None:
    """Write the collection file and one file per query into a folder, made where it is missing."""
    folder = make_folder(directory)
    write_text(folder / COLLECTION_FILE, format_collection(collection))
    for query in queries:
        write_text(folder / make_query_file_name(query.query_id), format_query(query))


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
