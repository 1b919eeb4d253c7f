"""What an archive may do: names that stay in the folder, and sizes that stay in bounds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rankwise.errors import RankwiseError


@dataclass(frozen=True)
class UnpackingLimits:
    """How far an archive may expand; what it says of itself is not believed, bytes are counted.

    An archive may give `ratio` times its own size (feature files shrink to a tenth, bombs to a
    thousandth), in any case `always_allowed` bytes, never more than `total_bytes`, in at most
    `entries` entries.
    """

    entries: int = 100_000
    ratio: float = 100.0
    always_allowed: int = 64 << 20
    total_bytes: int = 1 << 40

    def count_allowed_bytes(self, archive: Path) -> int:
        """How many bytes `archive` may give."""
        allowed = max(self.always_allowed, int(self.ratio * archive.stat().st_size))
        return min(allowed, self.total_bytes)


class Budget:
    """Counts what comes out of an archive and stops it at the limits."""

    def __init__(self, archive: Path, limits: UnpackingLimits) -> None:
        self.archive = archive
        self.limits = limits
        self.bytes_allowed = limits.count_allowed_bytes(archive)
        self.bytes_used = 0
        self.entries = 0

    def count_entry(self) -> None:
        """One more entry was met."""
        self.entries += 1
        if self.entries > self.limits.entries:
            raise RankwiseError(
                f"{self.archive} holds more than {self.limits.entries:,} entries: not unpacked"
            )

    def count_bytes(self, number: int) -> None:
        """So many more bytes came out."""
        self.bytes_used += number
        if self.bytes_used > self.bytes_allowed:
            raise RankwiseError(
                f"{self.archive} expands to more than {self.bytes_allowed:,} bytes, which no data "
                "set of its size does: not unpacked; unpack it yourself if it can be trusted, and "
                "import the folder"
            )


def check_name(name: str, archive: Path) -> str:
    """`name` with forward slashes; one that would leave the folder is refused."""
    spelt = name.replace("\\", "/")
    pieces = spelt.split("/")
    if spelt.startswith("/") or ".." in pieces or re.match(r"[A-Za-z]:", spelt) or "\0" in spelt:
        raise RankwiseError(f"{archive} holds '{name}', which would leave the folder: not unpacked")
    return "/".join(piece for piece in pieces if piece not in ("", "."))


def refuse_special_file(name: str, archive: Path) -> RankwiseError:
    """The refusal of a link, a device or another special file."""
    return RankwiseError(f"{archive} holds '{name}', a link or a special file: not unpacked")
