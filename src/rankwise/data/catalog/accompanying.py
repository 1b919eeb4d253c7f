"""Metadata and relations that come with a data set: LETOR's `Meta` folder and relation files.

They stand beside the versions of a data set, `OHSUMED/Meta` beside `OHSUMED/QueryLevelNorm`, or
deeper, and are kept as they are under the same names in the data home.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

_FOLDERS = {"meta": "Meta", "metadata": "Meta", "relation": "Relations", "relations": "Relations"}


def is_accompanying_name(name: str) -> bool:
    """Whether a file of an archive stands in a folder of metadata or relations."""
    return any(part.lower() in _FOLDERS for part in PurePosixPath(name).parts[:-1])


def find_accompanying(root: Path, source: Path) -> dict[str, Path]:
    """Files of metadata and relations by their names in the data home.

    Looked for in the folder of the data and in those above it, up to `source`; the nearest counts.
    """
    inside = source in (root, *root.parents)
    above = [folder for folder in (root, *root.parents) if source in (folder, *folder.parents)]
    found: dict[str, Path] = {}
    for folder in above if inside else []:
        for path in sorted(folder.iterdir()):
            name = _FOLDERS.get(path.name.lower())
            if name is None or not path.is_dir() or _holds(found, name):
                continue
            for parent, folders, files in os.walk(path):
                folders.sort()
                for file in sorted(files):
                    place = Path(parent) / file
                    if place.is_file() and not place.is_symlink():
                        found[f"{name}/{place.relative_to(path).as_posix()}"] = place
    return found


def _holds(found: dict[str, Path], name: str) -> bool:
    return any(one.startswith(f"{name}/") for one in found)
