"""Readers of corpora: every format, broken documents named, nothing expanded."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from rankwise.collection.corpora.corpus import open_corpus
from rankwise.collection.corpora.document import NO_TEXT, NOT_TEXT, Broken, Document, Findings, Link
from rankwise.collection.corpora.html import find_attribute, make_page_document
from rankwise.collection.corpora.urls import extract_url_words, normalize_url, resolve_url
from rankwise.errors import RankwiseError


def read(path: Path, format_name: str = "auto") -> list[Document | Broken]:
    return list(open_corpus(path, format_name).documents())


def whole(found: list[Document | Broken]) -> list[Document]:
    return [one for one in found if isinstance(one, Document)]


def test_json_fields_are_text_or_named(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    records = [
        {"id": "a", "year": 1999, "price": 0.5, "authors": ["Ann", "Bob", 3], "none": None},
        {"id": "b", "t": "x", "deep": {"t": "lost"}, "streams": {"mixed": ["a", ["b"]]}, "f": True},
        {"id": "c", "t": " ", "n": None, "links": ["a"]},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    found = read(path)
    assert [one.streams for one in whole(found)] == [
        {"year": "1999", "price": "0.5", "authors": "Ann Bob 3"}, {"t": "x"}, {"t": " "},
    ]  # fmt: skip
    named = [one for one in found if isinstance(one, Broken)]
    assert [(one.where[-1], one.kind) for one in named] == [*3 * [("2", NOT_TEXT)], ("3", NO_TEXT)]
    assert not any(one.is_damage for one in named)
    assert ["deep" in one.reason and "object" in one.reason for one in named[:2]] == [True, False]


def test_json_lines_have_the_users_streams(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(
        json.dumps(
            {
                "id": 7,
                "heading": "Wings",
                "streams": {"body": "On lift."},
                "url": "http://a.org/7",
                "links": ["8", {"target": "http://a.org/9", "text": "drag"}],
                "category": "flight",
                "year": 1999,
            }
        )
        + "\n\n"
    )
    (document,) = read(path)
    assert document == Document(
        "7",
        {"heading": "Wings", "year": "1999", "url": "a org 7", "body": "On lift."},
        "http://a.org/7",
        (Link("8"), Link("http://a.org/9", "drag")),
        "flight",
    )


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[1]",
        '{"title": "no id"}',
        '{"id": ""}',
        '{"id": true}',
        '{"id": "a", "links": "b"}',
        '{"id": "a", "links": [3]}',
        '{"id": "a", "streams": []}',
        "[" * 100_000,
        b'{"id": "\xff"}',
    ],
)
def test_broken_json_lines_are_named_and_the_rest_is_read(
    tmp_path: Path, line: str | bytes
) -> None:
    path = tmp_path / "corpus.jsonl"
    encoded = line if isinstance(line, bytes) else line.encode()
    path.write_bytes(b'{"id": "first", "t": "x"}\n' + encoded + b'\n{"id": "last", "t": "x"}\n')
    first, broken, last = read(path)
    assert isinstance(first, Document) and isinstance(last, Document)
    assert isinstance(broken, Broken) and broken.where == f"{path}:2"


@pytest.mark.parametrize(
    "compress", [gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress]
)
def test_compressed_files_are_read_by_what_they_begin_with(tmp_path: Path, compress) -> None:
    path = tmp_path / "corpus"
    path.write_bytes(compress(b'{"id": "a", "t": "x"}\n'))
    assert read(path) == [Document("a", {"t": "x"})]


def test_trec_text_has_a_stream_for_each_element(tmp_path: Path) -> None:
    path = tmp_path / "trec"
    path.write_text(
        "<DOC>\n<DOCNO> FT-1 </DOCNO>\n<HEADLINE>Rates <b>rise</b></HEADLINE>\n<TEXT>\nA &amp; B\n"
        "</TEXT>\n<SOURCE>FT</SOURCE>\n</DOC>\n<DOC>\n<TEXT>no number</TEXT>\n</DOC>\n"
        "<DOC>\n<DOCNO>FT-2</DOCNO>\nplain words\n</DOC>\n<DOC>\n<DOCNO>FT-3</DOCNO>\n"
    )
    first, nameless, second, unfinished = read(path)
    assert isinstance(first, Document) and isinstance(second, Document)
    assert first.id == "FT-1"
    assert {name: text.split() for name, text in first.streams.items()} == {
        "title": ["Rates", "rise"],
        "body": ["A", "&", "B"],
        "source": ["FT"],
    }
    assert second.streams["body"].split() == ["plain", "words"]
    assert isinstance(nameless, Broken) and "DOCNO" in nameless.reason
    assert isinstance(unfinished, Broken) and "</DOC>" in unfinished.reason


def test_trec_elements_that_are_never_closed_stay_cheap(tmp_path: Path) -> None:
    path = tmp_path / "trec"
    path.write_text("<DOC>\n<DOCNO>1</DOCNO>\n" + "<a>" * 200_000 + "\n</DOC>\n")
    assert len(whole(read(path))) == 1


def test_trec_web_files_are_pages(tmp_path: Path) -> None:
    path = tmp_path / "gov"
    path.write_text(
        "<DOC>\n<DOCNO>G00-1</DOCNO>\n<DOCHDR>\nhttp://www.x.gov/a/\nHTTP/1.1 200 OK\n</DOCHDR>\n"
        "<html><title>T</title><body><a href='b.html'>to b</a></body></html>\n</DOC>\n"
    )
    (page,) = whole(read(path))
    assert page.url == "http://www.x.gov/a/" and page.streams["title"] == "T"
    assert page.links == (Link("http://www.x.gov/a/b.html", "to b"),)


def warc_record(kind: str, headers: str, body: bytes) -> bytes:
    return (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode()
        + body
        + b"\r\n\r\n"
    )


def test_warc_pages_by_their_ids_other_records_left_out(tmp_path: Path) -> None:
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Hello</title><p>World"
    image = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG"
    path = tmp_path / "crawl.warc.gz"
    records = [
        warc_record("warcinfo", "", b"software: x"),
        warc_record("response", "WARC-TREC-ID: clue-1\r\nWARC-Target-URI: http://a.org/\r\n", page),
        warc_record("response", "WARC-Record-ID: <urn:2>\r\n", image),
        warc_record("response", "WARC-TREC-ID: dns\r\nContent-Type: text/dns\r\n", b"1.2.3.4"),
        warc_record("response", "", page),
    ]
    path.write_bytes(b"".join(gzip.compress(record) for record in records))
    found = read(path)
    assert len(found) == 2 and isinstance(found[1], Broken)
    assert isinstance(found[0], Document) and found[0].id == "clue-1"
    assert found[0].streams["title"] == "Hello" and found[0].streams["body"] == "World"


def test_a_cut_warc_record_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(warc_record("response", "WARC-TREC-ID: a\r\n", b"x" * 100)[:-60])
    (found,) = read(path)
    assert isinstance(found, Broken) and "100 bytes" in found.reason


def test_a_folder_of_pages_is_a_web_site(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "sub").mkdir(parents=True)
    (site / "index.html").write_text("<h2>low</h2><h1>High <i>est</i></h1><a href=sub/a.html>A</a>")
    (site / "sub" / "a.html").write_text("<title>A</title><script>no</script>text")
    (site / "notes.txt").write_text("not a page")
    first, second = whole(read(site))
    assert first.id == "index.html" and first.url == "http://site/index.html"
    assert first.links == (Link("http://site/sub/a.html", "A"),)
    assert first.streams["extracted title"] == "High est"
    assert second.streams["body"] == "text" and second.streams["title"] == "A"


def test_marked_sections_of_word_processors_are_read_over() -> None:
    page = make_page_document(
        "p", "http://a.org/", b"<p>one<![if !vml]> two <![endif]>three", "here"
    )
    assert isinstance(page, Document) and page.streams["body"] == "one two three"


def test_tags_within_a_line_do_not_cut_words_and_others_do() -> None:
    page = make_page_document(
        "p",
        "http://a.org/",
        b"<h1><b>H</b>ello</h1><p>CO<sub>2</sub></p>low<br>er<td>x</td><td>y</td>"
        b"<a href=a>o<i>n</i>e</a><a href=b>two</a><p>s<textarea>t</textarea>u",
        "here",
    )
    assert isinstance(page, Document)
    assert page.streams["body"] == "Hello CO2 low er x y one two s t u"
    assert page.streams["extracted title"] == "Hello"
    assert [link.text for link in page.links] == ["one", "two"]


@pytest.mark.parametrize(
    "pattern",
    [
        "<a ",
        '<a href="',
        "<!-- > ",
        "</a ",
        "<![x",
        "<script>",
        "&#9",
        "<title>",
        "<",
        "<a b='>",
        '<a "><"',
        "<a'>'",
        "</a \"'>'<\"",
    ],
)
def test_hostile_pages_take_time_in_proportion_to_their_size(pattern: str) -> None:
    """Python's own parser takes hours for some of these; here each is read at once."""
    content = (pattern * (1_000_000 // len(pattern))).encode()
    assert isinstance(make_page_document("p", "http://a.org/", content, "here"), Document)


def test_pages_are_read_as_browsers_do() -> None:
    page = make_page_document(
        "p",
        "http://a.org/x/",
        b"<TITLE>A &amp; B</TITLE><!-- <a href=no>hidden</a> --><p class='>'>1 < 2 &#99999999999;"
        b'<a HREF="../y?a=1&amp;b=2">go <b>on</b></a><style>p {}</style><a name=x>x</a>',
        "here",
    )
    assert isinstance(page, Document)
    assert page.streams["title"] == "A & B"
    # A "<" that begins no tag is no word either.
    assert page.streams["body"] == "1 2 \ufffd go on x"
    assert page.links == (Link("http://a.org/y?a=1&b=2", "go on"),)


@pytest.mark.parametrize(
    ("attributes", "target"),
    [
        ('title="see href=foo" href="real"', "real"),
        ("title=' href=foo'href=real", "real"),
        ('"see href=foo" href = real', "real"),
        ("data-href=foo HREF\n=\n'real'", "real"),
        ("title=a/href=foo href=/real/", "/real/"),
        ("disabled href=real href=foo", "real"),
        ("href title=href=foo", ""),
        ("title=x", ""),
    ],
)
def test_the_reference_is_the_attribute_of_that_name(attributes: str, target: str) -> None:
    assert find_attribute(attributes, "href") == target
    # Attributes cut within a quote, as in pages whose quotes count no longer.
    assert find_attribute(f'{attributes} title="href=no', "href") == target
    assert find_attribute(f"{attributes} 'href=no", "href") == target
    assert find_attribute('title="" href="real', "href") == "real"


def test_after_many_broken_tags_links_are_still_found() -> None:
    content = '<a "><"' * 20_000 + "<a href='x'>last</a>"
    page = make_page_document("p", "http://a.org/", content.encode(), "here")
    assert isinstance(page, Document) and page.links == (Link("http://a.org/x", "last"),)
    image = f'<img alt=">" src="data:{"x" * 70_000}">'
    page = make_page_document(
        "p", "http://a.org/", (image + "<b title='>'>word</b>").encode(), "here"
    )
    assert isinstance(page, Document) and page.streams["body"].endswith('">word')


@given(st.binary(max_size=300))
def test_any_bytes_are_a_page_or_broken(content: bytes) -> None:
    found = make_page_document("p", "http://a.org/x", content, "here")
    assert isinstance(found, Document | Broken)


@given(st.text(alphabet="<>/!-=?[]&;#\"' ahtmlbodyscriptre", max_size=200))
def test_any_markup_is_a_page(text: str) -> None:
    assert isinstance(make_page_document("p", "http://a.org/", text.encode(), "here"), Document)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://A.org/x/index.html#top", "a.org/x"),
        ("https://a.org/x/", "a.org/x"),
        ("https://a.org/x", "a.org/x"),
        ("a.org", "a.org"),
        ("http://a.org/my page%7e?q=a b", "a.org/my%20page~?q=a%20b"),
        ("http://a.org/my%20page~?q=a%20b", "a.org/my%20page~?q=a%20b"),
        ("http://a.org/é%2f", "a.org/%C3%A9%2F"),
        ("http://a.org/\ud800", "a.org/%ED%A0%80"),
        ("http://a.org/p?q=1", "a.org/p?q=1"),
        ("http://[bad", "http://[bad"),
    ],
)
def test_urls_of_one_page_are_one(url: str, expected: str) -> None:
    assert normalize_url(url) == expected
    assert normalize_url(normalize_url(url)) == normalize_url(url)


def test_references_are_resolved_or_nothing() -> None:
    assert resolve_url("http://a.org/x/y", "../z") == "http://a.org/z"
    assert resolve_url("http://a.org/", "mailto:me") == ""
    assert resolve_url("http://a.org/", "http://[bad") == ""
    assert (
        extract_url_words("http://www.a.org/big_house/p-1.html") == "www a org big house p 1 html"
    )


def test_unknown_formats_and_empty_folders_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="found no file"):
        open_corpus(tmp_path)
    path = tmp_path / "what"
    path.write_text("what is this")
    with pytest.raises(RankwiseError, match="cannot tell the format"):
        open_corpus(path)
    with pytest.raises(RankwiseError, match="one of auto, jsonl"):
        open_corpus(path, "pdf")
    with pytest.raises(RankwiseError, match="no such file"):
        open_corpus(tmp_path / "missing")


def test_findings_count_and_name_the_first_few() -> None:
    findings = Findings()
    for number in range(7):
        findings.add("odd", str(number), fatal_if_strict=True)
    assert findings.lines() == ["odd: 7 (0; 1; 2; 3; 4; …)"]
    again = Findings()
    again.restore(findings.as_record())
    assert again.lines() == findings.lines()
    with pytest.raises(RankwiseError, match="odd: 9"):
        Findings(strict=True).add("odd", "9", fatal_if_strict=True)


def test_facts_of_cranfield_and_cacm(shared: Path) -> None:
    cranfield = whole(read(shared / "data/collections/cranfield/cran.all.1400"))
    cacm = whole(read(shared / "data/collections/cacm/cacm.all"))
    assert (len(cranfield), len(cacm)) == (1400, 3204)
    citations = {(d.id, link.target) for d in cacm for link in d.links}
    assert len(citations) == 5440
    assert all((target, source) in citations for source, target in citations)
