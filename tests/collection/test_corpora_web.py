"""Pages: character sets, answers of servers, and URLs by which links find their pages."""

from __future__ import annotations

import gzip
import os
import random
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from rankwise.collection.corpora.corpus import open_corpus
from rankwise.collection.corpora.document import NOT_DELIVERED, Broken, Document, Link
from rankwise.collection.corpora.html import LARGEST_PAGE, decode_page, make_page_document
from rankwise.collection.corpora.urls import (
    LONGEST_URL,
    find_sitemap_parents,
    normalize_url,
    resolve_url,
)
from rankwise.collection.corpora.warc import read_answer
from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_reader import read_letor
from rankwise.data.formats.letor_writer import write_letor
from rankwise.data.text import TextColumn

PAGE = "<title>Café</title><p>naïve"


@pytest.mark.parametrize(
    ("content", "server", "expected"),
    [
        ("é".encode(), "", "é"),
        (b"\xe9", "", "é"),
        (b"<meta charset=iso-8859-2>\xb3", "", "ł"),
        (b"<meta charset=iso-8859-2>\xb3", "windows-1251", "і"),
        (b"<meta charset=utf-16>" + "é".encode(), "", "é"),
        (b"<meta charset=utf-16>" + b"even!", "", "even!"),
        (b"<meta charset='UTF-16LE'>" + "é".encode(), "", "é"),
        (b"\xef\xbb\xbf<meta charset=iso-8859-2>" + "é".encode(), "iso-8859-1", "é"),
        ("\ufeffé".encode("utf-16-le"), "utf-8", "é"),
        ("\ufeffé".encode("utf-16-be"), "", "é"),
        ("é".encode("utf-16-le"), "utf-16le", "é"),
    ],
)
def test_the_character_set_is_that_of_mark_then_server_then_page(
    content: bytes, server: str, expected: str
) -> None:
    assert decode_page(content, server).rpartition(">")[2] == expected


@pytest.mark.parametrize("name", ["utf-8", "shift_jis", "euc-jp", "utf-16le"])
def test_a_page_with_few_bad_bytes_keeps_its_character_set(name: str) -> None:
    text = "日本語" * 100
    cut = text.encode(name)[:-1]
    assert decode_page(cut, name) == text[:-1] + "\ufffd"
    if name != "utf-16le":
        head = f"<meta charset={name}>"
        assert decode_page(head.encode() + cut) == head + text[:-1] + "\ufffd"


def test_a_page_with_many_bad_bytes_is_read_in_another_character_set() -> None:
    few, many = "é" * 99 + "a" * 100, "é" * 98 + "a" * 100
    bad = b"\xff\xff"
    assert decode_page(few.encode() + bad[:1], "utf-8") == few + "\ufffd"
    assert decode_page(many.encode() + bad, "utf-8") == (many.encode() + bad).decode("latin-1")
    # What fits without a bad byte comes first, whoever says it.
    page = b"<meta charset=iso-8859-2>" + b"x" * 200 + b"\xb3"
    assert decode_page(page, "utf-8").endswith("x\u0142")
    assert decode_page(b"x" * 200 + "é".encode(), "shift_jis").endswith("xﾃｩ")
    assert decode_page(b"x" * 200 + b"\xe9", "us-ascii").endswith("xé")


@pytest.mark.parametrize(
    "name",
    ["undefined", "punycode", "idna", "hex", "rot13", "unicode_escape", "utf-7", "none", "a" * 999],
)
def test_codecs_that_are_no_character_sets_are_passed_over(name: str) -> None:
    content = f"<meta charset={name}>{'+AGE- é' * 20_000}".encode()
    assert decode_page(content, name) == content.decode()
    assert isinstance(make_page_document("p", "http://a.org/", content, "here", name), Document)


@given(st.binary(max_size=100), st.text(max_size=12))
def test_any_bytes_and_any_name_are_text(content: bytes, name: str) -> None:
    assert isinstance(decode_page(content, name), str)


def answer(body: bytes, *fields: str, status: int = 200) -> bytes:
    header = [f"HTTP/1.1 {status} Said", "Content-Type: text/html; charset=iso-8859-1", *fields]
    return "\r\n".join(header).encode() + b"\r\n\r\n" + body


def warc(path: Path, content: bytes) -> Document | Broken:
    header = f"WARC-Type: response\r\nWARC-TREC-ID: p\r\nContent-Length: {len(content)}\r\n"
    path.write_bytes(b"WARC/1.0\r\n" + header.encode() + b"\r\n" + content + b"\r\n\r\n")
    (found,) = open_corpus(path).documents()
    return found


def chunked(body: bytes, size: int = 7) -> bytes:
    pieces = [body[begin : begin + size] for begin in range(0, len(body), size)]
    framed = (b"%x;ext=1\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return b"".join(framed) + b"0\r\n\r\n"


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


RAW = PAGE.encode("latin-1")
HALF = len(RAW) // 2
ZSTD_LONG = zstandard.compress(random.Random(0).randbytes(5000).hex().encode())


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (RAW, ()),
        (chunked(RAW), ("Transfer-Encoding: chunked",)),
        (gzip.compress(RAW), ("Content-Encoding: gzip",)),
        (gzip.compress(RAW[:HALF]) + gzip.compress(RAW[HALF:]), ("Content-Encoding: x-gzip",)),
        (zlib.compress(RAW), ("content-encoding: DEFLATE",)),
        (raw_deflate(RAW), ("Content-Encoding: deflate",)),
        (zstandard.compress(RAW), ("Content-Encoding: zstd",)),
        (
            zstandard.compress(RAW[:HALF]) + zstandard.compress(RAW[HALF:]),
            ("Content-Encoding: zstd",),
        ),
        (gzip.compress(zstandard.compress(RAW)), ("Content-Encoding: zstd, gzip",)),
        (chunked(gzip.compress(RAW)), ("Transfer-Encoding: chunked", "Content-Encoding: gzip")),
        # A crawler that decoded the body and kept the header.
        (RAW, ("Transfer-Encoding: chunked", "Content-Encoding: gzip")),
        (RAW, ("Content-Encoding: br",)),
    ],
)
def test_bodies_are_read_as_browsers_show_them(
    tmp_path: Path, body: bytes, fields: tuple[str, ...]
) -> None:
    found = warc(tmp_path / "crawl", answer(body, *fields))
    assert isinstance(found, Document)
    assert (found.streams["title"], found.streams["body"]) == ("Café", "naïve")


@pytest.mark.parametrize(
    ("body", "fields", "reason"),
    [
        (b"\x0b\x02\x80text\x03", ("Content-Encoding: br",), "found 'br'"),
        (chunked(RAW)[:14], ("Transfer-Encoding: chunked",), "cut one"),
        (chunked(RAW)[:-5], ("Transfer-Encoding: chunked",), "up to an empty one"),
        (gzip.compress(RAW)[:-12], ("Content-Encoding: gzip",), "found it cut"),
        (b"\x1f\x8b\x08 and no gzip", ("Content-Encoding: gzip",), "found damage"),
        (zstandard.compress(RAW)[:-1], ("Content-Encoding: zstd",), "found it cut"),
        (ZSTD_LONG[:3000], ("Content-Encoding: zstd",), "found it cut"),
        (ZSTD_LONG + zstandard.compress(RAW)[:9], ("Content-Encoding: zstd",), "found it cut"),
        (b"\x28\xb5\x2f\xfd and no zstd", ("Content-Encoding: zstd",), "found damage"),
        (RAW, ("Content-Encoding: gzip, gzip, gzip, gzip",), "at most 3"),
        (gzip.compress(bytes(1 << 26)), ("Content-Encoding: gzip",), f"at most {LARGEST_PAGE}"),
    ],
)
def test_bodies_that_cannot_be_read_are_broken_with_the_reason(
    tmp_path: Path, body: bytes, fields: tuple[str, ...], reason: str
) -> None:
    found = warc(tmp_path / "crawl", answer(body, *fields))
    assert isinstance(found, Broken) and found.is_damage and reason in found.reason


def test_expansion_is_bounded_and_linear() -> None:
    bomb = gzip.compress(gzip.compress(bytes(1 << 26)))
    page = read_answer(answer(bomb, "Content-Encoding: gzip, gzip")).page(1000)
    assert page == bytes(1000)
    members = gzip.compress(b"") * 200_000
    assert read_answer(answer(members, "Content-Encoding: gzip")).page(1000) == b""
    bomb = zstandard.compress(zstandard.compress(bytes(1 << 26)))
    page = read_answer(answer(bomb, "Content-Encoding: zstd, zstd")).page(1000)
    assert page == bytes(1000)
    frames = zstandard.compress(b"") * 100_000
    assert read_answer(answer(frames, "Content-Encoding: zstd")).page(1000) == b""
    chunks = chunked(b"x" * 300_000, 1)
    assert len(read_answer(answer(chunks, "Transfer-Encoding: chunked")).page(1 << 20)) == 300_000


@pytest.mark.parametrize("status", [204, 301, 404, 500])
def test_answers_without_page_are_left_out_and_are_no_damage(tmp_path: Path, status: int) -> None:
    found = warc(tmp_path / "crawl", answer(RAW, status=status))
    assert isinstance(found, Broken) and found.kind == NOT_DELIVERED and not found.is_damage
    assert f"found {status}" in found.reason


def test_links_find_pages_by_every_spelling_of_their_names(tmp_path: Path) -> None:
    site = tmp_path / "my site"
    (site / "sub").mkdir(parents=True)
    (site / "my page é?#%.html").write_text("x")
    (site / "sub" / "index.html").write_text("x")
    (site / "z.html.gz").write_bytes(gzip.compress(b"<title>Z</title>"))
    (site / "a.html").write_text(
        "<a href='my%20page%20%C3%A9%3F%23%25.html'>1</a><a href='my page é%3f%23%25.html'>2</a>"
        "<a href=sub>3</a><a href=sub/>4</a><a href=sub/index.html>5</a><a href=z.html>6</a>"
    )
    pages = _read_pages(site)
    homes = {normalize_url(page.url): page.id for page in pages}
    links = next(page.links for page in pages if page.id == "a.html")
    assert [homes.get(normalize_url(link.target)) for link in links] == [
        "my%20page%20é?#%25.html", "my%20page%20é?#%25.html", *3 * ["sub/index.html"], "z.html",
    ]  # fmt: skip
    assert next(page for page in pages if page.id == "z.html").streams["title"] == "Z"


def test_names_of_pages_are_ids_that_letor_files_hold(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    names = ["my page.html", "my%20page.html", "a%b#c.html", "tab\there\xa0é.html"]
    for name in [*names, os.fsdecode(b"\xff.html")]:
        (site / name).write_text("x")
    ids = sorted(page.id for page in open_corpus(site).documents() if isinstance(page, Document))
    assert ids == ["%FF.html", "a%25b#c.html", "my%20page.html", "my%2520page.html",
                   "tab%09here%C2%A0é.html"]  # fmt: skip
    rows = Dataset(np.ones((5, 1)), np.ones(5), np.array([0, 5]), TextColumn.from_texts(["1"]))
    rows = replace(rows, document_ids=TextColumn.from_texts(ids))
    write_letor(rows, tmp_path / "letor.txt")
    assert list(read_letor(tmp_path / "letor.txt").document_ids or []) == ids


def record(
    name: str, length_off: int = 0, first: str = "WARC/1.0", kind: str = "response"
) -> bytes:
    content = answer(f"<title>{name}</title>{'x' * 200}".encode())
    header = f"{first}\nWARC-Type: {kind}\nWARC-TREC-ID: {name}\n"
    length = f"Content-Length: {len(content) + length_off}\n\n"
    return (header + length).encode() + content + b"\r\n\r\n"


@pytest.mark.parametrize(
    ("middle", "ids", "found"),
    [
        (record("b"), "abc", ""),
        (record("b").rstrip() + b"\n", "abc", ""),
        (b"\n \n\n" + record("b"), "abc", ""),
        (record("b", first="WARX/1.0"), "ac", "'WARX/1.0'"),
        (record("b", -50), "ac", f"'{'x' * 40}'"),
        (record("b", -50, kind="resource"), "ac", f"'{'x' * 40}'"),
        (record("b", +20), "a", "'pe: response'"),
        (record("b", +20, kind="resource"), "a", "'pe: response'"),
        (record("b", +5000), "a", "must have its"),
        (record("b", +5000, kind="resource"), "a", "must have its"),
        (record("b") + b"\0\0stray\nlines\n\n", "abc", "stray"),
    ],
)
def test_damaged_records_are_said(tmp_path: Path, middle: bytes, ids: str, found: str) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(record("a") + middle + record("c"))
    pages = list(open_corpus(path).documents())
    assert [page.id for page in pages if isinstance(page, Document)] == list(ids)
    broken = [page for page in pages if isinstance(page, Broken)]
    assert len(broken) == bool(found)
    assert all(one.is_damage and found in one.reason for one in broken)


def test_a_file_that_does_not_begin_with_a_record_is_said(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(record("b", first="WARX/1.0") + record("c"))
    broken, page = open_corpus(path, "warc").documents()
    assert isinstance(broken, Broken) and "'WARX/1.0'" in broken.reason
    assert isinstance(page, Document) and page.id == "c"


def test_a_url_that_is_too_long_is_none(tmp_path: Path) -> None:
    host = "http://a.org/"
    longest = host + "x" * (LONGEST_URL - len(host))
    assert resolve_url(host, longest) == longest
    assert resolve_url(host, longest + "x") == ""
    assert resolve_url(longest[:-1] + "/", "y") == ""
    page = make_page_document("p", longest + "x", b"<a href=y>y</a>", "here")
    assert isinstance(page, Document) and page.url == "" and page.streams["url"] == ""
    path = tmp_path / "corpus.jsonl"
    path.write_text(f'{{"id": "1", "t": "x", "url": "{longest}x", "links": ["{longest}x", "2"]}}')
    assert list(open_corpus(path).documents()) == [Document("1", {"t": "x"}, links=(Link("2"),))]


def test_long_bases_and_deep_paths_take_bounded_room() -> None:
    base = b'<base href="http://x/%s/">' % (b"a" * 60_000)
    page = make_page_document("p", "http://a.org/", base + b"<a href=1>t</a>" * 10_000, "here")
    assert isinstance(page, Document) and {link.target for link in page.links} == {"http://a.org/1"}
    base = b'<base href="http://x/%s/">' % (b"a" * 1900)
    page = make_page_document("p", "http://a.org/", base + b"<a href=1>" * 100_000, "here")
    assert isinstance(page, Document)
    assert sum(len(link.target) for link in page.links) <= 1 << 25
    deep = ["http://h" + "/a" * depth for depth in (400, 500, 1_000_000)]
    assert find_sitemap_parents(deep).tolist() == [-1, 0, -1]


def test_json_lines_have_the_words_of_their_url_as_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(
        '{"id": "1", "url": "http://a.org/big_house.html"}\n'
        '{"id": "2", "url": "http://a.org/x", "streams": {"url": "my own words"}}\n'
        '{"id": "3", "title": "no url"}\n'
    )
    first, second, third = open_corpus(path).documents()
    assert isinstance(first, Document) and first.streams == {"url": "a org big house html"}
    assert isinstance(second, Document) and second.streams == {"url": "my own words"}
    assert second.url == "http://a.org/x"
    assert isinstance(third, Document) and third.streams == {"title": "no url"}


def _read_pages(site: Path) -> list[Document]:
    return [one for one in open_corpus(site).documents() if isinstance(one, Document)]


def _write_mirror(site: Path) -> None:
    for host in ("www.a.org", "b.org:8080"):
        (site / host / "sub").mkdir(parents=True)
    (site / "www.a.org" / "index.html").write_text(
        "<a href='http://b.org:8080/y.html'>absolute</a><a href='sub/x.html'>relative</a>"
        "<a href='../b.org:8080/y.html'>from host to host</a><a href='/sub/x.html'>rooted</a>"
        "<a href='//b.org:8080/y.html'>without a scheme</a><a href='http://c.org/'>elsewhere</a>"
    )
    (site / "www.a.org" / "sub" / "x.html").write_text(
        "<a href='../'>up</a><base href='https://b.org:8080/sub/'><a href='../y.html'>by base</a>"
    )
    (site / "b.org:8080" / "y.html").write_text("<a href='https://www.a.org/'>back</a>")


def test_folders_called_like_hosts_are_hosts(tmp_path: Path) -> None:
    _write_mirror(tmp_path / "mirror")
    (tmp_path / "mirror" / "robots.txt").write_text("User-agent: *")
    pages = {page.id: page for page in _read_pages(tmp_path / "mirror")}
    assert {identifier: normalize_url(page.url) for identifier, page in pages.items()} == {
        "www.a.org/index.html": "www.a.org", "www.a.org/sub/x.html": "www.a.org/sub/x.html",
        "b.org:8080/y.html": "b.org:8080/y.html",
    }  # fmt: skip
    links = {
        identifier: [normalize_url(link.target) for link in page.links]
        for identifier, page in pages.items()
    }
    y, x = "b.org:8080/y.html", "www.a.org/sub/x.html"
    assert links["www.a.org/index.html"] == [y, x, y, x, y, "c.org"]
    assert links[x] == ["www.a.org", y] and links[y] == ["www.a.org"]


def test_a_page_beside_folders_or_another_folder_makes_them_parts_of_one_site(
    tmp_path: Path,
) -> None:
    for name, place in (("one", "index.html"), ("two", "docs/index.html")):
        _write_mirror(tmp_path / name)
        (tmp_path / name / place).parent.mkdir(exist_ok=True)
        (tmp_path / name / place).write_text("x")
        assert all(page.url.startswith(f"http://{name}/") for page in _read_pages(tmp_path / name))
