"""Where the files of a data set stand in a folder, whatever its makers called them.

Metadata and relations that come with a data set, LETOR's `Meta` folder and relation files, stand
beside its versions, `OHSUMED/Meta` beside `OHSUMED/QueryLevelNorm`, or deeper, and are kept as they
are under the same names in the data home.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rankwise.data.catalog.entries import CatalogEntry
from rankwise.data.folds import PART_NAMES, TEXT
from rankwise.data.table_columns import COMPRESSED_ENDINGS
from rankwise.errors import RankwiseError

_PARTS = {"vali": "validation"}
_FOLD_FOLDER = re.compile(r"fold[-_ ]?(\d+)", re.IGNORECASE)
_PIECE = re.compile(rf"s([1-9]){TEXT}", re.IGNORECASE)
_SHOWN = 5


@dataclass(frozen=True)
class Layout:
    """One copy of a data set: its files by the name they get in the data home.

    `kind` is `folds` (Fold1/train.txt …), `split` (train.txt …), `parts` (S1.txt …) or `whole`
    (all.txt); `version` is the LETOR version that a folder's name tells, if one does.
    """

    root: Path
    kind: str
    version: str | None
    files: Mapping[str, Path]

    def __str__(self) -> str:
        return str(self.root)


def is_data_name(entry: CatalogEntry, name: str) -> bool:
    """Whether a file of an archive may belong to `entry`, by its name."""
    return _recognize(entry, Path(name)) is not None


def find_layout(entry: CatalogEntry, folder: Path, version: str | None = None) -> Layout:
    """The one copy of `entry` in `folder` or anywhere below it.

    Where there are several, `version` and the entry's own folder names choose; a cut into folds
    is preferred to loose parts and these to one file, and the entry's first version to others.
    """
    if version is not None and version not in entry.versions:
        known = ", ".join(entry.versions) or "none"
        raise RankwiseError(f"{entry.name} has the versions {known}; found '{version}'")
    layouts = list(_find_layouts(entry, folder))
    if not layouts:
        raise RankwiseError(
            f"{folder} holds no files of {entry.name}: {_describe_expected(entry)} must be in it "
            "or below it"
        )
    chosen = _choose_version(entry, _choose_entry(entry, layouts, folder), version, folder)
    chosen = _choose_kind(chosen)
    if len(chosen) > 1:
        shown = ", ".join(map(str, chosen[:_SHOWN]))
        raise RankwiseError(
            f"{folder} holds {len(chosen)} copies of {entry.name} ({shown}); name one of them"
        )
    _check_complete(entry, chosen[0])
    return chosen[0]


def describe_whole_file(path: Path) -> Layout:
    """A single file that is the whole data set."""
    packed = path.suffix.lower() if path.suffix.lower() in COMPRESSED_ENDINGS else ""
    return Layout(path.parent, "whole", None, {f"all.txt{packed}": path})


def _find_layouts(entry: CatalogEntry, folder: Path) -> Iterator[Layout]:
    """All copies below `folder`, files grouped by the folder that holds them or their folds."""
    found: dict[tuple[Path, str], dict[str, Path]] = {}
    for path in _walk_files(folder):
        place = _recognize(entry, path.relative_to(folder))
        if place is not None:
            root, kind, name = place
            found.setdefault((folder / root, kind), {})[name] = path
    for (root, kind), named in found.items():
        version = _read_version(entry, root, folder)
        yield Layout(root, kind, version, dict(sorted(named.items())))


def _walk_files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield Path(parent) / name


def _recognize(entry: CatalogEntry, path: Path) -> tuple[Path, str, str] | None:
    """Root, kind and home name of a file below a folder; None for a file of something else."""
    for part in entry.parts:
        words = rf"{re.escape(entry.file_prefix)}({PART_NAMES[_PARTS.get(part, part)]}){TEXT}"
        if match := re.fullmatch(words, path.name, re.IGNORECASE):
            name = f"{part}.txt{_get_packing(match)}"
            fold = _FOLD_FOLDER.fullmatch(path.parent.name)
            if fold and entry.folds != 1:
                return path.parent.parent, "folds", f"Fold{int(fold[1])}/{name}"
            return (path.parent, "split", name) if entry.folds in (None, 1) else None
    if match := _PIECE.fullmatch(path.name):
        return path.parent, "parts", f"S{match[1]}.txt{_get_packing(match)}"
    if match := re.fullmatch(rf"{re.escape(entry.title)}{TEXT}", path.name, re.IGNORECASE):
        return path.parent, "whole", f"all.txt{_get_packing(match)}"
    return None


def _get_packing(match: re.Match[str]) -> str:
    return (match["compression"] or "").lower()


def _read_version(entry: CatalogEntry, root: Path, folder: Path) -> str | None:
    """By the nearest folder at or below the one that was named; what lies above says nothing."""
    for name in (*reversed(root.relative_to(folder).parts), folder.absolute().name):
        last_word = re.split("[-_ ]", name)[-1].lower()
        for version in entry.versions:
            if last_word == version.lower():
                return version
    return None


def _choose_entry(entry: CatalogEntry, layouts: list[Layout], folder: Path) -> list[Layout]:
    """Those in folders named after the entry, where there are such."""
    words = set(entry.path_words)
    marked = [
        layout
        for layout in layouts
        if words & {name.lower() for name in layout.root.relative_to(folder).parts}
    ]
    return marked or layouts


def _choose_version(
    entry: CatalogEntry, layouts: list[Layout], version: str | None, folder: Path
) -> list[Layout]:
    if version is not None:
        chosen = [layout for layout in layouts if layout.version in (version, None)]
        if not chosen:
            there = ", ".join(sorted({str(layout.version) for layout in layouts}))
            raise RankwiseError(
                f"{folder} does not hold {entry.name} in the version {version}; it holds {there}"
            )
        return chosen
    for preferred in entry.versions:
        chosen = [layout for layout in layouts if layout.version == preferred]
        if chosen:
            return chosen
    return layouts


def _choose_kind(layouts: list[Layout]) -> list[Layout]:
    order = ("folds", "split", "parts", "whole")
    best = min(layouts, key=lambda layout: order.index(layout.kind)).kind
    return [layout for layout in layouts if layout.kind == best]


def _check_complete(entry: CatalogEntry, layout: Layout) -> None:
    stems = {name.split(".")[0] for name in layout.files}
    missing = [name for name in _list_expected(entry, layout) if name not in stems]
    if missing:
        raise RankwiseError(
            f"{layout.root} must hold {_describe_expected(entry)}; missing: {', '.join(missing)}"
        )
    if len(stems) < len(layout.files):
        raise RankwiseError(f"{layout.root} holds a file both plain and compressed; keep one")


def _list_expected(entry: CatalogEntry, layout: Layout) -> list[str]:
    """The files that must be there; where the number of folds is unknown, up to the last found."""
    folds = range(1, (entry.folds or _find_last_number(layout)) + 1)
    if layout.kind == "folds":
        return [f"Fold{fold}/{part}" for fold in folds for part in entry.parts]
    if layout.kind == "parts":
        return [f"S{number}" for number in folds]
    return list(entry.parts) if layout.kind == "split" else ["all"]


def _find_last_number(layout: Layout) -> int:
    numbers = (re.match(r"(?:Fold|S)(\d+)", name) for name in layout.files)
    return max((int(number[1]) for number in numbers if number), default=1)


def _describe_expected(entry: CatalogEntry) -> str:
    names = ", ".join(f"{entry.file_prefix}{part}.txt" for part in entry.parts)
    if entry.folds is None or entry.folds == 1:
        return names
    return f"the folders Fold1 to Fold{entry.folds} with {names}"


_ACCOMPANYING_FOLDERS = {
    "meta": "Meta",
    "metadata": "Meta",
    "relation": "Relations",
    "relations": "Relations",
}


def is_accompanying_name(name: str) -> bool:
    """Whether a file of an archive stands in a folder of metadata or relations."""
    return any(part.lower() in _ACCOMPANYING_FOLDERS for part in PurePosixPath(name).parts[:-1])


def find_accompanying(root: Path, source: Path) -> dict[str, Path]:
    """Files of metadata and relations by their names in the data home.

    Looked for in the folder of the data and in those above it, up to `source`; the nearest counts.
    """
    inside = source in (root, *root.parents)
    above = [folder for folder in (root, *root.parents) if source in (folder, *folder.parents)]
    found: dict[str, Path] = {}
    for folder in above if inside else []:
        for path in sorted(folder.iterdir()):
            name = _ACCOMPANYING_FOLDERS.get(path.name.lower())
            if name is None or not path.is_dir() or _holds_folder(found, name):
                continue
            for parent, folders, files in os.walk(path):
                folders.sort()
                for file in sorted(files):
                    place = Path(parent) / file
                    if place.is_file() and not place.is_symlink():
                        found[f"{name}/{place.relative_to(path).as_posix()}"] = place
    return found


def _holds_folder(found: dict[str, Path], name: str) -> bool:
    return any(one.startswith(f"{name}/") for one in found)
