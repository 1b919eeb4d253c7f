"""Data sets by their names: in the catalogue, and in the data home."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from rankwise.data.catalog.entries import CatalogEntry, catalog_entries
from rankwise.data.catalog.home import Installed, get_data_home, list_installed
from rankwise.data.table_file import find_columns, name_columns_of
from rankwise.errors import RankwiseError
from rankwise.files import is_there
from rankwise.shown import path_text

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

    See `rankwise.data.locating.locate`, which asks only where there is no such path.
    """
    parts = Path(data).parts
    # Names have neither roots nor ways up, and those with wildcards may be several data sets.
    if Path(data).is_absolute() or ".." in parts or WILDCARDS & set(str(data)):
        return data
    for size in (2, 1):
        name, rest = "/".join(parts[:size]), parts[size:]
        entries = find_in_catalogue(name) if len(parts) >= size else []
        if entries:
            found = _find_place(name, _find_only(name, entries), rest)
            return _with_columns(data, found)
    return data


def describe_absence(name: str, entries: Sequence[CatalogEntry]) -> str:
    """That a data set of the catalogue is not installed, and how to get it."""
    first = entries[0].name
    called = name if name == first else f"{name} ({' or '.join(one.name for one in entries)})"
    return (
        f"{called} is not in the data home ({get_data_home()}), and there is no file or folder of "
        f"that name; get it with 'rankwise data fetch {first}' or 'rankwise data import {first} "
        "PATH'"
    )


def _find_only(name: str, entries: Sequence[CatalogEntry]) -> tuple[CatalogEntry, list[Installed]]:
    """The one data set of a name that is installed, in its versions, the preferred one first."""
    there = [(entry, list_installed(entry)) for entry in entries]
    there = [(entry, items) for entry, items in there if items]
    if not there:
        raise RankwiseError(describe_absence(name, entries))
    if len(there) > 1:
        names = " and ".join(entry.name for entry, _ in there)
        raise RankwiseError(
            f"{name!r} must be one data set, found {names} in the data home; name one of these"
        )
    return there[0]


def _find_place(
    name: str, installed: tuple[CatalogEntry, list[Installed]], rest: tuple[str, ...]
) -> Path:
    """The folder of a data set, or what `rest` names below it, after a version or without one."""
    entry, items = installed
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
    return place if not rest or is_there(place) else _find_alike(name, item, rest)


def _find_alike(name: str, item: Installed, rest: tuple[str, ...]) -> Path:
    """A file that is called so but for its ending: it may be compressed there."""
    stem = _get_stem("/".join(rest))
    alike = [file for file in item.files if _get_stem(file) == stem]
    if len(alike) == 1:
        return item.folder / alike[0]
    names = list(item.files)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    raise RankwiseError(
        f"{name} must have {path_text('/'.join(rest))} in {item.folder}, found "
        f"{', '.join(names[:_MOST_NAMED])}{more}"
    )


def _get_stem(name: str) -> str:
    return name.split(".")[0].casefold()


def _with_columns(data: str | Path, found: Path) -> Path:
    """The place, with the columns that the path knew."""
    columns = find_columns(data)
    return name_columns_of(found, columns) if any(columns.named()) else found
