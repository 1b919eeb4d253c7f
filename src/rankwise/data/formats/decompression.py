"""Streams of decompressed bytes: gzip, bzip2, xz or zstd, found out by what they begin with.

The one place where Rankwise decompresses: feature files, corpora and archives alike.
"""

from __future__ import annotations

import contextlib
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from rankwise.errors import RankwiseError
from rankwise.files import readable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GZIP, BZIP2, XZ, ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
_LONGEST_MAGIC = 6
# Feature files shrink to a tenth or a hundredth; bombs shrink a thousandfold or a millionfold.
LARGEST_EXPANSION, ALWAYS_ALLOWED = 100, 1 << 24
_PIECE = 1 << 18
# Four bytes of zstd can stand for 128 KiB, so that this many never become more than 64 MiB.
_ZSTD_PIECE = 1 << 11


class DamagedCompression(RankwiseError):
    """A compressed file that cannot be read to its end."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(
            f"cannot read {path}: its compression is damaged or was cut off; get the file again"
        )


def is_compressed(path: str | Path) -> bool:
    """Whether the file begins as compressed ones do."""
    with readable(path) as stream:
        return begins_compressed(stream)


def begins_compressed(stream: BinaryIO) -> bool:
    """Whether a stream, which must stand at its beginning and is put back there, is compressed."""
    magic = stream.read(_LONGEST_MAGIC)
    stream.seek(0)
    return magic.startswith((GZIP, BZIP2, XZ, ZSTD))


def decompressed(stream: BinaryIO) -> io.BufferedIOBase:
    """The decompressed bytes of a stream that stands at its beginning; a plain one as it is."""
    magic = stream.read(_LONGEST_MAGIC)
    stream.seek(0)
    if magic.startswith(GZIP):
        import gzip

        return gzip.GzipFile(fileobj=stream)
    if magic.startswith(BZIP2):
        import bz2

        return bz2.BZ2File(stream)
    if magic.startswith(XZ):
        import lzma

        return lzma.LZMAFile(stream)
    if magic.startswith(ZSTD):
        return zstd_frames(stream)
    return cast(io.BufferedIOBase, stream)


def bounded(stream: BinaryIO, path: str | Path) -> io.BufferedIOBase:
    """As `decompressed`, up to 100 times the compressed bytes, and 16 MiB in any case."""
    if not begins_compressed(stream):
        return decompressed(stream)
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return io.BufferedReader(_Bounded(decompressed(stream), size, path), _PIECE)


def zstd_frames(stream: BinaryIO) -> io.BufferedIOBase:
    """Frames of zstd one after the other; EOFError where the last one is cut."""
    return io.BufferedReader(_ZstdFrames(stream), 1 << 16)


@contextlib.contextmanager
def open_bytes(path: str | Path) -> Iterator[io.BufferedIOBase]:
    """The decompressed bytes of a file, never all at once; damage becomes one sentence.

    So does a file that holds more than 100 times its size, and more than 16 MiB.
    """
    with readable(path) as stream, damage_as_sentence(path):
        yield bounded(stream, path)


@contextlib.contextmanager
def damage_as_sentence(path: str | Path) -> Iterator[None]:
    """What decompressors raise, as one sentence about `path`."""
    try:
        yield
    except _damage() as error:
        raise DamagedCompression(path) from error
    except OSError as error:
        # The readers of gzip, bzip2 and zstd use it without a number; the system's has one.
        if error.errno is not None:
            raise
        raise DamagedCompression(path) from error


def _damage() -> tuple[type[Exception], ...]:
    """What decompressors raise; some builds of Python know no xz."""
    try:
        from lzma import LZMAError
    except ImportError:
        return EOFError, zlib.error
    return EOFError, zlib.error, LZMAError


class _Bounded(io.RawIOBase):
    """As `bounded`; what a file says of its size is not believed, bytes are counted."""

    def __init__(self, stream: io.BufferedIOBase, size: int, path: str | Path) -> None:
        self._stream = stream
        self._size = size
        self._path = path
        self._left = max(size * LARGEST_EXPANSION, ALWAYS_ALLOWED)

    def readable(self) -> bool:
        return True

    def readinto(self, room: WriteableBuffer) -> int:
        # Of a file that is cut off, what stands before the cut comes before the error.
        count = self._stream.readinto1(room)
        self._left -= count
        if self._left < 0:
            raise RankwiseError(
                f"{self._path}: a compressed file may hold {LARGEST_EXPANSION} times its size (of "
                f"{self._size:,} bytes), and {ALWAYS_ALLOWED:,} bytes in any case, found more; if "
                "it can be trusted, decompress it first: plain files have no such limit"
            )
        return count


class _ZstdFrames(io.RawIOBase):
    """As `zstd_frames`; the library's own reader takes a cut frame for a whole one."""

    def __init__(self, stream: BinaryIO) -> None:
        import zstandard

        self._damage = zstandard.ZstdError
        self._decompressor = zstandard.ZstdDecompressor()
        self._frame = self._decompressor.decompressobj()
        self._stream = stream
        self._begun = False
        self._input = b""
        self._output = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, room: WriteableBuffer) -> int:
        while not self._output:
            if not self._next():
                return 0
        target = memoryview(room).cast("B")
        size = min(len(target), len(self._output))
        target[:size] = self._output[:size]
        self._output = self._output[size:]
        return size

    def _next(self) -> bool:
        """Decompress the next piece; false at the end."""
        self._input = self._input or self._stream.read(_ZSTD_PIECE)
        if not self._input:
            if self._begun:
                raise EOFError
            return False
        try:
            self._output = memoryview(self._frame.decompress(self._input))
        except self._damage as error:
            raise OSError(str(error)) from error
        self._begun = not self._frame.eof
        self._input = b""
        if self._frame.eof:
            self._input = self._frame.unused_data
            self._frame = self._decompressor.decompressobj()
        return True
