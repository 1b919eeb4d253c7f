"""Which data an experiment runs on: folders of folds, or data sets of the data home, with names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rankwise.data.catalog.entries import CatalogEntry, catalog_entries
from rankwise.data.catalog.home import (
    find_in_catalogue,
    find_installed,
    locate,
)
from rankwise.data.folds import FoldFiles, find_folds, fold_number
from rankwise.data.reading import read_card
from rankwise.errors import Advice, RankwiseError
from rankwise.files import is_folder, resolve

DEFINITION = "definition"
"""The tool of data sets for which the catalogue knows none."""


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
    `letor3`; `MQ2008` alone will do, since only one data set is called so. A path that names no
    data set of the catalogue is judged by the definition and called by its last part; where that
    is the folder of a version, as in what `rankwise build` makes, by the name of the build, or of
    the folder above.
    """
    place = resolve(locate(folder), home=True)
    known = _recognize(place)
    here = next((name for name in known.versions if name == place.name), None) if known else None
    built = None if known else _VERSION_FOLDERS.get(place.name.lower())
    own = _name_build(place.parent) if built else place.name
    return DataSource(
        place,
        collection if collection is not None else (known.collection if known else ""),
        dataset or (known.title if known else own),
        version or here or built,
        tool or (known.tool if known else None) or DEFINITION,
    )


_VERSION_FOLDERS = {
    "feature-null": "NULL",
    "feature-min": "MIN",
    "querylevelnorm": "QueryLevelNorm",
    "null": "NULL",
    "min": "MIN",
}
"""The versions of LETOR by the folders that it, and `rankwise build`, put them in."""


def _name_build(folder: Path) -> str:
    """What the card of a build calls its data set; the name of the folder where none tells."""
    name = read_card(folder).get("name")
    return name if isinstance(name, str) and name.strip() else folder.name


def from_home(
    pattern: str,
    *,
    collection: str | None = None,
    dataset: str | None = None,
    version: str | None = None,
    tool: str | None = None,
) -> list[DataSource]:
    """The installed data sets that go by `pattern`, each in one version.

    That is `version`, or the preferred one of those installed.
    """
    there = find_installed(pattern, find_in_catalogue(pattern))
    if not there:
        raise RankwiseError(
            f"no data set in the data home matches {pattern!r}",
            Advice("see 'rankwise data list'"),
            Advice("name a folder of folds: {}", "data", "DIR"),
        )
    versions = [str(item.version) for _, items in there for item in items]
    if version not in (None, *versions):
        raise RankwiseError(
            f"{' and '.join(entry.name for entry, _ in there)} must be in the data home in the "
            f"version {version!r}, found {', '.join(dict.fromkeys(versions))}"
        )
    return [
        DataSource(
            item.folder,
            entry.collection if collection is None else collection,
            dataset or entry.title,
            item.version,
            tool or entry.tool or DEFINITION,
        )
        for entry, items in there
        for item in [item for item in items if version in (None, item.version)][:1]
    ]


def find_source(data: str | Path, **names: str | None) -> DataSource:
    """The data set that a folder of folds holds, or that goes by a name in the data home."""
    if is_folder(resolve(data, home=True)):
        return from_folder(data, **names)
    if not find_in_catalogue(str(data)):
        if is_folder(locate(data)):
            return from_folder(data, **names)
        raise RankwiseError(
            f"{data}: there is no such file or folder, and no data set is called so; see "
            "'rankwise data list'"
        )
    return from_home(str(data), **names)[0]


def name_file(path: str | Path) -> tuple[DataSource, int | None]:
    """What a file of a data set belongs to by its path, and of which fold it is.

    `…/letor4/MQ2008/Fold1/test.txt` is fold 1 of LETOR 4.0 MQ2008.
    """
    folder = resolve(locate(path), home=True).parent
    number = fold_number(folder.name)
    source = from_folder(folder if number is None else folder.parent)
    return source, number


def _recognize(place: Path) -> CatalogEntry | None:
    parts = {part.lower() for part in place.parts}
    for entry in catalog_entries():
        collection, _, key = entry.name.partition("/")
        if collection in parts and {key, entry.title.lower()} & parts:
            return entry
    return _recognize_title(place)


def _recognize_title(place: Path) -> CatalogEntry | None:
    """The only data set that is called as the folder is, or as the one above a version's."""
    for name in (place.name.lower(), place.parent.name.lower()):
        titled = [entry for entry in catalog_entries() if entry.title.lower() == name]
        if len(titled) == 1 and (name == place.name.lower() or place.name in titled[0].versions):
            return titled[0]
    return None
