"""Files of text read as a stream: compression by what they begin with, encoding by trying."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from rankwise.errors import RankwiseError
from rankwise.files import readable

_GZIP, _BZIP2, _ZSTD = b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd"
_LONGEST_LINE = 1 << 26


@contextlib.contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """The decompressed bytes of a file, never all at once; damage becomes one sentence."""
    import zstandard

    with readable(path) as raw:
        magic = raw.read(4)
        raw.seek(0)
        try:
            yield _decompressed(raw, magic)
        except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
            raise RankwiseError(f"cannot read {path}: its compression is damaged") from error


def lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines from 1, without their ends; endless lines come in pieces of 64 MiB."""
    with open_bytes(path) as stream:
        number = 0
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            yield number, line.rstrip(b"\r\n")


def decoded(content: bytes) -> str:
    """UTF-8 where it is UTF-8, else Latin-1, which old collections use."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def files_below(path: str | Path) -> list[Path]:
    """The file itself, or all files of a folder and those below it, in the order of their names.

    Hidden files and folders are left out.
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
    return sorted(found, key=lambda file: file.relative_to(root).as_posix())


def _decompressed(raw: IO[bytes], magic: bytes) -> IO[bytes]:
    if magic.startswith(_GZIP):
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    if magic.startswith(_BZIP2):
        return bz2.BZ2File(raw)
    if magic == _ZSTD:
        import zstandard

        reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
        return io.BufferedReader(reader, 1 << 20)
    return raw
