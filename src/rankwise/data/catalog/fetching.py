"""A data set of the catalogue from the network into the data home, its licence accepted first.

Its archive comes from one of its addresses and is checked against its published checksum. A file
from one address is resumed where it broke off, and never mixed from two versions of it.
"""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rankwise.data.catalog.entries import CatalogEntry, find_entry
from rankwise.data.catalog.home import Installed, get_data_home, list_installed
from rankwise.data.catalog.importing import import_dataset
from rankwise.errors import Advice, RankwiseError
from rankwise.files import (
    PIECE,
    WrongChecksumError,
    make_folder,
    verify_checksums,
    write_text,
    writing_failure,
)
from rankwise.progress import Progress, Stage, ignore_progress, silent_stage

ATTEMPTS = 5
LONGEST_PAUSE_SECONDS = 30.0
TIMEOUT_SECONDS = 30.0
# The largest archives of the catalogue have about half of this.
MOST_BYTES = 8 << 30
_PASSING_STATUS = {408, 425, 429, 500, 502, 503, 504}
# A name that does not resolve, a certificate that does not hold: waiting does not mend them.
_LASTING = (socket.gaierror, ssl.SSLCertVerificationError, FileNotFoundError, str)


def download(
    address: str,
    part: Path,
    *,
    size: int | None = None,
    most_bytes: int = MOST_BYTES,
    progress: Progress = ignore_progress,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Load `address` into `part`, going on from what `part` already holds of the same file.

    A broken connection is tried again after 1, 2, 4, … seconds, and given up when `ATTEMPTS` in
    a row brought nothing new. What has arrived then stays, so that the next call goes on from it.

    A server's bytes are appended only when it confirms that the file is still the one that was
    begun: by its entity tag or date (If-Range), else by its length. Otherwise the file is begun
    anew. A file whose `size` is not known may have `most_bytes`, whatever the server says.
    """
    if urlsplit(address).scheme not in ("http", "https", "file"):
        raise RankwiseError(f"an address must begin with https:// or http://, found '{address}'")
    furthest, failures = 0, 0
    while True:
        try:
            return _receive(address, part, _Expected(size, most_bytes), progress)
        except _TooManyBytesError:
            discard(part)
            raise
        except _PassingError as interruption:
            reached = _get_length(part)
            failures = 0 if reached > furthest else failures + 1
            furthest = max(furthest, reached)
            if failures >= ATTEMPTS:
                raise RankwiseError(
                    _describe_failure(address, part, str(interruption))
                ) from interruption
            pause(min(2.0 ** max(failures - 1, 0), LONGEST_PAUSE_SECONDS))


def discard(part: Path) -> None:
    """Forget an unfinished download."""
    part.unlink(missing_ok=True)
    _get_begun_file(part).unlink(missing_ok=True)


class _TooManyBytesError(RankwiseError):
    """A file that is larger than it may be; what has arrived of it is of no use."""


class _PassingError(Exception):
    """The connection failed in a way that may pass."""


@dataclass(frozen=True)
class _Expected:
    """The size that a file must have, where it is known, and what it may have where not."""

    size: int | None
    most_bytes: int

    def check_offer(self, offered: int | None) -> None:
        """Refuse a file of another size, or of one that nobody expects."""
        if offered is None:
            return
        if self.size is not None and offered != self.size:
            raise RankwiseError(
                f"the archive must have {self.size:,} bytes, the server offers {offered:,}: "
                "it is another release"
            )
        if self.size is None and offered > self.most_bytes:
            raise self._too_many(f"the server offers {offered:,}")

    def check_arrived(self, arrived: int, offered: int | None) -> None:
        """Refuse more bytes than were offered, or than may come at all."""
        total = offered if offered is not None else self.size
        if total is not None and arrived > total:
            raise RankwiseError(f"the server sent more than the {total:,} bytes it must send")
        if total is None and arrived > self.most_bytes:
            raise self._too_many("the server sent more without saying how many")

    def _too_many(self, found: str) -> _TooManyBytesError:
        return _TooManyBytesError(
            f"an archive whose size is not known may have {self.most_bytes:,} bytes, {found}; if "
            "it can be trusted, allow more",
            Advice("say how many: {}", "most_bytes", "N"),
        )


@dataclass(frozen=True)
class _Begun:
    """What the server said of the file when its download began."""

    address: str
    total: int | None
    entity_tag: str | None
    modified: str | None

    @property
    def validator(self) -> str | None:
        """What If-Range takes; a weak tag does not promise equal bytes and is not taken."""
        strong = self.entity_tag and not self.entity_tag.startswith("W/")
        return self.entity_tag if strong else self.modified


def _receive(address: str, part: Path, expected: _Expected, progress: Progress) -> None:
    begun = _read_begun(part, address)
    if begun is None:
        discard(part)
    held = _get_length(part)
    if begun is not None and begun.total == held:
        return
    with _open_response(address, _make_headers(begun, held), part) as response:
        start, now = _read_position(response, address, begun, held, part)
        if response.headers.get_content_type() == "text/html":
            raise RankwiseError("the address leads to a web page, not to an archive")
        expected.check_offer(now.total)
        write_text(_get_begun_file(part), json.dumps(asdict(now)))
        _store_response(response, part, start, now.total, expected, progress)


def _make_headers(begun: _Begun | None, held: int) -> dict[str, str]:
    headers = {"User-Agent": "rankwise", "Accept-Encoding": "identity"}
    if begun is not None and held:
        headers["Range"] = f"bytes={held}-"
        if begun.validator:
            headers["If-Range"] = begun.validator
    return headers


def _open_response(address: str, headers: dict[str, str], part: Path) -> Any:
    """The open response; what may pass is an interruption, the rest is a sentence."""
    request = urllib.request.Request(address, headers=headers)
    try:
        return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            discard(part)
            raise _PassingError("the file at the address has become shorter") from error
        if error.code in _PASSING_STATUS:
            raise _PassingError(f"the server answered {error.code} {error.reason}") from error
        raise RankwiseError(f"the server answered {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, _LASTING):
            raise RankwiseError(f"the server cannot be reached ({error.reason})") from error
        raise _PassingError(f"the server cannot be reached ({error.reason})") from error
    except (OSError, http.client.HTTPException) as error:
        raise _PassingError(f"the connection failed ({error})") from error
    except ValueError as error:
        raise RankwiseError(f"the address '{address}' is not valid ({error})") from error


def _read_position(
    response: Any, address: str, begun: _Begun | None, held: int, part: Path
) -> tuple[int, _Begun]:
    """At which byte the answer begins, and what the server says of the file now."""
    tag, modified = response.headers.get("ETag"), response.headers.get("Last-Modified")
    if response.status != http.HTTPStatus.PARTIAL_CONTENT:
        length = response.headers.get("Content-Length", "")
        return 0, _Begun(address, int(length) if length.isdigit() else None, tag, modified)
    span = re.fullmatch(
        r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", "").strip()
    )
    total = int(span[2]) if span and span[2] != "*" else None
    now = _Begun(address, total, tag, modified)
    if span is None or begun is None or int(span[1]) != held or not _is_same_file(begun, now):
        discard(part)
        raise _PassingError("the file at the address has changed since its download began")
    return held, now


def _is_same_file(begun: _Begun, now: _Begun) -> bool:
    pairs = (
        (begun.total, now.total),
        (begun.entity_tag, now.entity_tag),
        (begun.modified, now.modified),
    )
    known = [(before, after) for before, after in pairs if None not in (before, after)]
    return bool(known) and all(before == after for before, after in known)


def _store_response(
    response: Any,
    part: Path,
    start: int,
    offered: int | None,
    expected: _Expected,
    progress: Progress,
) -> None:
    done = start
    total = offered if offered is not None else expected.size
    try:
        stream = part.open("r+b" if start else "wb")
    except OSError as error:
        raise writing_failure(part, error) from error
    with stream:
        stream.seek(start)
        while piece := _read_piece(response):
            done += len(piece)
            expected.check_arrived(done, offered)
            try:
                stream.write(piece)
                stream.flush()
            except OSError as error:
                raise RankwiseError(
                    f"cannot write {part}: {error.strerror or error}; "
                    "run the same command again to go on from what has arrived"
                ) from error
            if total:
                progress(done / total)
    if total is not None and done < total:
        raise _PassingError(f"the connection ended after {done:,} of {total:,} bytes")


def _read_piece(response: Any) -> bytes:
    try:
        return bytes(response.read(PIECE))
    except http.client.IncompleteRead as error:
        raise _PassingError("the connection ended too early") from error
    except (OSError, http.client.HTTPException) as error:
        raise _PassingError(f"the connection broke ({error})") from error


def _read_begun(part: Path, address: str) -> _Begun | None:
    try:
        begun = _Begun(**json.loads(_get_begun_file(part).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return begun if begun.address == address else None


def _get_begun_file(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _get_length(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _describe_failure(address: str, part: Path, reason: str) -> str:
    return (
        f"{address} failed {ATTEMPTS} times in a row ({reason}); the {_get_length(part):,} bytes "
        f"that arrived are kept in {part}: run the same command again to go on"
    )


Consent = Callable[[CatalogEntry, str], bool]
"""Is shown an entry and the address it comes from; true accepts its licence."""


def fetch_dataset(
    name: str | CatalogEntry,
    *,
    accept_licence: bool | Consent = False,
    address: str | None = None,
    most_bytes: int = MOST_BYTES,
    keep_archive: bool = False,
    replace_old: bool = False,
    home: Path | None = None,
    stage: Stage = silent_stage,
) -> Installed:
    """Download the data set `name`, check its sum, unpack it safely and verify what it holds.

    A download that breaks off is resumed by the next call.

    Args:
        name: as `catalog_entries` spells it.
        accept_licence: true accepts the licence of the entry; a function is asked.
        address: download from here instead of the known addresses.
        most_bytes: what an archive may have whose size the catalogue does not know.
        keep_archive: keep the archive after it was unpacked.
        replace_old: take the place of what is installed already.
        home: the data home, by default `get_data_home()`.
        stage: is told what is done, and which share of it.
    """
    entry = find_entry(name) if isinstance(name, str) else name
    there = list_installed(entry, home)
    if there and not replace_old:
        raise RankwiseError(
            f"{there[0].folder} is installed already",
            Advice("{} fetches it again", "replace_old", True),
        )
    addresses = (address,) if address else entry.addresses
    if addresses:
        _ask_consent(entry, addresses[0], accept_licence)
    folder = (home or get_data_home()) / "downloads"
    downloading = stage(f"fetching {entry.name}", 1)
    archive = fetch_archive(
        entry, folder, addresses=addresses, most_bytes=most_bytes, progress=downloading
    )
    verifying = stage(f"verifying {entry.name}", 1)
    item = import_dataset(entry, archive, replace_old=replace_old, home=home, progress=verifying)
    if not keep_archive:
        archive.unlink(missing_ok=True)
    return item


def _ask_consent(entry: CatalogEntry, address: str, accept: bool | Consent) -> None:
    accepted = accept(entry, address) if callable(accept) else accept
    if not accepted:
        raise RankwiseError(
            f"the licence of {entry.name} must be accepted ({entry.licence})",
            Advice("say {}", "accept_licence", True),
        )


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
        raise RankwiseError(
            f"no address is known where {entry.name} can be downloaded; {_suggest_import(entry)}"
        )
    target = make_folder(folder) / _make_file_name(entry, tried[0])
    if _is_archive_there(entry, target):
        return target
    _check_space(entry, folder)
    size = entry.archive.size if entry.archive else None
    load = partial(download, size=size, most_bytes=most_bytes, progress=progress, pause=pause)
    failures = []
    for address in tried:
        try:
            return _fetch_from_addresses(entry, address, target, load)
        except RankwiseError as error:
            failures.append(f"{address}: {error}")
    raise RankwiseError(
        f"{entry.name} could not be fetched ({'; '.join(failures)}); {_suggest_import(entry)}"
    )


def _is_archive_there(entry: CatalogEntry, target: Path) -> bool:
    """Whether the archive was loaded before; one with a wrong checksum is loaded again."""
    if not target.exists():
        return False
    try:
        verify_checksums(target, entry.archive.checksums if entry.archive else {})
    except WrongChecksumError:
        target.unlink()
        return False
    return True


def _fetch_from_addresses(
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
        return _fetch_from_addresses(entry, address, target, load)
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


def _suggest_import(entry: CatalogEntry) -> str:
    where = f" (its home page is {entry.homepage})" if entry.homepage else ""
    return f"get the archive yourself{where} and run: rankwise data import {entry.name} PATH"
