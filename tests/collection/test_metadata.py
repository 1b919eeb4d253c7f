"""LETOR's metadata: read and written to the byte, hostile files answered with a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.collection.metadata import (
    COLLECTION_FILE,
    format_collection,
    format_query,
    is_plain_name,
    list_query_files,
    make_query_file_name,
    read_collection,
    read_queries,
    read_query,
)
from rankwise.collection.statistics import QueryStatistics, QueryTerm, check_query
from rankwise.errors import FormatError, RankwiseError

from .made import made_collection, made_query, write_metadata

COLLECTION = made_collection()


def same(one: QueryStatistics, other: QueryStatistics) -> bool:
    arrays = ("labels", "lengths", "unique_lengths", "term_frequencies")
    plain = ("query_id", "stream_query_lengths", "terms", "document_ids")
    return all(getattr(one, n) == getattr(other, n) for n in plain) and all(
        np.array_equal(getattr(one, n), getattr(other, n)) for n in arrays
    )


@given(seed=st.integers(0, 10**6), n_documents=st.integers(0, 5), word=st.text(min_size=1))
def test_reading_what_was_written_gives_the_same(
    seed: int, n_documents: int, word: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    query = made_query(seed, COLLECTION, n_documents)
    renamed = replace(query, terms=(replace(query.terms[0], word=word), *query.terms[1:]))
    path = tmp_path_factory.mktemp("query") / "query-1.xml"
    try:
        text = format_query(renamed)
    except RankwiseError:
        assert re.search("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]", word)
        return
    path.write_bytes(text.encode())
    found = read_query(path, COLLECTION)
    assert same(found, renamed)
    assert format_query(found) == text


def test_a_folder_is_written_and_read_in_the_order_of_the_numbers(tmp_path: Path) -> None:
    queries = [
        made_query(n, COLLECTION, query_id=text) for n, text in enumerate(["10", "9", "x/y"])
    ]
    write_metadata(tmp_path / "meta", COLLECTION, queries)
    assert read_collection(tmp_path / "meta") == COLLECTION
    found = list(read_queries(tmp_path / "meta", COLLECTION))
    assert [query.query_id for query in found] == ["9", "10", "x/y"]
    assert make_query_file_name("x/y") == "query-x%2Fy.xml"
    assert same(found[0], queries[1])


@given(name=st.one_of(st.text(), st.sampled_from(["title ", "\u00a0t", "a\nb", "a&b<c>", "ü"])))
def test_a_plain_name_is_read_back_as_it_is(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stream = replace(COLLECTION.streams[0], description=name)
    collection = replace(COLLECTION, streams=(stream, *COLLECTION.streams[1:]))
    folder = tmp_path_factory.mktemp("meta")
    try:
        write_metadata(folder, collection, [])
        same_name = read_collection(folder) == collection
    except RankwiseError:
        same_name = False
    assert is_plain_name(name) is (same_name and bool(name))


@pytest.fixture(scope="module")
def meta(shared: Path) -> Path:
    return shared / "data" / "letor3" / "OHSUMED" / "Meta"


def test_the_real_query_files_in_order(meta: Path) -> None:
    assert [path.name for path in list_query_files(meta)] == [
        f"query-{n}.xml" for n in range(1, 107)
    ]


def test_the_real_collection(meta: Path, tmp_path: Path) -> None:
    collection = read_collection(meta)
    assert (collection.name, collection.n_documents) == ("OHSUMED", 348_566)
    assert collection.stream_names == ("Title", "Abstract", "Title and Abstract")
    assert [stream.total_terms for stream in collection.streams] == [2770138, 23680877, 26451015]
    (tmp_path / COLLECTION_FILE).write_text(format_collection(collection))
    assert read_collection(tmp_path) == collection


def _damaged(change: Callable[[str], str], path: Path) -> str:
    path.write_bytes(change(format_query(made_query(1, COLLECTION))).encode("utf-8"))
    with pytest.raises(FormatError) as caught:
        read_query(path, COLLECTION)
    assert str(path) in str(caught.value)
    return str(caught.value)


LAUGHS = '<!DOCTYPE query [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
HEADER_END = "?>\n"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: t.replace(HEADER_END, HEADER_END + LAUGHS), "no document type"),
        (lambda t: t.replace(HEADER_END, HEADER_END + "<!DOCTYPE query>"), "no document type"),
        (
            lambda t: t.replace(
                HEADER_END, HEADER_END + '<!DOCTYPE q SYSTEM "file:///etc/passwd">'
            ),
            "no document type",
        ),
        (lambda t: t.replace("<word>a<", "<word>&secret;<"), "undefined entity"),
        (lambda t: t.replace("<query>", '<query a="1">'), "no attributes"),
        (lambda t: t[: len(t) // 2], "well-formed"),
        (lambda t: "", "no element found"),
        (lambda t: t.replace("<label>", "<rank>").replace("</label>", "</rank>"), "<label> must"),
        (lambda t: t.replace("<length>", "<length>x", 1), "whole number"),
        (lambda t: t.replace("<length>", "<length>" + "9" * 30, 1), "whole number"),
        (lambda t: t.replace("<word>a<", "<word>" + "a" * 20_000 + "<"), "characters long"),
        (lambda t: t.replace("<query>", "<query>" + "<d>" * 99 + "</d>" * 99), "deep"),
        (lambda t: t.replace("<query>", "<query" + " " * (3 << 20) + ">"), "bytes long"),
        (lambda t: t.replace("<query>", "<query>stray"), "text must stand"),
        (lambda t: t.replace("<docnum>7", "<docnum>8"), "<doc> must stand here"),
        (lambda t: t.replace("<docnum>7", "<docnum>6"), "</docinfo> must stand here"),
        (lambda t: t.replace("<termnum>5", "<termnum>999999999999"), "<term> must stand here"),
        (lambda t: t.replace("<termid>2<", "<termid>3<", 1), "<termid> must be 2 here"),
        (lambda t: t + "<query></query>", "well-formed"),
        (lambda t: t.replace("encoding=\"utf-8\"", "encoding=\"utf-9\""), "unknown encoding"),
    ],
)  # fmt: skip
def test_hostile_and_broken_files_are_one_sentence(
    change: Callable[[str], str], sentence: str, tmp_path: Path
) -> None:
    assert sentence in _damaged(change, tmp_path / "query-1.xml")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "query-1.xml").write_bytes(b"\xff\x00\x93" * 50)
    with pytest.raises(FormatError, match="well-formed"):
        read_query(tmp_path / "query-1.xml", COLLECTION)


def test_the_line_of_the_problem_is_named(tmp_path: Path) -> None:
    message = _damaged(lambda t: t.replace("<id>1</id>", "<id>1</id>\n<id>1</id>"), tmp_path / "q")
    assert f"{tmp_path / 'q'}:4: <streaminfo> must stand here, found <id>" in message


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda q: replace(q, unique_lengths=q.lengths + 1), "more distinct words than words"),
        (lambda q: replace(q, lengths=q.lengths - 999), "must not be negative"),
        (lambda q: replace(q, term_frequencies=q.term_frequencies + 99), "more often than"),
        (lambda q: _with_first_word(q, (2000, 5), (2000, 5)), "contradict"),
        (lambda q: _with_first_word(q, (5, 5), (4, 5)), "contradict"),
        (lambda q: _with_first_word(q, (0, 5), (0, 5)), "contradict"),
        (lambda q: _with_first_word(q, (5, 5), (10**6, 5)), "contradict"),
    ],
)
def test_counts_that_no_corpus_has(
    change: Callable[[QueryStatistics], QueryStatistics], sentence: str, tmp_path: Path
) -> None:
    query = change(made_query(3, COLLECTION))
    (tmp_path / "query-1.xml").write_text(format_query(query))
    with pytest.raises(FormatError, match=sentence):
        read_query(tmp_path / "query-1.xml", COLLECTION)


def test_a_word_in_no_document_cannot_occur(tmp_path: Path) -> None:
    query = made_query(3, COLLECTION)
    terms = (*query.terms[:2], QueryTerm("unknown", (0, 0), (0, 5)), *query.terms[3:])
    (tmp_path / "query-1.xml").write_text(format_query(replace(query, terms=terms)))
    with pytest.raises(FormatError, match="'unknown' contradict each other in stream 'body'"):
        read_query(tmp_path / "query-1.xml", COLLECTION)


def _with_first_word(
    query: QueryStatistics, df: tuple[int, ...], cf: tuple[int, ...]
) -> QueryStatistics:
    return replace(query, terms=(QueryTerm("a", df, cf), *query.terms[1:]))


def test_a_query_must_have_one_file(tmp_path: Path) -> None:
    write_metadata(tmp_path, COLLECTION, [made_query(1, COLLECTION)])
    (tmp_path / "query-2.xml").write_bytes((tmp_path / "query-1.xml").read_bytes())
    with pytest.raises(RankwiseError, match="each query must have one file, found query '1'"):
        list(read_queries(tmp_path, COLLECTION))


def test_folders_without_metadata(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="found no query file"):
        list_query_files(tmp_path)
    with pytest.raises(RankwiseError, match="no such file"):
        read_collection(tmp_path)
    with pytest.raises(RankwiseError, match="no such file"):
        list_query_files(tmp_path / "nowhere")


def test_the_number_of_streams_must_agree(tmp_path: Path) -> None:
    text = format_collection(COLLECTION).replace("<streamnum>2", "<streamnum>3")
    (tmp_path / COLLECTION_FILE).write_text(text)
    with pytest.raises(FormatError, match="says 3 streams, found 2"):
        read_collection(tmp_path)


def test_arrays_of_other_shapes_or_types_are_refused() -> None:
    query = made_query(1, COLLECTION)
    with pytest.raises(RankwiseError, match="lengths must be whole numbers"):
        replace(query, lengths=query.lengths[:-1])
    for wrong in (query.labels[:-1], query.labels.astype(np.float32)):
        with pytest.raises(RankwiseError, match="labels must be numbers of shape"):
            replace(query, labels=wrong)
    with pytest.raises(RankwiseError, match="for each of the 2 streams"):
        replace(query, terms=(QueryTerm("a", (1,), (1,)), *query.terms[1:]))
    with pytest.raises(RankwiseError, match="at least one document and one stream"):
        replace(COLLECTION, n_documents=0)


def test_a_query_of_another_collection_is_refused() -> None:
    three = made_collection(("a", "b", "c"))
    with pytest.raises(RankwiseError, match="must have the 3 streams of made, found 2"):
        check_query(three, made_query(1, COLLECTION))
