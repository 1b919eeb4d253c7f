"""Read queries as TREC topics, as lines of `id<TAB>text[<TAB>class]`, or as SMART, TIME, NPL do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.arguments import check_choice
from rankwise.collection.corpora.classical import (
    NPL_BEGINNING,
    TIME_QUERY_MARK,
    TextRecord,
    read_npl_records,
    read_smart_records,
    read_time_queries,
)
from rankwise.collection.corpora.text_files import beginning, decoded, lines
from rankwise.collection.corpora.trec_documents import TOPIC_MARK, read_topics
from rankwise.errors import Advice, FormatError, RankwiseError

QUERY_FIELDS = ("title", "desc", "narr")


@dataclass(frozen=True)
class CorpusQuery:
    """One query: its id, its text, and its class where the user gives one."""

    id: str
    text: str
    query_class: str = ""


def read_queries(
    path: str | Path, format_name: str = "auto", *, field: str = "title"
) -> list[CorpusQuery]:
    """The queries of a file in its order.

    `field` says which parts of TREC topics are the query: `title` as in LETOR's Gov, `desc`,
    `narr`, or several joined by `+`.
    """
    check_choice("a query format", format_name, ("auto", *QUERY_FORMATS), verb="is")
    chosen = detected_format(path) if format_name == "auto" else format_name
    unknown = set(field.split("+")) - set(QUERY_FIELDS)
    if unknown:
        raise RankwiseError(
            f"the field of a topic is {', '.join(QUERY_FIELDS)} or several joined by '+', "
            f"found {field!r}"
        )
    queries = list(QUERY_FORMATS[chosen](path, field))
    _check_queries(queries, path)
    return queries


def numbered_by_position(queries: list[CorpusQuery]) -> list[CorpusQuery]:
    """The same queries with the ids 1, 2, …, as Cranfield's judgements call them."""
    return [replace(query, id=str(number)) for number, query in enumerate(queries, 1)]


def _read_tsv(path: str | Path, field: str) -> Iterator[CorpusQuery]:
    for number, line in lines(path):
        if not line.strip():
            continue
        columns = decoded(line).split("\t")
        if len(columns) not in (2, 3) or not columns[0].strip():
            raise FormatError(
                f"a line must be id, text and perhaps class, divided by tabs, "
                f"found {len(columns)} columns",
                path,
                number,
            )
        yield CorpusQuery(*(column.strip() for column in columns))


def _read_smart(path: str | Path, field: str) -> Iterator[CorpusQuery]:
    for record in read_smart_records(path):
        if record.problem or not record.id:
            nameless = "a query must begin with '.I ID', found no id"
            raise FormatError(record.problem or nameless, path, record.line)
        parts = (record.fields.get(name, "").strip() for name in ("T", "W"))
        yield CorpusQuery(record.id, " ".join(part for part in parts if part))


def _read_records(path: str | Path, records: Iterable[TextRecord]) -> Iterator[CorpusQuery]:
    for record in records:
        if record.problem:
            raise FormatError(record.problem, path, record.line)
        yield CorpusQuery(record.id, " ".join(record.text.split()))


def _read_trec_topics(path: str | Path, field: str) -> Iterator[CorpusQuery]:
    topics = list(read_topics(path))
    _refuse_absent_field(path, field, [topic.texts for topic in topics])
    for topic in topics:
        words = (topic.texts.get(name, "").split() for name in field.split("+"))
        yield CorpusQuery(topic.number, " ".join(word for part in words for word in part))


def _refuse_absent_field(path: str | Path, field: str, topics: list[dict[str, str]]) -> None:
    """Refuse topics of which none has a text in the parts that are the query, but in others."""
    if any(texts.get(name) for texts in topics for name in field.split("+")):
        return
    counts = {name: sum(bool(texts.get(name)) for texts in topics) for name in QUERY_FIELDS}
    there = ", ".join(f"{name} in {count:,}" for name, count in counts.items() if count)
    if there:
        raise RankwiseError(
            f"{path}: topics must have a text in {field}, found none in {len(topics):,} of them; "
            f"they have {there}",
            Advice("name the part that is the query with {}", "query_field"),
        )


QUERY_FORMATS: dict[str, Callable[[str | Path, str], Iterator[CorpusQuery]]] = {
    "trec": _read_trec_topics,
    "tsv": _read_tsv,
    "smart": _read_smart,
    "time": lambda path, field: _read_records(path, read_time_queries(path)),
    "npl": lambda path, field: _read_records(path, read_npl_records(path)),
}


def detected_format(path: str | Path) -> str:
    """The format of a file of queries, by what it begins with."""
    first = beginning(path).lstrip()
    if first.startswith(b".I"):
        return "smart"
    if first.startswith(TIME_QUERY_MARK):
        return "time"
    if NPL_BEGINNING.match(first):
        return "npl"
    return "trec" if TOPIC_MARK.search(decoded(first)) else "tsv"


def _check_queries(queries: list[CorpusQuery], path: str | Path) -> None:
    if not queries:
        raise RankwiseError(f"{path} must hold queries, found none")
    seen: set[str] = set()
    for query in queries:
        if query.id in seen:
            raise RankwiseError(f"{path}: a query id must stand once, found {query.id!r} twice")
        seen.add(query.id)
