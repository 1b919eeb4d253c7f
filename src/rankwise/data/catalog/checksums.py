"""Checksums of files: the published ones are compared with those of the files on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.files import readable

PIECE = 1 << 20


def compute_checksum(path: str | Path, algorithm: str = "sha256") -> str:
    """The hexadecimal checksum of a file, read in pieces."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    with readable(path) as stream:
        while piece := stream.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def verify_checksums(path: str | Path, checksums: Mapping[str, str]) -> None:
    """Refuse a file whose checksum is not the published one."""
    for algorithm, expected in checksums.items():
        found = compute_checksum(path, algorithm)
        if found != expected:
            raise WrongChecksumError(
                f"{path} must have the {algorithm} checksum {expected}, found {found}: "
                "it is damaged or another release"
            )


class WrongChecksumError(RankwiseError):
    """A file is not the one whose checksum was published."""
