"""The data home: the folder where imported data sets live, and what a name there means.

A name that somebody gives for data is a path, or a data set of the catalogue in the data home.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from rankwise.data.catalog.entries import CatalogEntry, catalog_entries
from rankwise.data.table_columns import find_columns, name_columns_of
from rankwise.errors import RankwiseError
from rankwise.files import is_there, write_text
from rankwise.sanitize import list_some, path_text

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


WILDCARDS = frozenset("*?[")
_MOST_NAMED = 6


def find_in_catalogue(pattern: str) -> list[CatalogEntry]:
    """The data sets that go by a name: all that match it (`letor3/*`), or a title (`MQ2008`)."""
    wanted = pattern.lower()
    return [
        entry
        for entry in catalog_entries()
        if fnmatch(entry.name, wanted)
        or wanted in (entry.name.partition("/")[2], entry.title.lower())
    ]


def find_in_home(data: str | Path) -> str | Path:
    """What a name of the catalogue stands for in the data home; another path as it is.

    See `rankwise.data.catalog.home.locate`, which asks only where there is no such path.
    """
    parts = Path(data).parts
    # Names have neither roots nor ways up, and those with wildcards may be several data sets.
    if Path(data).is_absolute() or ".." in parts or WILDCARDS & set(str(data)):
        return data
    for size in (2, 1):
        name, rest = "/".join(parts[:size]), parts[size:]
        entries = find_in_catalogue(name) if len(parts) >= size else []
        if entries:
            [(entry, items)] = find_installed(name, entries)
            found = _find_below_installed(name, entry, items, rest)
            return _with_columns(data, found)
    return data


def find_installed(
    name: str, entries: Sequence[CatalogEntry]
) -> list[tuple[CatalogEntry, list[Installed]]]:
    """The data sets of a name that are installed, each in its versions, the preferred one first.

    A name with wildcards may be none or several of them, another one must be one.
    """
    there = [(entry, items) for entry in entries if (items := list_installed(entry))]
    if WILDCARDS & set(name) or not entries:
        return there
    if not there:
        first = entries[0].name
        called = name if name == first else f"{name} ({' or '.join(one.name for one in entries)})"
        raise RankwiseError(
            f"{called} is not in the data home ({get_data_home()}), and there is no file or folder "
            f"of that name; get it with 'rankwise data fetch {first}' or 'rankwise data import "
            f"{first} PATH'"
        )
    if len(there) > 1:
        names = " and ".join(entry.name for entry, _ in there)
        raise RankwiseError(
            f"{name!r} must be one data set, found {names} in the data home; name one of these"
        )
    return there


def _find_below_installed(
    name: str, entry: CatalogEntry, items: list[Installed], rest: tuple[str, ...]
) -> Path:
    """The folder of a data set, or what `rest` names below it, after a version or without one."""
    versions = {version.casefold(): version for version in entry.versions}
    item = items[0]
    if rest and rest[0].casefold() in versions:
        wanted, rest = versions[rest[0].casefold()], rest[1:]
        chosen = [one for one in items if one.version == wanted]
        if not chosen:
            raise RankwiseError(
                f"{name} must be in the data home in the version {wanted}, found "
                f"{', '.join(str(one.version) for one in items)}"
            )
        item = chosen[0]
    place = item.folder.joinpath(*rest)
    return place if not rest or is_there(place) else _find_installed_alike(name, item, rest)


def _find_installed_alike(name: str, item: Installed, rest: tuple[str, ...]) -> Path:
    """A file that is called so but for its ending: it may be compressed there."""
    stem = _get_stem("/".join(rest))
    alike = [file for file in item.files if _get_stem(file) == stem]
    if len(alike) == 1:
        return item.folder / alike[0]
    raise RankwiseError(
        f"{name} must have {path_text('/'.join(rest))} in {item.folder}, found "
        f"{list_some(item.files, _MOST_NAMED)}"
    )


def _get_stem(name: str) -> str:
    return name.split(".")[0].casefold()


def _with_columns(data: str | Path, found: Path) -> Path:
    """The place, with the columns that the path knew."""
    columns = find_columns(data)
    return name_columns_of(found, columns) if any(columns.named()) else found


def locate(data: str | Path) -> str | Path:
    """The path itself where anything is there, else what it names in the data home.

    A name is that of a data set, with its collection before it or not, then perhaps a version and
    the place of a file: `MQ2008`, `letor4/mq2008/Fold1/test.txt`, `OHSUMED/MIN/Fold1`. A known data
    set that is not installed is an error that says how to get it; what is no name stays as it is,
    for whoever reads it to say that it is not there.
    """
    if is_there(data):
        return data
    # The catalogue is read only where it may be needed.

    return find_in_home(data)
