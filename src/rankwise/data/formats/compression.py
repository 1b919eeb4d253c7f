"""Bytes of a file that may be compressed, from any place of it; and files written compressed."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.decompression import (
    begins_compressed,
    bounded,
    damage_as_sentence,
)
from rankwise.data.formats.lines import count_lines
from rankwise.data.placed_reading import PlacedReader
from rankwise.data.spilling import open_spill, spilling
from rankwise.errors import RankwiseError
from rankwise.files import readable, written_whole

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PIECE = 1 << 20
# Line feeds after every text, so that the compiled readers may look ahead (TEXT_ROOM, numbers.h).
ROOM_AFTER = 32
# Decompressed bytes up to these are held in memory, more of them in a file without a name.
HELD_IN_MEMORY = 1 << 26
# A row of all features that there may be, with all their digits, is not half as long.
LONGEST_LINE = 1 << 26


class ByteSource:
    """The decompressed bytes of a file, read piece by piece; a line feed is added at the end.

    A plain file is read from disk for every piece, from any thread; a compressed one is in memory,
    or decompressed on disk where it is large.
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
        self._reader = PlacedReader(path, stream)
        length = self._reader.size if content is None else len(content)
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
        self._reader.fill(room, position)


@contextlib.contextmanager
def open_source(path: str | Path, first: int = 0, last: int | None = None) -> Iterator[ByteSource]:
    """The file's decompressed bytes, or a part of them; what it begins with tells how packed."""
    with readable(path) as stream:
        if not begins_compressed(stream):
            yield ByteSource(path, None, stream, first, last)
            return
        pieces = _decompressed_pieces(stream, path)
        content = bytearray()
        for piece in pieces:
            content += piece
            if len(content) > HELD_IN_MEMORY:
                break
        else:
            yield ByteSource(path, np.frombuffer(content, np.uint8), stream, first, last)
            return
        with _spilt(content, pieces) as file:
            yield ByteSource(path, None, file, first, last)


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
        elif suffix == ".xz":
            import lzma

            with lzma.LZMAFile(stream, "wb") as packed_xz:
                yield cast(IO[bytes], packed_xz)
        elif suffix in (".zst", ".zstd"):
            import zstandard

            with zstandard.ZstdCompressor().stream_writer(stream, closefd=False) as packed_zstd:
                yield cast(IO[bytes], packed_zstd)
        else:
            yield stream


def _decompressed_pieces(stream: BinaryIO, path: str | Path) -> Iterator[bytes]:
    """All decompressed bytes; a truncated, damaged or exploding file becomes one sentence."""
    line = 0
    with damage_as_sentence(path):
        packed = bounded(stream, path)
        while piece := packed.read(PIECE):
            feed = piece.rfind(b"\n")
            line = line + len(piece) if feed < 0 else len(piece) - feed - 1
            if line > LONGEST_LINE:
                raise endless_line(path)
            yield piece


@contextlib.contextmanager
def _spilt(content: bytearray, pieces: Iterator[bytes]) -> Iterator[BinaryIO]:
    """A file on disk, which nobody else sees, of what was decompressed and of the rest."""
    with open_spill() as file:
        begun: tuple[bytes | bytearray, ...] = (content,)
        for piece in itertools.chain(begun, pieces):
            with spilling("what was decompressed"):
                file.write(piece)
        content.clear()
        file.flush()
        yield file


def endless_line(path: str | Path) -> RankwiseError:
    """The refusal of a line that no row of features can be as long as."""
    return RankwiseError(
        f"{path}: a line must end within {LONGEST_LINE:,} bytes, found a longer one; the file is "
        "not text in lines"
    )
