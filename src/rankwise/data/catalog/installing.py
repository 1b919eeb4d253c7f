"""A data set of the catalogue from the network into the data home, its licence accepted first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rankwise.data.catalog.download import MOST_BYTES
from rankwise.data.catalog.entries import CatalogEntry, find_entry
from rankwise.data.catalog.fetching import fetch_archive
from rankwise.data.catalog.home import Installed, get_data_home, list_installed
from rankwise.data.catalog.importing import import_dataset
from rankwise.errors import Advice, RankwiseError
from rankwise.stages import Stage, silent_stage

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
        _ask(entry, addresses[0], accept_licence)
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


def _ask(entry: CatalogEntry, address: str, accept: bool | Consent) -> None:
    accepted = accept(entry, address) if callable(accept) else accept
    if not accepted:
        raise RankwiseError(
            f"the licence of {entry.name} must be accepted ({entry.licence})",
            Advice("say {}", "accept_licence", True),
        )
