"""Rar archives, which the standard library cannot read: by a tool of the system, then checked."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from rankwise.data.catalog.bounds import Budget, UnpackingLimits, check_name, refuse_special_file
from rankwise.errors import RankwiseError

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
TOOLS = (
    RarTool("unrar", ("lb", "-p-", "--", "ARCHIVE"), "", ("x", "-p-", "-o-", "--", "ARCHIVE")),
    RarTool("bsdtar", ("-tf", "ARCHIVE"), "", ("-xf", "ARCHIVE", "--no-same-permissions")),
    RarTool("7z", ("l", "-ba", "-slt", "-p", "ARCHIVE"), "Path = ", ("x", "-y", "-p", "ARCHIVE")),
)


def unpack_rar(archive: Path, folder: Path, limits: UnpackingLimits) -> None:
    """Unpack `archive` into `folder` with the first installed one of `TOOLS` that can read it.

    Names are checked before anything is written, the size of the folder while it grows, and what
    was written afterwards: a link or a special file, or a second name for a file, is refused.
    """
    tool, names = _find_tool(archive)
    _check_names(names, archive, limits)
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


def _find_tool(archive: Path) -> tuple[RarTool, list[str]]:
    """The first installed tool that knows this archive, and the names it finds in it."""
    present = [tool for tool in TOOLS if shutil.which(tool.program)]
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
            return tool, _list_names(tool, listed.stdout.decode("utf-8", "replace"))
    tried = ", ".join(tool.program for tool in present)
    raise RankwiseError(f"{archive} cannot be read by {tried}: it is damaged or encrypted")


def _list_names(tool: RarTool, listing: str) -> list[str]:
    mark = tool.name_mark
    return [line.removeprefix(mark) for line in listing.splitlines() if line.startswith(mark)]


def _check_names(names: list[str], archive: Path, limits: UnpackingLimits) -> None:
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
