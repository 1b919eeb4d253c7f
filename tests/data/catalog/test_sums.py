"""Sums of files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from rankwise.data.catalog.sums import PIECE, check_sums, file_sum
from rankwise.errors import RankwiseError


@pytest.mark.parametrize("algorithm", ["sha256", "md5"])
@pytest.mark.parametrize("size", [0, 1, PIECE, PIECE + 1])
def test_a_sum_taken_in_pieces_is_the_sum_of_the_whole(algorithm: str, size: int, tmp_path: Path):
    content = b"x" * size
    (tmp_path / "file").write_bytes(content)
    assert file_sum(tmp_path / "file", algorithm) == hashlib.new(algorithm, content).hexdigest()


def test_every_published_sum_must_hold(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"abc")
    right = {"sha256": hashlib.sha256(b"abc").hexdigest()}
    check_sums(tmp_path / "file", right)
    with pytest.raises(RankwiseError, match="must have the md5 sum 00"):
        check_sums(tmp_path / "file", {**right, "md5": "00"})


def test_a_missing_file_is_a_sentence(tmp_path: Path):
    with pytest.raises(RankwiseError, match="there is no such file"):
        file_sum(tmp_path / "missing")
