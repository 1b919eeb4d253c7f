"""Bytes of a file that may be compressed, from any place of it; and files written compressed.

gzip, bzip2, xz or zstd are found out by what the bytes begin with. This is the one place where
Rankwise decompresses: feature files, corpora and archives alike. Lines are counted by the compiled
core, pieces of a file are worked on side by side, with results in the order of the pieces, and
`shown` is what a message shows of a file's bytes.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import itertools
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rankwise.data.feature_matrix import PlacedReader, open_spill, spilling
from rankwise.errors import RankwiseError
from rankwise.files import readable, written_whole
from rankwise.native import INT64, INT64S_OUT, UINT8S, function
from rankwise.processes import processors

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


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


GZIP, BZIP2, XZ, ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
_LONGEST_MAGIC = 6
# Feature files shrink to a tenth or a hundredth; bombs shrink a thousandfold or a millionfold.
LARGEST_EXPANSION, ALWAYS_ALLOWED = 100, 1 << 24
_DECOMPRESSED_PIECE = 1 << 18
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
    return io.BufferedReader(_Bounded(decompressed(stream), size, path), _DECOMPRESSED_PIECE)


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


_count_lines = function("rankwise_count_lines", UINT8S, INT64, INT64S_OUT, returns=INT64)


def count_lines(text: NDArray[np.uint8]) -> tuple[int, int]:
    """Line feeds, and where the first of them is (-1: there is none)."""
    first = np.empty(1, np.int64)
    return _count_lines(text, len(text), first), int(first[0])


Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


def in_order(
    work: Callable[[Item], Outcome], items: Sequence[Item], threads: int | None = None
) -> Generator[Outcome, None, None]:
    """Apply `work` to all items in threads, begun in their order; only a few results wait."""
    if len(items) < 2:
        yield from map(work, items)
        return
    # Loading the library takes longer than reading a small file.
    from concurrent.futures import Future, ThreadPoolExecutor

    count = threads or processors()
    waiting: deque[Future[Outcome]] = deque()
    with ThreadPoolExecutor(count) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


LONGEST_SHOWN = 40


def shown(piece: bytes) -> str:
    """The piece in quotes, shortened and safe to print."""
    text = piece[: 4 * LONGEST_SHOWN].decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…")
