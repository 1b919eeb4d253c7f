"""Files of a corpus: damage, byte order marks, folders of many kinds, the places of documents."""

from __future__ import annotations

import bz2
import gzip
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import zstandard

from rankwise.collection.build_folder import MARK, MARK_TEXT
from rankwise.collection.corpora import classical, json_lines, text_files
from rankwise.collection.corpora.corpus import open_corpus
from rankwise.collection.corpora.document import OTHER_FILE, Broken, Document
from rankwise.collection.corpora.text_files import lines
from rankwise.errors import RankwiseError

COMPRESSORS = [gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress]


def read(path: Path, format_name: str = "auto") -> list[Document | Broken]:
    return list(open_corpus(path, format_name).documents())


@cache
def made_lines(n: int) -> bytes:
    """Lines that hardly compress, so that a cut file still holds some."""
    draw = random.Random(0)
    records = ({"id": str(k), "t": draw.randbytes(100).hex()} for k in range(n))
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@pytest.mark.parametrize("compress", COMPRESSORS)
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_what_comes_before_damage_counts_and_the_rest_is_one_broken(
    tmp_path: Path, compress: Callable[[bytes], bytes], damage: str
) -> None:
    content = bytearray(compress(made_lines(10_000)))
    if damage == "cut":
        del content[-len(content) // 10 :]
    else:
        content[-len(content) // 10 :] = b"\xff" * (len(content) // 10)
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "b").write_bytes(compress(b'{"id": "last", "t": "x"}\n'))
    *before, broken, last = read(tmp_path)
    # Right before damage that is noticed late, by a sum, there may be nonsense; never a cut line.
    ids = [one.id for one in before[:5_000] if isinstance(one, Document)]
    assert ids == [str(number) for number in range(5_000)]
    assert damage == "changed" or all(isinstance(one, Document) for one in before)
    assert broken == Broken(
        str(tmp_path / "a"), "its compression is damaged; the rest of it is left out"
    )
    assert isinstance(last, Document) and last.id == "last"


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_a_file_damaged_from_the_start_is_broken_among_others(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "a").write_bytes(compress(b'{"id": "a"}\n')[:9])
    (tmp_path / "b").write_bytes(b'{"id": "b", "t": "x"}\n')
    (tmp_path / "c").write_bytes(b"")
    broken, whole = read(tmp_path)
    assert isinstance(broken, Broken) and broken.is_damage and isinstance(whole, Document)
    with pytest.raises(RankwiseError, match="compression is damaged"):
        list(lines(tmp_path / "a"))
    with pytest.raises(RankwiseError, match="compression is damaged"):
        open_corpus(tmp_path / "a")


def test_frames_of_zstd_are_read_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "corpus.zst"
    compress = zstandard.ZstdCompressor().compress
    skipped = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    path.write_bytes(compress(made_lines(3000)) + skipped + compress(b"") + compress(made_lines(2)))
    assert [line for _, line in lines(path)] == (made_lines(3000) + made_lines(2)).splitlines()


@pytest.mark.parametrize(
    "content",
    [
        b'{"id": "1", "title": "x"}\n',
        b".I 1\n.T\nx\n",
        b".I 7\n.U\n1\n.T\nx\n",
        b"<DOC>\n<DOCNO>1</DOCNO><TITLE>x</TITLE></DOC>\n",
    ],
)
def test_a_byte_order_mark_is_no_part_of_a_document(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "corpus"
    path.write_bytes(b"\xef\xbb\xbf" + content)
    (document,) = read(path)
    assert isinstance(document, Document) and document.id == "1"
    assert document.streams == {"title": "x"}


def test_a_folder_is_what_most_of_it_is_and_the_rest_is_named(tmp_path: Path) -> None:
    (tmp_path / "README.html").write_text("<p>About")
    (tmp_path / "queries.tsv").write_text("1\twings\n")
    (tmp_path / "corpus.jsonl").write_bytes(made_lines(3))
    found = read(tmp_path)
    left_out = [one for one in found if isinstance(one, Broken)]
    assert [one.where for one in left_out] == [
        str(tmp_path / name) for name in ("README.html", "queries.tsv")
    ]
    assert {one.kind for one in left_out} == {OTHER_FILE}
    assert not any(one.is_damage for one in left_out)
    assert [one.id for one in found if isinstance(one, Document)] == ["0", "1", "2"]


def test_a_web_site_with_other_files_is_a_web_site(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.html").write_text("<p>" + "page " * 100)
    (tmp_path / "package.json").write_text('{"name": "site"}')
    (tmp_path / "empty.txt").write_text("")
    corpus = open_corpus(tmp_path)
    assert corpus.format == "html"
    kinds = [one.kind for one in corpus.documents() if isinstance(one, Broken)]
    assert kinds == [OTHER_FILE, OTHER_FILE]


def test_a_format_that_is_given_is_believed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(".I 1\n.U\n7\n.T\nx\n")
    (document,) = read(tmp_path, "smart")
    assert isinstance(document, Document) and document.id == "1"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'\n{"id": "1", "t": "x"}\n', 2),
        (b".I 0\n.T\nx\n.I 1\n", 4),
        (b".I 0\n.U\n0\n.I 1\n", 4),
        (b"<DOC><DOCNO>0</DOCNO>\n</DOC>\n<DOC><DOCNO>1</DOCNO></DOC>", 3),
    ],
)
def test_documents_know_their_file_and_line(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "corpus"
    path.write_bytes(content)
    last = read(path)[-1]
    assert isinstance(last, Document) and last.id == "1" and last.where == f"{path}:{line}"


@pytest.mark.parametrize("head", ["", ".U\n3\n"])
def test_a_record_that_is_too_large_is_broken_and_not_kept(
    tmp_path: Path, head: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classical, "LARGEST_RECORD", 100)
    path = tmp_path / "smart"
    path.write_text(f".I 1\n{head}.W\n" + "x\n" * 60 + f".I 2\n{head}.T\nsmall\n")
    large, small = read(path)
    assert isinstance(large, Broken) and large.where == f"{path}:1"
    assert "at most 100 bytes" in large.reason
    kept = next(classical.read_smart_records(path)).fields.values()
    assert sum(map(len, kept)) <= 100
    assert isinstance(small, Document) and small.streams == {"title": "small"}


def test_what_is_beside_the_corpus_in_its_folder_is_no_document(tmp_path: Path) -> None:
    (tmp_path / "docs").write_text(".I 1\n.T\nx\n")
    for name in ("queries", "other"):
        (tmp_path / name).write_text(".I 101\n.W\nx\n")
    (tmp_path / "out" / "deep").mkdir(parents=True)
    (tmp_path / "out" / "deep" / "more").write_text(".I 3\n.T\nx\n")
    (tmp_path / "link").symlink_to(tmp_path / "other")
    beside = [tmp_path / "queries", tmp_path / "link", tmp_path / "out" / "..", tmp_path / "out"]
    for root in (tmp_path, tmp_path / "out" / ".."):
        (document,) = open_corpus(root, leave_out=beside).documents()
        assert isinstance(document, Document) and document.id == "1"
    (alone,) = open_corpus(tmp_path / "queries", leave_out=beside).documents()
    assert isinstance(alone, Document) and alone.id == "101"


def test_folders_of_builds_are_passed_over_and_others_with_such_a_file_are_not(
    tmp_path: Path,
) -> None:
    for number, mark in enumerate((MARK_TEXT, "how to build this\n")):
        folder = tmp_path / str(number) / "deep"
        folder.mkdir(parents=True)
        (folder / "data-card.json").write_text(f'{{"id": {number}, "t": "x"}}')
        (folder.parent / MARK).write_text(mark)
    ids = [one.id for one in read(tmp_path) if isinstance(one, Document)]
    assert ids == ["1"]
    with pytest.raises(RankwiseError, match="found no file in it"):
        open_corpus(tmp_path / "0")


@pytest.mark.parametrize("length", [99, 100, 101, 199, 200, 250])
def test_a_line_that_is_too_long_is_one_broken_document(
    tmp_path: Path, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "_LONGEST_LINE", 100)
    monkeypatch.setattr(json_lines, "LARGEST_DOCUMENT", 100)
    path = tmp_path / "corpus.jsonl"
    long = json.dumps({"id": "long", "t": ""})
    long = long.replace('""', f'"{"x" * (length - len(long))}"')
    path.write_text(f'{{"id": "first", "t": "x"}}\n{long}\n{{"id": "last", "t": "x"}}\n')
    _, second, last = read(path)
    assert isinstance(last, Document) and last.where == f"{path}:3"
    assert isinstance(second, Document if length < 100 else Broken)
