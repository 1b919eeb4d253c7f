"""The archive of a data set from one of its addresses, checked against its published checksum."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rankwise.data.catalog.checksums import WrongChecksumError, verify_checksums
from rankwise.data.catalog.download import MOST_BYTES, discard, download
from rankwise.data.catalog.entries import CatalogEntry
from rankwise.data.catalog.watching import Progress, ignore_progress
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, writing_failure


def fetch_archive(
    entry: CatalogEntry,
    folder: Path,
    *,
    addresses: Sequence[str] = (),
    most_bytes: int = MOST_BYTES,
    progress: Progress = ignore_progress,
    pause: Callable[[float], None] = time.sleep,
) -> Path:
    """Download the archive of `entry` into `folder` and return its path.

    `addresses` (by default those of the catalogue) are tried in order. The archive gets its name
    only when it is whole and its checksum is right; until then it is called `NAME.part`, from
    which a later call goes on. An archive that is already there is checked and used. One whose
    size the catalogue does not know may have `most_bytes`.
    """
    tried = tuple(addresses) or entry.addresses
    if not tried:
        raise RankwiseError(_describe_missing_address(entry))
    target = make_folder(folder) / _make_file_name(entry, tried[0])
    if _is_there(entry, target):
        return target
    _check_space(entry, folder)
    size = entry.archive.size if entry.archive else None
    load = partial(download, size=size, most_bytes=most_bytes, progress=progress, pause=pause)
    failures = []
    for address in tried:
        try:
            return _fetch(entry, address, target, load)
        except RankwiseError as error:
            failures.append(f"{address}: {error}")
    raise RankwiseError(
        f"{entry.name} could not be fetched ({'; '.join(failures)}); {_suggest_import(entry)}"
    )


def _is_there(entry: CatalogEntry, target: Path) -> bool:
    """Whether the archive was loaded before; one with a wrong checksum is loaded again."""
    if not target.exists():
        return False
    try:
        verify_checksums(target, entry.archive.checksums if entry.archive else {})
    except WrongChecksumError:
        target.unlink()
        return False
    return True


def _fetch(
    entry: CatalogEntry, address: str, target: Path, load: Callable[[str, Path], None]
) -> Path:
    part = target.with_name(target.name + ".part")
    checksums = entry.archive.checksums if entry.archive else {}
    resumed = part.exists()
    load(address, part)
    try:
        verify_checksums(part, checksums)
    except WrongChecksumError:
        discard(part)
        if not resumed:
            raise
        # The earlier piece may have been the damaged one: once more, from the beginning.
        return _fetch(entry, address, target, load)
    try:
        part.replace(target)
    except OSError as error:
        raise writing_failure(target, error) from error
    discard(part)
    return target


def _make_file_name(entry: CatalogEntry, address: str) -> str:
    """Below the data set's own key: archives of the same name may come from two collections."""
    named = entry.archive.file_name if entry.archive else Path(address).name
    return f"{entry.name.replace('/', '-')}-{named}"


def _check_space(entry: CatalogEntry, folder: Path) -> None:
    size = entry.archive.size if entry.archive else None
    free = shutil.disk_usage(folder).free
    if size is not None and free < size:
        raise RankwiseError(
            f"the archive of {entry.name} needs {size:,} bytes, {folder} has {free:,} free; "
            "make room or set RANKWISE_HOME to another disk"
        )


def _describe_missing_address(entry: CatalogEntry) -> str:
    return f"no address is known where {entry.name} can be downloaded; {_suggest_import(entry)}"


def _suggest_import(entry: CatalogEntry) -> str:
    where = f" (its home page is {entry.homepage})" if entry.homepage else ""
    return f"get the archive yourself{where} and run: rankwise data import {entry.name} PATH"
