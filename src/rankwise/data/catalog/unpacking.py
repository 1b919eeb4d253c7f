"""Archives taken apart with distrust: nothing leaves the folder, nothing grows without bound."""

from __future__ import annotations

import contextlib
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from rankwise.data.catalog.bounds import Budget, UnpackingLimits, check_name, refuse_special_file
from rankwise.data.catalog.checksums import PIECE
from rankwise.data.formats.decompression import decompressed
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, readable, writing_failure
from rankwise.unfinished import unfinished_folder

_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    NotImplementedError,
)

_LONGEST_HEADER = 1 << 20
_EXTENSIONS = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip

Opener = Callable[[], IO[bytes]]


def accept_every_file(name: str) -> bool:
    """Wants all files of an archive."""
    return True


def detect_archive_kind(path: Path) -> str | None:
    """`zip`, `rar` or `tar` by what the file begins with; None when it is no archive."""
    with readable(path) as stream:
        begin = stream.read(8)
    if begin.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if begin.startswith(b"Rar!\x1a\x07"):
        return "rar"
    return "tar" if _is_tar(path) else None


def unpack(
    archive: Path,
    folder: Path,
    *,
    wanted: Callable[[str], bool] = accept_every_file,
    limits: UnpackingLimits | None = None,
) -> Path:
    """Unpack the wanted files of `archive` into the new folder `folder`: all of it or nothing.

    Refused with a sentence: a name that is absolute or climbs with `..`, links, devices and other
    special files, a name that occurs twice, and more bytes or entries than `limits` allow. A rar
    archive is unpacked whole by `unrar`, `bsdtar` or `7z`, one of which must then be installed.
    """
    limits = limits or UnpackingLimits()
    if folder.exists():
        raise RankwiseError(f"cannot unpack {archive} into {folder}: the folder already exists")
    kind = detect_archive_kind(archive)
    if kind is None:
        raise RankwiseError(
            f"{archive} is no archive; zip, tar (also gz, bz2, xz, zst) and rar are known"
        )
    make_folder(folder.parent)
    with make_temporary_beside(folder) as temporary, _explain_damage(archive):
        if kind == "rar":
            from rankwise.data.catalog.rar import unpack_rar

            unpack_rar(archive, temporary, limits)
        else:
            _write_members(archive, kind, temporary, wanted, Budget(archive, limits))
        temporary.replace(folder)
    return folder


@contextlib.contextmanager
def make_temporary_beside(folder: Path) -> Iterator[Path]:
    """A folder to fill and move to `folder`; it is gone afterwards if it was not moved."""
    try:
        with unfinished_folder(folder) as temporary:
            temporary.chmod(0o755)
            yield temporary
    except OSError as error:
        raise writing_failure(folder, error) from error


@contextlib.contextmanager
def _explain_damage(archive: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise RankwiseError(_describe_damage(archive, error)) from error
    except OSError as error:
        # The decompressors report damage as OSError too, but without a number.
        if error.errno is None:
            raise RankwiseError(_describe_damage(archive, error)) from error
        raise


def _describe_damage(archive: Path, error: Exception) -> str:
    reason = str(error) or type(error).__name__
    return f"{archive} cannot be unpacked ({reason}): it is damaged or was cut off; get it again"


def _write_members(
    archive: Path, kind: str, folder: Path, wanted: Callable[[str], bool], budget: Budget
) -> None:
    members = _list_zip_members(archive) if kind == "zip" else _list_tar_members(archive, budget)
    for name, opener in members:
        budget.count_entry()
        place = check_name(name, archive)
        if opener is not None and wanted(place):
            with opener() as content:
                # The stream of a tar archive counts by itself.
                counted = _Counted(content, budget) if kind == "zip" else content
                _write_file(folder / place, counted, archive)


def _list_zip_members(archive: Path) -> Iterator[tuple[str, Opener | None]]:
    """Name and opener of every entry; folders have no opener."""
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise refuse_special_file(member.filename, archive)
            if member.flag_bits & 1:
                raise RankwiseError(f"{archive} is encrypted; decrypt it and import the folder")
            # Not `is_dir`, which a name without a letter is too short for.
            folder = member.filename.endswith("/")
            yield member.filename, None if folder else partial(opened.open, member)


def _list_tar_members(archive: Path, budget: Budget) -> Iterator[tuple[str, Opener | None]]:
    """As for zip, in one pass over a stream whose every decompressed byte is counted."""
    with _decompressed(archive) as stream:
        counted = cast(Any, _Counted(stream, budget))
        with tarfile.open(fileobj=counted, mode="r|", tarinfo=_BoundedHeader) as opened:
            for member in opened:
                if not (member.isdir() or member.isreg()):
                    raise refuse_special_file(member.name, archive)
                opener = cast(Opener, partial(opened.extractfile, member))
                yield member.name, None if member.isdir() else opener
        # A compressed stream is proven whole only at its very end, behind the last file.
        while counted.read(PIECE):
            pass


class _BoundedHeader(tarfile.TarInfo):
    """A header whose long names and comments are bounded: the library holds them thrice."""

    def _proc_member(self, opened: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _EXTENSIONS and self.size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {self.size:,} bytes, which no file needs")
        return cast(tarfile.TarInfo, super()._proc_member(opened))  # type: ignore[misc]


class _Counted(io.RawIOBase):
    """A stream that tells a budget what was read from it."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int = -1) -> bytes:
        piece = self._stream.read(size)
        self._budget.count_bytes(len(piece))
        return piece


@contextlib.contextmanager
def _decompressed(archive: Path) -> Iterator[IO[bytes]]:
    with archive.open("rb") as stream:
        yield cast(IO[bytes], decompressed(stream))


def _is_tar(path: Path) -> bool:
    """Whether the content, decompressed where needed, begins as a tar archive does."""
    with _explain_damage(path), _decompressed(path) as stream:
        header = stream.read(tarfile.BLOCKSIZE)
    try:
        tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _write_file(place: Path, content: IO[bytes] | _Counted, archive: Path) -> None:
    make_folder(place.parent)
    try:
        stream = place.open("xb")
    except FileExistsError as error:
        raise RankwiseError(f"{archive} holds '{place.name}' twice: not unpacked") from error
    with stream:
        while piece := content.read(PIECE):
            stream.write(piece)
