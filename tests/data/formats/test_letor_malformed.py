"""Malformed files: each with the sentence it must produce, and thousands of corrupted ones."""

from __future__ import annotations

import bz2
import gzip
import re
from pathlib import Path

import numpy as np
import pytest
import zstandard

from rankwise import Dataset, read
from rankwise.errors import RankwiseError

GOOD = "1 qid:1 1:0.5 2:1\n"
LABEL = "a row must begin with its label, a finite number, found"
QUERY = "after the label must come qid:ID, found"
FEATURE = "a feature must be written index:value, found"
VALUE = "a feature's value must be a number or NULL, found"
TWICE = "a feature index may stand once in a row, found it again in"
ZERO = "feature indices begin at 1, found"

MALFORMED = {
    "empty file": ("", "F: the file must hold at least one row, found none"),
    "blank file": (" \n\n\t\n", "F: the file must hold at least one row, found none"),
    "comments only": ("# a\n# b", "F: the file must hold at least one row, found none"),
    "label is a word": ("x qid:1 1:2\n", f"F:1:1: {LABEL} 'x'"),
    "label in a later line": (GOOD + "one qid:1 1:2\n", f"F:2:1: {LABEL} 'one'"),
    "label after blanks": ("  y qid:1 1:2\n", f"F:1:3: {LABEL} 'y'"),
    "label NULL": ("NULL qid:1 1:2\n", f"F:1:1: {LABEL} 'NULL'"),
    "label nan": ("nan qid:1 1:2\n", f"F:1:1: {LABEL} 'nan'"),
    "label infinite": ("inf qid:1 1:2\n", f"F:1:1: {LABEL} 'inf'"),
    "label overflows": ("1e999 qid:1 1:2\n", f"F:1:1: {LABEL} '1e999'"),
    "label with a unit": ("1x qid:1 1:2\n", f"F:1:1: {LABEL} '1x'"),
    "label two points": ("1.2.3 qid:1 1:2\n", f"F:1:1: {LABEL} '1.2.3'"),
    "label is a lone sign": ("- qid:1 1:2\n", f"F:1:1: {LABEL} '-'"),
    "label hexadecimal": ("0x1 qid:1 1:2\n", f"F:1:1: {LABEL} '0x1'"),
    "label with underscore": ("1_0 qid:1 1:2\n", f"F:1:1: {LABEL} '1_0'"),
    "label in other digits": ("٣ qid:1 1:2\n", f"F:1:1: {LABEL} '٣'"),
    "label missing": ("qid:1 1:2\n", f"F:1:1: {LABEL} 'qid:1'"),
    "feature first": ("1:2 qid:1\n", f"F:1:1: {LABEL} '1:2'"),
    "label only": (GOOD + "1\n", f"F:2:2: {QUERY} the end of the line"),
    "label and comment only": ("1 #docid = 3\n", f"F:1:3: {QUERY} '#docid'"),
    "no query in a later row": (GOOD + "1 1:2\n", f"F:2:3: {QUERY} '1:2'"),
    "query misspelt": (GOOD + "1 QID:1 1:2\n", f"F:2:3: {QUERY} 'QID:1'"),
    "query without colon": ("1 qid 1:2\n", f"F:1:3: {QUERY} 'qid'"),
    "query id empty": (
        "1 qid: 1:2\n",
        "F:1:7: qid: must be followed by the query's id, found '1:2'",
    ),
    "query id empty at the end": (
        "1 qid:\n",
        "F:1:7: qid: must be followed by the query's id, found the end of the line",
    ),
    "no queries at all": (
        "1 1:2\n0 1:3\n",
        "F:1: rows must name their query with qid:ID, or F.query or F.group must stand beside "
        "the file; found neither",
    ),
    "query in a later row only": (
        "1 1:2\n1 qid:1 1:2\n",
        "F:2:3: the rows before have no qid, so none may have one, found 'qid:1'",
    ),
    "query comes back": (
        GOOD + "1 qid:2 1:1\n\n" + GOOD,
        "F:4:7: the rows of a query must stand together, found query '1' again, first seen in "
        "line 1; sort the file by query, or repeated_queries='merge' joins its rows",
    ),
    "index is a word": ("1 qid:1 a:2\n", f"F:1:9: {FEATURE} 'a:2'"),
    "index negative": ("1 qid:1 -1:2\n", f"F:1:9: {FEATURE} '-1:2'"),
    "index decimal": ("1 qid:1 1.5:2\n", f"F:1:9: {FEATURE} '1.5:2'"),
    "index missing": ("1 qid:1 :2\n", f"F:1:9: {FEATURE} ':2'"),
    "no colon": ("1 qid:1 1:2 7\n", f"F:1:13: {FEATURE} '7'"),
    "blank before colon": ("1 qid:1 1 :2\n", f"F:1:9: {FEATURE} '1'"),
    "equals for colon": ("1 qid:1 1=2\n", f"F:1:9: {FEATURE} '1=2'"),
    "commas": ("1,qid:1,1:2\n", f"F:1:1: {LABEL} '1,qid:1,1:2'"),
    "second query": ("1 qid:1 qid:2 1:2\n", f"F:1:9: {FEATURE} 'qid:2'"),
    "index zero": (
        "1 qid:1 0:2\n",
        f"F:1:9: {ZERO} '0:2'; zero_based=True if its indices begin at 0",
    ),
    "index beyond reason": (
        "1 qid:1 1:1 2000000:1\n",
        "F:1:13: feature indices may go up to 1048576, found '2000000:1'",
    ),
    "index beyond 64 bits": (
        "1 qid:1 99999999999999999999999:1\n",
        "F:1:9: feature indices may go up to 1048576, found '99999999999999999999999:1'",
    ),
    "value is a word": ("1 qid:1 1:abc\n", f"F:1:11: {VALUE} 'abc'"),
    "value missing": ("1 qid:1 1: 2:3\n", f"F:1:11: {VALUE} '2:3'"),
    "value missing at the end": ("1 qid:1 1:\n", f"F:1:11: {VALUE} the end of the line"),
    "value with comma": ("1 qid:1 1:0,5\n", f"F:1:11: {VALUE} '0,5'"),
    "value two signs": ("1 qid:1 1:--5\n", f"F:1:11: {VALUE} '--5'"),
    "value only a point": ("1 qid:1 1:.\n", f"F:1:11: {VALUE} '.'"),
    "value bare exponent": ("1 qid:1 1:1e\n", f"F:1:11: {VALUE} '1e'"),
    "value NULLs": ("1 qid:1 1:NULLs\n", f"F:1:11: {VALUE} 'NULLs'"),
    "value in brackets": ("1 qid:1 1:[1]\n", f"F:1:11: {VALUE} '[1]'"),
    "value with underscore": ("1 qid:1 1:1_000\n", f"F:1:11: {VALUE} '1_000'"),
    "two colons": ("1 qid:1 1:2:3\n", f"F:1:11: {VALUE} '2:3'"),
    "long token is shortened": ("1 qid:1 1:" + "z" * 90 + "\n", f"F:1:11: {VALUE} '{'z' * 40}…'"),
    "index twice": ("1 qid:1 1:2 1:3\n", f"F:1:13: {TWICE} '1:3'"),
    "index twice later": ("1 qid:1 3:2 1:3 2:2 3:1\n", f"F:1:21: {TWICE} '3:1'"),
    "index twice with zeros": ("1 qid:1 1:2 01:3\n", f"F:1:13: {TWICE} '01:3'"),
    "zero byte": ("1 qid:1 1:2 \x00\n", f"F:1:13: {FEATURE} '\\x00'"),
    "binary": ("\x7fELF\x02\x01\n", f"F:1:1: {LABEL} '\\x7fELF\\x02\\x01'"),
    "UTF-16": ("1 qid:1 1:2\n".encode("utf-16"), f"F:1:1: {LABEL} '\\\\xff\\\\xfe1\\x00'"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_the_sentence(tmp_path, case):
    text, sentence = MALFORMED[case]
    path = tmp_path / "F"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RankwiseError) as caught:
        read(path)
    assert str(caught.value).replace(f"{tmp_path}/", "") == sentence


SIDE_FILES = {
    "counts too few": ("1\n", "S: the counts must add up to the 2 rows of F, found 1"),
    "counts too many": ("5\n", "S: the counts must add up to the 2 rows of F, found 5"),
    "a word": ("1\nx\n", "S:2: a line must hold the number of rows of one query, found 'x'"),
    "zero": ("2\n0\n", "S:2: a line must hold the number of rows of one query, found '0'"),
    "negative": ("-2\n", "S:1: a line must hold the number of rows of one query, found '-2'"),
}


@pytest.mark.parametrize("case", SIDE_FILES)
def test_the_sentence_for_side_files(tmp_path, case):
    text, sentence = SIDE_FILES[case]
    (tmp_path / "F").write_text("1 1:2\n0 1:3\n")
    (tmp_path / "F.query").write_text(text)
    with pytest.raises(RankwiseError) as caught:
        read(tmp_path / "F")
    assert str(caught.value).replace(f"{tmp_path}/", "").replace("F.query", "S") == sentence


def test_the_sentence_for_files_that_cannot_be_read(tmp_path):
    for path, sentence in (
        (tmp_path / "none.txt", "there is no such file"),
        (tmp_path, "it is a directory, a file was expected"),
    ):
        with pytest.raises(RankwiseError, match=re.escape(f"cannot read {path}: {sentence}")):
            read(path)


def test_the_first_error_in_the_file_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("rankwise.data.formats.letor_chunks.BLOCK_BYTES", 64)
    rows = [f"1 qid:{row} 1:1" for row in range(60)]
    rows[20] = "1 qid:20 1:x"
    rows[50] = "bad"
    (tmp_path / "F").write_text("\n".join(rows))
    with pytest.raises(RankwiseError, match=r"F:21:12: .*found 'x'"):
        read(tmp_path / "F")


def test_an_index_beyond_reason_that_no_sample_shows(tmp_path, monkeypatch):
    monkeypatch.setattr("rankwise.data.formats.letor_chunks.SAMPLE_BYTES", 4)
    (tmp_path / "F").write_text(GOOD + "1 qid:1 2:1 9:1 2000000:1 3000000:1\n")
    with pytest.raises(RankwiseError, match=r"F:2:17: .* up to 1048576, found '2000000:1'"):
        read(tmp_path / "F")


def test_five_thousand_corrupted_files(tmp_path):
    """Every outcome is a data set or a RankwiseError: no crash, no hang, no other exception."""
    rng = np.random.default_rng(2026)
    sources = [_text(rng), gzip.compress(_text(rng)), bz2.compress(_text(rng))]
    sources.append(zstandard.ZstdCompressor().compress(_text(rng)))
    path = tmp_path / "F"
    outcomes = {"data set": 0, "error": 0}
    for number in range(5000):
        source = sources[0] if number % 4 else sources[1 + number // 4 % 3]
        # Where a file is emptied and written again, ext4 waits for the disk.
        path.unlink(missing_ok=True)
        path.write_bytes(_corrupted(source, rng))
        try:
            assert isinstance(read(path), Dataset)
            outcomes["data set"] += 1
        except RankwiseError as error:
            assert str(error).count("\n") == 0
            outcomes["error"] += 1
    assert sum(outcomes.values()) == 5000
    assert min(outcomes.values()) > 500


def _text(rng: np.random.Generator) -> bytes:
    rows = []
    for row in range(12):
        values = " ".join(f"{i + 1}:{v:.6f}" for i, v in enumerate(rng.random(5)))
        rows.append(f"{row % 3} qid:{row // 4} {values} #docid = D{row} inc = 1 prob = 0.5")
    return "\n".join(rows).encode()


def _corrupted(source: bytes, rng: np.random.Generator) -> bytes:
    """A few random bytes changed, removed, doubled or cut off; digits and marks more often."""
    content = bytearray(source)
    alphabet = b"0123456789:.-+eE \t\r\n#qidNULnaf\x00\xff\xef,"
    for _ in range(int(rng.integers(1, 5))):
        at = int(rng.integers(len(content)))
        match rng.integers(6):
            case 0:
                content[at] = int(rng.integers(256))
            case 1 | 2:
                content[at] = alphabet[int(rng.integers(len(alphabet)))]
            case 3:
                del content[at : at + int(rng.integers(1, 20))]
            case 4:
                content[at:at] = content[at : at + int(rng.integers(1, 60))]
            case _:
                del content[max(at, 1) :]
        if not content:
            content = bytearray(b"1")
    return bytes(content)


def test_nothing_is_left_behind_when_writing_fails(tmp_path: Path):
    from rankwise import write

    dataset = Dataset.from_arrays([[1.0]], [1], qid=[1])
    with pytest.raises(RankwiseError, match="does not exist"):
        write(dataset, tmp_path / "no" / "rows.txt")
    with pytest.raises(RankwiseError, match="it is a directory"):
        write(dataset, tmp_path)
    (tmp_path / "old.txt").write_text("kept")
    broken = Dataset.from_arrays([[1.0]], [1], qid=["a b"])
    with pytest.raises(RankwiseError):
        write(broken, tmp_path / "old.txt")
    assert (tmp_path / "old.txt").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["old.txt"]


def test_a_full_disk_is_a_sentence():
    from rankwise.files import writing_failure

    with pytest.raises(OSError) as caught, Path("/dev/full").open("wb", buffering=0) as stream:
        stream.write(b"x")
    assert str(writing_failure("out.txt", caught.value)) == (
        "cannot write out.txt: No space left on device; nothing was left behind"
    )
