"""Small files that ask for much: each is answered within 10 × its input + 300 MB of memory."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import zstandard

from rankwise.data import read_qrels, read_scores
from rankwise.data.formats import compression, letor_chunks
from rankwise.data.formats.compression import open_bytes, open_source
from rankwise.data.formats.letor_reader import read_letor
from rankwise.errors import RankwiseError
from tests.measured_child import run_command

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the memory of a process is read from /proc"
)

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=1),
    "zst": lambda data: zstandard.ZstdCompressor().compress(data),
}
EXPLODING = "may hold 100 times its size"


@cache
def packed(ending: str, line: bytes) -> bytes:
    """A thousand streams of a mebibyte, one after the other."""
    return 1000 * PACKERS[ending](line * ((1 << 20) // len(line)))


def far_apart(folder: Path, rows: int) -> Path:
    """Rows with a first and a millionth feature."""
    path = folder / "far.txt"
    path.write_text("".join(f"{row % 3} qid:1 1:1 1000000:{row}\n" for row in range(rows)))
    return path


@pytest.mark.parametrize("rows", [20, 300])
def test_features_far_apart_are_described(tmp_path, rows):
    path = far_apart(tmp_path, rows)
    done = run_command("data", "describe", path)
    assert done.code == 0, done.output
    shown = " ".join(done.output.split())
    assert "features 1,000,000" in shown
    assert "and 999,989 more (all: --format json)" in shown
    assert len(done.output) < 5000
    assert done.is_within_bounds(path)


@pytest.mark.parametrize("comment", ["", " #" + 125 * ":"])
def test_narrow_rows_that_write_one_feature_in_a_thousand(tmp_path, comment):
    """As an array, 400 or 40 times the file; comments do not count as features."""
    path = tmp_path / "narrow.txt"
    path.write_text(f"1 qid:1 1000:1{comment}\n" * 150_000)
    done = run_command("data", "describe", path)
    assert done.code == 0, done.output
    assert done.is_within_bounds(path)


@pytest.mark.parametrize(
    "words",
    [
        ("check", "{}"),
        ("convert", "{}", "{}.out.gz"),
        ("normalize", "{}", "{}.out", "--to", "query-level"),
        ("split", "{}", "{}.folds", "--parts", "3"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_on_data_needs_memory_for_the_entries_alone(tmp_path, words):
    path = tmp_path / "far.txt"
    lines = (f"{row % 2} qid:{row // 100} 1:1 {900_000 + row}:{row}\n" for row in range(3000))
    path.write_text("".join(lines))
    done = run_command("data", *(word.format(path) for word in words))
    assert done.code == 0, done.output
    assert done.is_within_bounds(path)


def test_wide_data_train_and_score_in_memory_for_the_entries(tmp_path):
    """2,000 rows of 100,000 features: 1.6 GB as an array."""
    rng = np.random.default_rng(0)
    path, model = tmp_path / "wide.txt", tmp_path / "model.json"
    lines = []
    for row in range(2000):
        columns = np.sort(rng.choice(100_000, 20, replace=False)) + 1
        cells = " ".join(f"{column}:{rng.random():.3f}" for column in columns)
        lines.append(f"{row % 3} qid:{row // 40} {cells}\n")
    path.write_text("".join(lines))
    done = run_command("train", path, "--ranker", "ridge-regression", "-o", model)
    assert done.code == 0, done.output
    assert done.is_within_bounds(path)
    done = run_command("score", model, path, "-o", tmp_path / "scores.txt")
    assert done.code == 0, done.output
    assert done.is_within_bounds(path, model)
    done = run_command("evaluate", path, tmp_path / "scores.txt", "-m", "NDCG@10")
    assert done.code == 0, done.output
    assert done.is_within_bounds(path)
    done = run_command("train", path, "--ranker", "adarank-map", "-o", model)
    assert done.code == 2
    assert "would need 1.5 GiB as a dense array" in done.output
    assert done.is_within_bounds(path)


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("line", [b"\0" * 16, b"1 qid:1 999:1\n"], ids=["zeros", "rows"])
def test_a_compressed_file_that_explodes_takes_no_memory(tmp_path, ending, line):
    path = tmp_path / f"bomb.{ending}"
    path.write_bytes(packed(ending, line))
    done = run_command("data", "describe", path)
    assert done.code == 2, done.output
    assert EXPLODING in done.output or "a line must end within" in done.output
    assert done.is_within_bounds(path)


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("read", [read_letor, read_scores, read_qrels])
def test_every_reader_refuses_what_explodes(tmp_path, ending, read):
    path = tmp_path / f"bomb.{ending}"
    path.write_bytes(packed(ending, b"0\n"))
    with pytest.raises(RankwiseError, match=f"{EXPLODING}.*decompress it first"):
        read(path)


@pytest.mark.parametrize("ending", PACKERS)
def test_what_explodes_is_refused_as_a_stream_too(tmp_path, ending):
    """As corpora, topics and pages are read."""
    path = tmp_path / f"bomb.{ending}"
    path.write_bytes(packed(ending, b"0\n"))
    with pytest.raises(RankwiseError, match=EXPLODING), open_bytes(path) as stream:
        while stream.read1(1 << 16):
            pass


def test_what_is_packed_a_hundredfold_is_read(tmp_path):
    path = tmp_path / "rows.gz"
    path.write_bytes(gzip.compress(b"1 qid:1 1:0.5\n" * 10_000))
    assert path.stat().st_size * 100 < 140_000
    assert read_letor(path).n_documents == 10_000


@pytest.mark.parametrize("compressed", [False, True])
def test_a_line_without_end_is_refused(tmp_path, monkeypatch, compressed):
    for module in (compression, letor_chunks):
        monkeypatch.setattr(module, "LONGEST_LINE", 3 << 20)
    monkeypatch.setattr("rankwise.data.formats.letor_parser.LONGEST_LINE", 3 << 20)
    monkeypatch.setattr(compression, "PIECE", 1 << 16)
    content = b"1 qid:1 1:1\n" + b" " * (8 << 20)
    path = tmp_path / "endless"
    path.write_bytes(gzip.compress(content) if compressed else content)
    with pytest.raises(RankwiseError, match="a line must end within 3,145,728 bytes"):
        read_letor(path)
    path.write_bytes(gzip.compress(b" " * (8 << 20)) if compressed else b" " * (8 << 20))
    with pytest.raises(RankwiseError, match="a line must end within 3,145,728 bytes"):
        read_letor(path)


def test_what_is_large_when_decompressed_is_held_on_disk(tmp_path, monkeypatch):
    """The same bytes from any place, and no file is left."""
    monkeypatch.setattr(compression, "HELD_IN_MEMORY", 1000)
    monkeypatch.setattr(compression, "PIECE", 300)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rng = np.random.default_rng(0)
    text = "".join(f"1 qid:{row // 5} 1:{rng.random()}\n" for row in range(200)).encode()
    path = tmp_path / "rows.txt.gz"
    path.write_bytes(gzip.compress(text))
    with open_source(path) as source:
        assert source.size == len(text) + 1
        assert source.read(777, 1234)[: 1234 - 777].tobytes() == text[777:1234]
    (tmp_path / "rows.txt").write_bytes(text)
    assert read_letor(path).equals(read_letor(tmp_path / "rows.txt"))
    assert sorted(item.name for item in tmp_path.iterdir()) == ["rows.txt", "rows.txt.gz"]


@pytest.mark.parametrize("what", ["numbers", "texts"])
def test_a_parquet_table_of_equal_values_takes_no_memory(tmp_path, what):
    """A million rows of 50 equal columns; or a text of 100,000 characters in each of them."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = 1_000_000
    zeros = arrow.array(np.zeros(rows))
    columns = {"label": zeros, "qid": arrow.array(np.zeros(rows, np.int64))}
    if what == "numbers":
        columns |= {str(number): zeros for number in range(50)}
    else:
        texts = arrow.array(["x" * 100_000])
        columns["comment"] = arrow.DictionaryArray.from_arrays(np.zeros(rows, np.int32), texts)
    path = tmp_path / "equal.parquet"
    parquet.write_table(arrow.table(columns), path)
    done = run_command("data", "describe", path)
    assert done.code == 2, done.output
    assert "a table may take 100 times its file" in " ".join(done.output.split())
    assert done.is_within_bounds(path)
