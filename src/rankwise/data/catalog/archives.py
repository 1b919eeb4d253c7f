"""Archives taken apart with distrust: nothing leaves the folder, nothing grows without bound.

Rar archives, which the standard library cannot read, are unpacked by a tool of the system and then
checked. An archive's names must stay in the folder, and its sizes in bounds.
"""

from __future__ import annotations

import contextlib
import io
import lzma
import os
import re
import shutil
import stat
import subprocess
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from rankwise.data.formats.compression import decompressed
from rankwise.errors import RankwiseError
from rankwise.files import PIECE, make_folder, readable, unfinished_folder, writing_failure

_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    NotImplementedError,
)

_LONGEST_HEADER = 1 << 20
_TAR_EXTENSIONS = (
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
        if self.type in _TAR_EXTENSIONS and self.size > _LONGEST_HEADER:
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


_GLANCE_SECONDS = 0.1


@dataclass(frozen=True)
class RarTool:
    """How a program lists the names in an archive, one a line, and how it unpacks them here."""

    program: str
    listing: tuple[str, ...]
    name_mark: str
    unpacking: tuple[str, ...]


# `ARCHIVE` stands for the archive; programs run in the folder that is to be filled. Switches
# keep them from asking for a password or whether to overwrite.
RAR_TOOLS = (
    RarTool("unrar", ("lb", "-p-", "--", "ARCHIVE"), "", ("x", "-p-", "-o-", "--", "ARCHIVE")),
    RarTool("bsdtar", ("-tf", "ARCHIVE"), "", ("-xf", "ARCHIVE", "--no-same-permissions")),
    RarTool("7z", ("l", "-ba", "-slt", "-p", "ARCHIVE"), "Path = ", ("x", "-y", "-p", "ARCHIVE")),
)


def unpack_rar(archive: Path, folder: Path, limits: UnpackingLimits) -> None:
    """Unpack `archive` into `folder` with the first installed one of `TOOLS` that can read it.

    Names are checked before anything is written, the size of the folder while it grows, and what
    was written afterwards: a link or a special file, or a second name for a file, is refused.
    """
    tool, names = _find_rar_tool(archive)
    _check_rar_names(names, archive, limits)
    command = [tool.program, *_insert_archive(tool.unpacking, archive)]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None:
            _check_size(archive, folder, limits)
            time.sleep(_GLANCE_SECONDS)
    finally:
        process.kill()
        process.wait()
    if process.returncode != 0:
        raise RankwiseError(
            f"{archive} cannot be unpacked: {tool.program} ended with code {process.returncode}; "
            "the archive is damaged or needs a newer tool"
        )
    _check_size(archive, folder, limits)
    check_tree(archive, folder)


def check_tree(archive: Path, folder: Path) -> None:
    """Refuse a folder that holds anything but folders and files of its own."""
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            found = (Path(parent) / name).lstat()
            own_file = stat.S_ISREG(found.st_mode) and found.st_nlink == 1
            if not own_file and not stat.S_ISDIR(found.st_mode):
                raise refuse_special_file(name, archive)


def _find_rar_tool(archive: Path) -> tuple[RarTool, list[str]]:
    """The first installed tool that knows this archive, and the names it finds in it."""
    present = [tool for tool in RAR_TOOLS if shutil.which(tool.program)]
    if not present:
        raise RankwiseError(
            f"{archive} is a rar archive, for which unrar, bsdtar or 7z must be installed; "
            "install one, or unpack the archive elsewhere and import the folder"
        )
    for tool in present:
        listed = subprocess.run(
            [tool.program, *_insert_archive(tool.listing, archive)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if listed.returncode == 0:
            return tool, _list_rar_names(tool, listed.stdout.decode("utf-8", "replace"))
    tried = ", ".join(tool.program for tool in present)
    raise RankwiseError(f"{archive} cannot be read by {tried}: it is damaged or encrypted")


def _list_rar_names(tool: RarTool, listing: str) -> list[str]:
    mark = tool.name_mark
    return [line.removeprefix(mark) for line in listing.splitlines() if line.startswith(mark)]


def _check_rar_names(names: list[str], archive: Path, limits: UnpackingLimits) -> None:
    budget = Budget(archive, limits)
    for name in names:
        budget.count_entry()
        check_name(name, archive)


def _insert_archive(arguments: tuple[str, ...], archive: Path) -> list[str]:
    return [str(archive.absolute()) if text == "ARCHIVE" else text for text in arguments]


def _check_size(archive: Path, folder: Path, limits: UnpackingLimits) -> None:
    budget = Budget(archive, limits)
    for parent, _, files in os.walk(folder):
        for name in files:
            # The tool may rename a file between the listing and the look.
            with contextlib.suppress(FileNotFoundError):
                budget.count_bytes((Path(parent) / name).lstat().st_size)


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
