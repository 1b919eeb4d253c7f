"""A file, or every part of the folds of a folder, written anew under the same names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rankwise.data.folds.reading import find_folds, list_fold_homes
from rankwise.data.folds.writing import folder_written_whole
from rankwise.data.locating import locate
from rankwise.files import is_folder, make_folder, refuse_name, resolve

Advance = Callable[[int, int], None]
Written = TypeVar("Written")


def list_part_files(source: str | Path) -> list[Path]:
    """The file itself, or the parts of all folds of a folder.

    Where the folds are one folder down, as those of LETOR's versions are, it is those.
    """
    found = locate(source)
    root = found if isinstance(found, Path) else Path(found)
    if not is_folder(root):
        # The path as it was given: it may know the columns of its table.
        return [root]
    folds = [fold for home in list_fold_homes(root) for fold in find_folds(home)]
    parts = [part for fold in folds for part in (fold.train, fold.validation, fold.test)]
    return [part for part in parts if part is not None]


def rewrite_parts(
    source: str | Path,
    target: str | Path,
    rewrite: Callable[[Path, Path, Path], Written],
    advance: Advance = lambda done, total: None,
) -> list[Written]:
    """What `rewrite` gives for each file that it reads, the place it writes to, and its last name.

    Of a folder, every part of every fold is written under its own name below `target`, which must
    be new or empty, and is there whole or not at all. Other files of the folder are not copied.
    """
    root, goal = Path(locate(source)), Path(target)
    files = list_part_files(source)
    if not is_folder(root):
        found = [rewrite(files[0], goal, goal)]
        advance(1, 1)
        return found
    refuse_name(goal)
    parts = []
    with folder_written_whole(resolve(goal)) as folder:
        for done, file in enumerate(files, 1):
            place = file.relative_to(root)
            make_folder((folder / place).parent)
            parts.append(rewrite(file, folder / place, goal / place))
            advance(done, len(files))
    return parts
