"""The data home: the folder where imported data sets live, and what is installed in it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankwise.data.catalog.entries import CatalogEntry
from rankwise.errors import RankwiseError
from rankwise.files import write_text

MANIFEST = "rankwise.json"
_MANIFEST_LAYOUT = 1


@dataclass(frozen=True)
class Installed:
    """One data set (in one version) in the data home, as its manifest describes it.

    `files` maps names in `folder` to their sizes and checksums; `facts` are the counts that were
    found and `verified` says by what the import was checked.
    """

    name: str
    version: str | None
    folder: Path
    kind: str
    files: Mapping[str, Mapping[str, Any]]
    facts: Mapping[str, Any]
    verified: tuple[str, ...]
    source: str


def get_data_home() -> Path:
    """RANKWISE_HOME, else `rankwise` in the platform's folder for a user's data."""
    named = os.environ.get("RANKWISE_HOME")
    if named:
        return Path(named).expanduser().absolute()
    return find_user_data_folder(sys.platform, os.environ) / "rankwise"


def find_user_data_folder(platform: str, environment: Mapping[str, str]) -> Path:
    """Where programs keep a user's data: XDG on Linux, Application Support, %LOCALAPPDATA%."""
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if platform == "win32":
        local = environment.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    named = environment.get("XDG_DATA_HOME", "")
    # The XDG specification says that a relative path here is invalid and must be ignored.
    return Path(named) if named.startswith("/") else Path.home() / ".local" / "share"


def get_dataset_folder(entry: CatalogEntry, version: str | None, home: Path | None = None) -> Path:
    """Where `entry` in `version` lives, whether or not it is there."""
    folder = (home or get_data_home()) / entry.name
    return folder / version if version else folder


def list_installed(entry: CatalogEntry, home: Path | None = None) -> list[Installed]:
    """What the data home holds of `entry`: one item per version."""
    places = [get_dataset_folder(entry, version, home) for version in (entry.versions or (None,))]
    return [read_manifest(place) for place in places if (place / MANIFEST).is_file()]


def find_part_file(
    entry: CatalogEntry,
    part: str,
    *,
    fold: int | None = None,
    version: str | None = None,
    home: Path | None = None,
) -> Path:
    """The file of one part (`train`, `vali`, `test`, `S1`…, `all`) of an installed data set.

    Without `version` the preferred one that is installed is taken.
    """
    there = [item for item in list_installed(entry, home) if version in (None, item.version)]
    if not there:
        what = f"{entry.name} ({version})" if version else entry.name
        raise RankwiseError(
            f"{what} is not in the data home; get it with 'rankwise data fetch {entry.name}' or "
            f"'rankwise data import {entry.name} PATH'"
        )
    stem = part if fold is None else f"Fold{fold}/{part}"
    for name in there[0].files:
        if name.split(".")[0] == stem:
            return there[0].folder / name
    holds = ", ".join(there[0].files)
    raise RankwiseError(f"{entry.name} has no part {stem} in {there[0].folder}; it holds {holds}")


def write_manifest(item: Installed, folder: Path) -> None:
    """Describe `item` in `folder`, from where it is moved to its place."""
    content = {
        "manifest": _MANIFEST_LAYOUT,
        "name": item.name,
        "version": item.version,
        "kind": item.kind,
        "source": item.source,
        "verified": list(item.verified),
        "facts": dict(item.facts),
        "files": {name: dict(known) for name, known in item.files.items()},
    }
    write_text(folder / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def read_manifest(folder: Path) -> Installed:
    """What `write_manifest` wrote; a damaged one is a sentence that says how to mend it."""
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_text("utf-8"))
        return Installed(
            name=str(content["name"]),
            version=content["version"],
            folder=folder,
            kind=str(content["kind"]),
            files=dict(content["files"]),
            facts=dict(content["facts"]),
            verified=tuple(content["verified"]),
            source=str(content["source"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RankwiseError(
            f"{path} is not a manifest that Rankwise wrote ({type(error).__name__}: {error}); "
            "remove the folder and import the data set again"
        ) from error
