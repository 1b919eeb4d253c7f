"""Files of text read as a stream: compression by what they begin with, encoding by trying."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from rankwise.collection.build_folder import is_mark
from rankwise.errors import RankwiseError
from rankwise.files import readable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
COMPRESSED_ENDINGS = (".gz", ".bz2", ".zst")
_GZIP, _BZIP2, _ZSTD = b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd"
_LONGEST_LINE = 1 << 26
# Four bytes of zstd can stand for 128 KiB, so that this many never become more than 64 MiB.
_ZSTD_PIECE = 1 << 11


class DamagedCompression(RankwiseError):
    """A compressed file that cannot be read to its end."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(f"cannot read {path}: its compression is damaged")


@contextlib.contextmanager
def open_bytes(path: str | Path) -> Iterator[io.BufferedIOBase]:
    """The decompressed bytes of a file, never all at once; damage becomes one sentence."""
    import zstandard

    with readable(path) as raw:
        magic = raw.read(4)
        raw.seek(0)
        try:
            yield _decompressed(raw, magic)
        except (EOFError, zlib.error, zstandard.ZstdError) as error:
            raise DamagedCompression(path) from error
        except OSError as error:
            # The readers of gzip and bzip2 use it without a number; the system's has one.
            if error.errno is not None:
                raise
            raise DamagedCompression(path) from error


def lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines from 1, without their ends; of an endless one the first 64 MiB.

    A byte order mark is no part of the first one.
    """
    with open_bytes(path) as stream:
        number = 0
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            rest = line
            while len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
                rest = stream.readline(_LONGEST_LINE)
            if number == 1:
                line = line.removeprefix(BYTE_ORDER_MARK)
            yield number, line.rstrip(b"\r\n")


def beginning(path: str | Path, size: int = 1 << 14) -> bytes:
    """The first bytes of a file, without byte order mark; of a damaged one what can be read."""
    found = b""
    with contextlib.suppress(DamagedCompression), open_bytes(path) as stream:
        while len(found) < size and (piece := stream.read1(size - len(found))):
            found += piece
    return found.removeprefix(BYTE_ORDER_MARK)


def decoded(content: bytes) -> str:
    """UTF-8 where it is UTF-8, else Latin-1, which old collections use."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def files_below(path: str | Path, leave_out: Iterable[Path] = ()) -> list[Path]:
    """The file itself, or all files of a folder and those below it, in the order of their names.

    Hidden files and folders, those to leave out, and the folders of builds are passed over.
    """
    root = Path(path)
    if not root.is_dir():
        with readable(root):
            return [root]
    found = [
        file
        for file in root.rglob("*")
        if file.is_file() and not any(p.startswith(".") for p in file.relative_to(root).parts)
    ]
    here = root.resolve()
    outside = {one for one in map(Path.resolve, leave_out) if here in one.parents}
    outside |= {file.parent.resolve() for file in found if is_mark(file)}
    if outside:
        found = [file for file in found if outside.isdisjoint(_lineage(file.resolve()))]
    return sorted(found, key=lambda file: file.relative_to(root).as_posix())


def without_compression(name: str) -> str:
    """The name of a file without the ending that says how it is compressed."""
    ending = next((end for end in COMPRESSED_ENDINGS if name.lower().endswith(end)), "")
    return name[: len(name) - len(ending)]


def _lineage(file: Path) -> tuple[Path, ...]:
    return file, *file.parents


def _decompressed(raw: BinaryIO, magic: bytes) -> io.BufferedIOBase:
    if magic.startswith(_GZIP):
        return gzip.GzipFile(fileobj=raw)
    if magic.startswith(_BZIP2):
        return bz2.BZ2File(raw)
    if magic == _ZSTD:
        return io.BufferedReader(_ZstdFrames(raw), 1 << 16)
    return cast(io.BufferedIOBase, raw)


class _ZstdFrames(io.RawIOBase):
    """Frames of zstd one after the other; the library's own reader takes a cut one for whole."""

    def __init__(self, raw: BinaryIO) -> None:
        import zstandard

        self._decompressor = zstandard.ZstdDecompressor()
        self._frame = self._decompressor.decompressobj()
        self._raw = raw
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
        self._input = self._input or self._raw.read(_ZSTD_PIECE)
        if not self._input:
            if self._begun:
                raise EOFError
            return False
        self._output = memoryview(self._frame.decompress(self._input))
        self._begun = not self._frame.eof
        self._input = b""
        if self._frame.eof:
            self._input = self._frame.unused_data
            self._frame = self._decompressor.decompressobj()
        return True
