"""Sums of files: the published ones are compared with what is on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.files import readable

PIECE = 1 << 20


def file_sum(path: str | Path, algorithm: str = "sha256") -> str:
    """The hexadecimal sum of a file, read in pieces."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    with readable(path) as stream:
        while piece := stream.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def check_sums(path: str | Path, sums: Mapping[str, str]) -> None:
    """Refuse a file whose sum is not the published one."""
    for algorithm, expected in sums.items():
        found = file_sum(path, algorithm)
        if found != expected:
            raise WrongSumError(
                f"{path} must have the {algorithm} sum {expected}, found {found}: "
                "it is damaged or another release"
            )


class WrongSumError(RankwiseError):
    """A file is not the one whose sum was published."""
