"""Which data an experiment runs on: folders of folds, or data sets of the data home, with names."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from rankwise.data.catalog.entries import CatalogEntry, entries
from rankwise.data.catalog.home import installed
from rankwise.data.folds import FoldFiles, find_folds
from rankwise.errors import RankwiseError

TOOLS = {"letor3": "letor3", "letor4": "letor4", "mslr": "mslr", "yahoo": "yahoo"}
"""The tool with which a collection's published figures were computed, by its key."""


@dataclass(frozen=True)
class DataSource:
    """A data set in one version: where its folds are, what it is called, whose tool judges it."""

    folder: Path
    collection: str
    dataset: str
    version: str | None
    tool: str

    def folds(self) -> list[FoldFiles]:
        """The files of its folds, by number."""
        return find_folds(self.folder)


def from_folder(
    folder: str | Path,
    *,
    collection: str | None = None,
    dataset: str | None = None,
    version: str | None = None,
    tool: str | None = None,
) -> DataSource:
    """The folds below `folder`; names that are not given are read off its path.

    `…/letor3/OHSUMED/QueryLevelNorm` is OHSUMED of LETOR 3.0 in that version, with the tool
    `letor3`. A path that names no data set of the catalogue is called by its last part and judged
    by the definition.
    """
    place = Path(folder).expanduser().resolve()
    known = _recognized(place)
    here = next((name for name in known.versions if name == place.name), None) if known else None
    return DataSource(
        place,
        collection if collection is not None else (known.collection if known else ""),
        dataset or (known.title if known else place.name),
        version or here,
        tool or (_tool(known) if known else "definition"),
    )


def from_home(
    pattern: str, version: str | None = None, tool: str | None = None
) -> list[DataSource]:
    """The installed data sets whose names match `pattern` (`letor3/*`), each in one version.

    That is `version`, or the preferred one of those installed.
    """
    found = []
    for entry in entries():
        if not fnmatch(entry.name, pattern.lower()):
            continue
        there = [item for item in installed(entry) if version in (None, item.version)]
        if there:
            item = there[0]
            found.append(
                DataSource(
                    item.folder, entry.collection, entry.title, item.version, tool or _tool(entry)
                )
            )
    if not found:
        raise RankwiseError(
            f"no data set in the data home matches {pattern!r}; see 'rankwise data list', or name "
            "a folder of folds: --data DIR"
        )
    return found


def _recognized(place: Path) -> CatalogEntry | None:
    parts = {part.lower() for part in place.parts}
    for entry in entries():
        collection, _, key = entry.name.partition("/")
        if collection in parts and {key, entry.title.lower()} & parts:
            return entry
    return None


def _tool(entry: CatalogEntry) -> str:
    return TOOLS.get(entry.name.partition("/")[0], "definition")
