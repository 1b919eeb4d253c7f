"""Checksums of files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from rankwise.errors import RankwiseError
from rankwise.files import PIECE, compute_checksum, verify_checksums


@pytest.mark.parametrize("algorithm", ["sha256", "md5"])
@pytest.mark.parametrize("size", [0, 1, PIECE, PIECE + 1])
def test_a_checksum_taken_in_pieces_is_that_of_the_whole(algorithm: str, size: int, tmp_path: Path):
    content = b"x" * size
    (tmp_path / "file").write_bytes(content)
    assert (
        compute_checksum(tmp_path / "file", algorithm)
        == hashlib.new(algorithm, content).hexdigest()
    )


def test_every_published_checksum_must_hold(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"abc")
    right = {"sha256": hashlib.sha256(b"abc").hexdigest()}
    verify_checksums(tmp_path / "file", right)
    with pytest.raises(RankwiseError, match="must have the md5 checksum 00"):
        verify_checksums(tmp_path / "file", {**right, "md5": "00"})


def test_a_missing_file_is_a_sentence(tmp_path: Path):
    with pytest.raises(RankwiseError, match="there is no such file"):
        compute_checksum(tmp_path / "missing")
