"""Shares of a LETOR file: together the whole file, wherever it is cut, and true line numbers."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.formats import letor_reader
from rankwise.data.formats.compression import ByteSource
from rankwise.data.formats.letor_reader import cut_into_shares, read_letor
from rankwise.data.joining import concatenate
from rankwise.errors import FormatError, RankwiseError

ROWS = "".join(
    f"{row % 3} qid:{query} 1:{row} {row % 5 + 1 if row % 5 else 7}:0.5 #docid = {query}-{row}\n"
    for query in range(1, 9)
    for row in range(query)
)

# Lines between rows that are no rows; sizes of queries; how lines end.
NOTHING = st.sampled_from(["", "", "", "\n", "# a comment\n", "  \t\n", "#qid:1\n"])
SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=8)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    lines = []
    for query, size in enumerate(draw(SIZES)):
        for row in range(size):
            name = "x" * draw(st.integers(0, 3)) + str(query)
            lines.append(
                draw(NOTHING) + f"{row} qid:q{query} {draw(st.integers(1, 3))}:{row}.25 #{name}\n"
            )
    text = "".join(lines) + draw(NOTHING)
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


@given(content=files(), count=st.integers(1, 20), look=st.sampled_from([1, 7, 1 << 16]))
def test_shares_together_are_the_whole_file(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, count: int, look: int
) -> None:
    path = tmp_path_factory.mktemp("shares") / "data.txt"
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letor_reader, "_LOOK_BYTES", look)
        shares = cut_into_shares(path, count)
    assert 1 <= len(shares) <= count
    assert [share.begin for share in shares] == [0, *(share.end for share in shares[:-1])]
    assert shares[-1].end == len(content)
    parts = [share.read(1) for share in shares]
    whole = read_letor(path)
    joined = concatenate([part.widened(whole.n_features) for part in parts])
    assert max(part.n_features for part in parts) == whole.n_features
    assert np.array_equal(joined.features, whole.features)
    assert np.array_equal(joined.labels, whole.labels)
    assert np.array_equal(joined.query_offsets, whole.query_offsets)
    assert list(joined.query_ids) == list(whole.query_ids)
    assert joined.comments == whole.comments


@pytest.mark.parametrize("count", [1, 2, 3, 5, 40])
@pytest.mark.parametrize(
    "wrong",
    ["x qid:3 1:1", "1 3 1:1", "1 qid:3 0:1", "1 qid:3 1:one", "1 qid:3 2:1 2:1", "1 qid:1 1:1"],
)
def test_a_wrong_line_has_the_number_it_has_in_the_whole_file(
    tmp_path: Path, wrong: str, count: int
) -> None:
    lines = ROWS.splitlines()
    for number in (3, 4, 9, len(lines)):
        path = tmp_path / "data.txt"
        path.write_text("\n".join([*lines[:number], wrong, *lines[number:]]))
        with pytest.raises(FormatError) as whole:
            read_letor(path)
        shares = cut_into_shares(path, count)
        inside = [share for share in shares if share.begin <= _place(path, number) < share.end]
        if wrong == "1 qid:1 1:1" and inside[0].begin > 0:
            # The query came first in another share: this one cannot know.
            assert "1" in list(inside[0].read().query_ids)
            continue
        with pytest.raises(FormatError) as share:
            inside[0].read()
        assert str(share.value) == str(whole.value)
        assert (share.value.line, share.value.column) == (whole.value.line, whole.value.column)


def _place(path: Path, number: int) -> int:
    return sum(map(len, path.read_bytes().splitlines(keepends=True)[:number]))


def test_shares_are_about_equal_and_cut_without_reading_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.txt"
    rows = (f"1 qid:{row // 10} 1:{row} 2:0.123456789 3:0.5\n" for row in range(100_000))
    path.write_text("".join(rows))
    read: list[int] = []
    plain = ByteSource.read

    def counted(self: ByteSource, begin: int, end: int, room: object = None) -> object:
        read.append(end - begin)
        return plain(self, begin, end)

    monkeypatch.setattr(ByteSource, "read", counted)
    sizes = [share.end - share.begin for share in cut_into_shares(path, 4)]
    assert sum(read) <= 4 * letor_reader._LOOK_BYTES < path.stat().st_size / 4
    assert max(sizes) - min(sizes) < 1000


def test_lines_before_a_share_are_counted_for_an_error_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.txt"
    path.write_text(ROWS)
    counted: list[int] = []
    monkeypatch.setattr(ByteSource, "lines_before", lambda self: counted.append(1) or 0)
    for share in cut_into_shares(path, 3):
        share.read()
    assert counted == []
    path.write_text(ROWS + "wrong")
    with pytest.raises(FormatError):
        cut_into_shares(path, 3)[-1].read()
    assert counted


def test_a_byte_order_mark_in_the_middle_is_no_mark(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    path.write_bytes(b"1 qid:1 1:1\n" * 4 + b"\xef\xbb\xbf1 qid:2 1:1\n")
    first, second = cut_into_shares(path, 2)
    assert first.read().n_documents == 4
    with pytest.raises(FormatError, match=r"data.txt:5:1: a row must begin with its label"):
        second.read()


def test_files_that_cannot_be_cut_are_refused(tmp_path: Path) -> None:
    packed = tmp_path / "data.txt.gz"
    packed.write_bytes(gzip.compress(ROWS.encode()))
    with pytest.raises(RankwiseError, match=r"cannot be read in shares.*decompress it first"):
        cut_into_shares(packed, 2)
    other = tmp_path / "data.parquet"
    other.write_bytes(b"PAR1")
    with pytest.raises(RankwiseError, match="cut from LETOR text, found a table"):
        cut_into_shares(other, 2)
    plain = tmp_path / "data.txt"
    plain.write_text("# a comment\n1 1:3 2:4\n0 1:1 2:2\n")
    with pytest.raises(FormatError, match="must name the query of every row by qid:"):
        cut_into_shares(plain, 2)
    with pytest.raises(RankwiseError, match="at least one share, found 0"):
        cut_into_shares(plain, 0)
    with pytest.raises(RankwiseError, match=r"none\.txt: there is no such file"):
        cut_into_shares(tmp_path / "none.txt", 2)


@pytest.mark.parametrize("content", ["", "\n", "# only a comment"])
def test_a_file_without_rows_is_one_share_that_says_so(tmp_path: Path, content: str) -> None:
    path = tmp_path / "data.txt"
    path.write_text(content)
    (share,) = cut_into_shares(path, 3)
    with pytest.raises(FormatError, match="at least one row, found none"):
        share.read()


def test_a_file_that_became_shorter_is_told(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    path.write_text(ROWS)
    last = cut_into_shares(path, 3)[-1]
    path.write_text(ROWS[: len(ROWS) // 2])
    with pytest.raises(RankwiseError, match="the file became shorter"):
        last.read()


def test_zero_based_shares_begin_at_zero(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    path.write_text("1 qid:1 0:5\n1 qid:2 0:6\n1 qid:3 0:7\n1 qid:4 1:8\n")
    parts = [share.read() for share in cut_into_shares(path, 2, zero_based=True)]
    assert [part.features.tolist() for part in parts] == [[[5.0], [6.0], [7.0]], [[0.0, 8.0]]]
