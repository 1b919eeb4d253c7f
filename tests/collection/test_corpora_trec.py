"""TREC files: documents wherever their marks stand, stray text named, in time linear in size."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.collection.corpora import trec_documents
from rankwise.collection.corpora.corpus import open_corpus
from rankwise.collection.corpora.document import Broken, Document
from rankwise.collection.corpora.trec_documents import DOCUMENT_MARK, Stretch, find_stray_text


def read(path: Path, content: str | bytes) -> list[Document | Broken]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    corpus = open_corpus(path)
    assert corpus.format == "trec"
    return list(corpus.documents())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trec"


def words(found: Document | Broken) -> dict[str, list[str]]:
    assert isinstance(found, Document)
    return {name: text.split() for name, text in found.streams.items()}


def test_documents_are_found_wherever_their_marks_stand(path: Path) -> None:
    found = read(
        path,
        "<DOC><DOCNO> A-1 </DOCNO><TITLE>wing</TITLE><TEXT>one line</TEXT></DOC> "
        "<doc><docno>A-2</docno><TEXT>two</TEXT></doc>\r\n  <DOC>\n<DOCNO>\nA-3\n</DOCNO>\n"
        "<TEXT>three\n</TEXT></DOC><DOC ><DOCNO>A-4</DOCNO>four</DOC >",
    )
    assert [one.id for one in found if isinstance(one, Document)] == ["A-1", "A-2", "A-3", "A-4"]
    assert words(found[0]) == {"title": ["wing"], "body": ["one", "line"]}
    assert [one.where for one in found] == [f"{path}:{line}" for line in (1, 1, 2, 7)]


@pytest.mark.parametrize("piece", [1, 2, 5, 7, 64])
def test_marks_are_found_across_the_pieces_of_a_file(
    path: Path, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec_documents, "_PIECE", piece)
    one = "<DOC>\n<DOCNO>{}</DOCNO><TEXT>a < b <c></TEXT></DOC>\n"
    found = read(path, "".join(one.format(number) for number in range(5)) + "<DO")
    assert [found[number].where for number in range(5)] == [f"{path}:{2 * n + 1}" for n in range(5)]
    assert all(words(document) == {"body": ["a", "<", "b"]} for document in found[:5])
    assert found[5] == Broken(f"{path}:11", "all text must stand in a <DOC>, found '<DO'")


def test_declarations_and_comments_may_stand_outside_and_nothing_else(path: Path) -> None:
    found = read(
        path,
        '\ufeff<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]>\n<!-- a\ncomment -->\n'
        "<DOC><DOCNO>1</DOCNO>&a;</DOC>\n\n stray words\n<DOC><DOCNO>2</DOCNO></DOC></corpus>\n"
        "<DOC><DOCNO>3</DOCNO></DOC>\n</DOC>",
    )
    assert words(found[0]) == {"body": ["&a;"]}
    assert [one.where.rpartition(":")[2] for one in found] == ["4", "6", "7", "7", "8", "9"]
    reasons = [one.reason for one in found if isinstance(one, Broken)]
    assert [reason.partition("found ")[2] for reason in reasons] == [
        "'stray words\\n'",
        "'</corpus>\\n'",
        "none open",
    ]


def test_an_open_document_is_broken_and_the_next_is_read(path: Path) -> None:
    cut, whole = read(path, "<DOC>\n<DOCNO>1</DOCNO>\n<DOC><DOCNO>2</DOCNO></DOC>\n")
    assert isinstance(cut, Broken) and cut.where == f"{path}:1" and "before the next" in cut.reason
    assert isinstance(whole, Document) and whole.id == "2"


@pytest.mark.parametrize(
    "content",
    [
        "<DOCNO>x " * 120_000,
        "<DOCNO>" + " " * 1_000_000 + "x",
        "<DOCNO>1</DOCNO><DOCHDR>" + "x" * 1_000_000,
        "<DOCNO>1</DOCNO><DOCHDR>x " * 40_000,
        "<DOCNO>1</DOCNO><" + "a" * 1_000_000,
        "<DOCNO>1</DOCNO>" + "<a><b>" * 100_000 + "</b></a>",
    ],
)
def test_a_document_takes_time_in_proportion_to_its_size(path: Path, content: str) -> None:
    """Each of these took a search from every tag to the end: minutes to days at this size."""
    assert len(read(path, f"<DOC>{content}</DOC>")) == 1


@pytest.mark.parametrize("content", ["<!> ", "<!--", "<?", "<!x[", "<!---->", "<DOC "])
def test_text_outside_takes_time_in_proportion_to_its_size(path: Path, content: str) -> None:
    found = read(path, "<DOC><DOCNO>1</DOCNO></DOC>" + content * (2_000_000 // len(content)))
    assert isinstance(found[0], Document) and len(found) <= 2


def test_a_document_that_is_too_large_is_broken_and_not_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankwise.collection.corpora.trec_documents.LARGEST_DOCUMENT", 100)
    large, small = read(path, f"<DOC><DOCNO>1</DOCNO>{'x ' * 60}</DOC><DOC><DOCNO>2</DOCNO></DOC>")
    assert isinstance(large, Broken) and "at most 100 bytes" in large.reason
    assert isinstance(small, Document)


def test_the_header_of_a_web_page_names_its_character_set(path: Path) -> None:
    header = "http://x.gov/\nHTTP/1.0 200 OK\nContent-Type: text/html; charset=iso-8859-2"
    (page,) = read(
        path,
        f"<DOC><DOCNO>1</DOCNO><DOCHDR>{header}\n</DOCHDR>".encode() + b"<p>\xb3</DOC>",
    )
    assert isinstance(page, Document) and page.url == "http://x.gov/"
    assert page.streams["body"] == "\u0142"


def test_tags_within_words_do_not_cut_them(path: Path) -> None:
    (document,) = read(path, "<DOC><DOCNO>1</DOCNO><TEXT><b>H</b>ello<P>you</P>all</TEXT></DOC>")
    assert words(document) == {"body": ["Hello", "you", "all"]}


@given(st.binary(max_size=60), st.integers(0, 60))
def test_a_stretch_keeps_its_beginning_and_counts_the_rest(content: bytes, most: int) -> None:
    stretch = Stretch(1, most)
    for begin in range(0, len(content), 7):
        stretch.add(content[begin : begin + 7])
    assert stretch.content == content[:most] and stretch.size == len(content)


@given(st.text(alphabet="<>!-?[] \nx", max_size=30))
def test_stray_text_is_the_first_that_is_no_declaration(text: str) -> None:
    stretch = Stretch(5, 100)
    stretch.add(text.encode())
    found = find_stray_text(stretch)
    if found is None:
        assert not text.strip() or text.strip().startswith(("<!", "<?"))
    else:
        line, shown = found
        assert text.encode().split(b"\n")[line - 5].lstrip() and shown in text.encode()
    assert DOCUMENT_MARK.search(text.encode()) is None
