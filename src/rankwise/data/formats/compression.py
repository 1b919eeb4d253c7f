"""Bytes of a file that may be compressed, from any place of it; and files written compressed."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.decompression import (
    begins_compressed,
    damage_as_sentence,
    decompressed,
)
from rankwise.data.formats.lines import count_lines
from rankwise.errors import RankwiseError
from rankwise.files import readable, written_whole

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PIECE = 1 << 20
# Line feeds after every text, so that the compiled readers may look ahead (TEXT_ROOM, numbers.h).
ROOM_AFTER = 32
# No honest feature file shrinks a thousandfold; bombs shrink a millionfold.
LARGEST_EXPANSION, ALWAYS_ALLOWED = 1000, 1 << 30


class ByteSource:
    """The decompressed bytes of a file, read piece by piece; a line feed is added at the end.

    A plain file is read from disk for every piece, from any thread; a compressed one is in memory.
    Of a file that is read in part, only bytes `first` to before `last` are there, counted from 0.
    """

    def __init__(
        self,
        path: str | Path,
        content: NDArray[np.uint8] | None,
        stream: BinaryIO,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        self.path = path
        self.first = first
        self._content = content
        self._stream = stream
        self._turn = threading.Lock()
        length = os.fstat(stream.fileno()).st_size if content is None else len(content)
        self.size = (length if last is None else last) - first + 1

    def read(
        self, begin: int, end: int, room: NDArray[np.uint8] | None = None
    ) -> NDArray[np.uint8]:
        """Bytes `begin` to `end` and `ROOM_AFTER` line feeds: parsers need not look for the end.

        They are put into `room` where it is large enough, else into an array of their own.
        """
        needed = end - begin + ROOM_AFTER
        fits = room is not None and len(room) >= needed
        buffer = room[:needed] if fits and room is not None else np.empty(needed, np.uint8)
        wanted = min(end, self.size - 1) - begin
        buffer[wanted:] = 10
        self._fill(buffer[:wanted], self.first + begin)
        return buffer

    def lines_before(self) -> int:
        """Lines of the file before `first`: a pass over them, for messages that name a line."""
        room = np.empty(PIECE, np.uint8)
        count = 0
        for begin in range(0, self.first, PIECE):
            piece = room[: min(PIECE, self.first - begin)]
            self._fill(piece, begin)
            count += count_lines(piece)[0]
        return count

    def _fill(self, room: NDArray[np.uint8], position: int) -> None:
        """Fill `room` with the bytes from a position of the whole file on."""
        if self._content is not None:
            room[:] = self._content[position : position + len(room)]
            return
        filled = 0
        while filled < len(room):
            got = self._read_at(position + filled, room.data[filled:])
            if got == 0:
                raise RankwiseError(f"{self.path}: the file became shorter while it was read")
            filled += got

    def _read_at(self, position: int, room: memoryview) -> int:
        """Read from a position; where the system cannot (Windows), threads take turns."""
        if hasattr(os, "preadv"):
            return os.preadv(self._stream.fileno(), [room], position)
        with self._turn:
            self._stream.seek(position)
            return int(self._stream.readinto(room))  # type: ignore[attr-defined]


@contextlib.contextmanager
def open_source(path: str | Path, first: int = 0, last: int | None = None) -> Iterator[ByteSource]:
    """The file's decompressed bytes, or a part of them; what it begins with tells how packed."""
    with readable(path) as stream:
        size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        content = _collect(stream, size, path) if begins_compressed(stream) else None
        yield ByteSource(path, content, stream, first, last)


def read_bytes(path: str | Path) -> bytes:
    """The whole decompressed content of `path`."""
    with open_source(path) as source:
        return source.read(0, source.size - 1)[:-ROOM_AFTER].tobytes()


@contextlib.contextmanager
def compressed_writer(path: str | Path) -> Iterator[IO[bytes]]:
    """A stream that writes `path` whole or not at all, compressed as its name ends."""
    suffix = Path(path).suffix.lower()
    with written_whole(path) as stream:
        if suffix == ".gz":
            # No name and no time in the header: the same content gives the same bytes.
            with gzip.GzipFile("", "wb", 6, stream, mtime=0) as packed:
                yield cast(IO[bytes], packed)
        elif suffix == ".bz2":
            with bz2.BZ2File(stream, "wb") as packed_bzip2:
                yield cast(IO[bytes], packed_bzip2)
        elif suffix in (".zst", ".zstd"):
            import zstandard

            with zstandard.ZstdCompressor().stream_writer(stream, closefd=False) as packed_zstd:
                yield cast(IO[bytes], packed_zstd)
        else:
            yield stream


def _collect(stream: BinaryIO, size: int, path: str | Path) -> NDArray[np.uint8]:
    """All decompressed bytes; a truncated, damaged or exploding file becomes one sentence."""
    limit = max(size * LARGEST_EXPANSION, ALWAYS_ALLOWED)
    content = bytearray()
    with damage_as_sentence(path):
        packed = decompressed(stream)
        while piece := packed.read(PIECE):
            content += piece
            if len(content) > limit:
                raise RankwiseError(
                    f"{path}: expands to more than {LARGEST_EXPANSION} times its size, which no "
                    "feature file does; decompress it yourself if it can be trusted"
                )
    return np.frombuffer(content, np.uint8)
