"""Find and read folds: `Fold1 … Fold5`, or one folder that holds the parts of a single split."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.data.dataset import Dataset
from rankwise.data.folds.fold import Fold
from rankwise.data.formats.packed_layout import PACKED
from rankwise.data.joining import equally_wide
from rankwise.data.locating import locate
from rankwise.data.reading import read
from rankwise.data.table_file import ARROW_TABLES, COMPRESSED_ENDINGS, TEXT_ENDINGS, TEXT_TABLES
from rankwise.errors import Advice, RankwiseError
from rankwise.files import is_file, is_folder, reading_failure

PART_NAMES = {
    "train": r"(train(ing)?|learning)([-_ ]?set)?",
    "validation": r"vali?(d(ation)?)?([-_ ]?set)?",
    "test": r"test(ing)?([-_ ]?set)?",
}
_USUAL_NAMES = {"train": "train.txt or trainingset.txt", "test": "test.txt or testset.txt"}


def _any_of(endings: Iterable[str]) -> str:
    return f"({'|'.join(map(re.escape, endings))})"


COMPRESSION = rf"(?P<compression>{_any_of(COMPRESSED_ENDINGS)})?"
TEXT = rf"{_any_of(TEXT_ENDINGS)}?{COMPRESSION}"
_ENDING = (
    rf"({_any_of((*TEXT_ENDINGS, *TEXT_TABLES))}?{COMPRESSION}|{_any_of((*ARROW_TABLES, PACKED))})"
)
_LOOSE_PART = re.compile(rf"s0*([1-9][0-9]*){_ENDING}", re.IGNORECASE)
_COMPOSE = "compose the folds of these parts first: rankwise data split {} FOLDS"
_FOLD_FOLDER = re.compile(r"fold[-_ ]?0*([1-9][0-9]*)", re.IGNORECASE)


@dataclass(frozen=True)
class FoldFiles:
    """Where the parts of a fold stand; `validation` is None where there is no such file.

    `relations` are the files and folders with relations between the documents of all parts.
    """

    number: int
    train: Path
    validation: Path | None
    test: Path
    relations: tuple[Path, ...] = ()


def read_folds(directory: str | Path) -> list[Fold]:
    """All folds below `directory`, all parts as wide as the widest.

    They are all in memory at once; `find_folds` and `read_fold` go through large ones one by one,
    and read relations as well.
    """
    folds = [read_fold(replace(files, relations=())) for files in find_folds(directory)]
    return [_widened(fold, max(fold.train.n_features for fold in folds)) for fold in folds]


def read_fold(files: FoldFiles) -> Fold:
    """The parts of one fold, all as wide as the widest: sparse files leave last features out."""
    paths = [files.train, files.test, *([files.validation] if files.validation else [])]
    parts = [read(path, relations=files.relations) for path in paths]
    train, test, *validation = equally_wide(parts)
    return Fold(files.number, train, validation[0] if validation else None, test)


def find_folds(directory: str | Path) -> list[FoldFiles]:
    """The files of the folds below `directory`, by number.

    Fold folders are named `Fold1`, also in other cases or with a blank or hyphen. The parts are
    `train`, `vali` and `test`, or `trainingset`, `validationset` and `testset`, or other common
    forms of these words, with an ending of LETOR text, of a table or of packed data in any
    case, or with none; text may be compressed. A directory that has no
    fold folders but the parts themselves is fold 1. Relations are what stands in a folder
    `Relations` in the directory or beside it.
    """
    folder = Path(locate(directory))
    numbered = _fold_folders(folder)
    if not numbered and _candidates(folder, "train"):
        numbered = {1: folder}
    if numbered:
        # It brings zipfile along, which a single file does not wait for.
        from rankwise.data.formats.relation_files import find_relation_files

        related = find_relation_files(folder)
        found = [_files(number, numbered[number]) for number in sorted(numbered)]
        return [replace(files, relations=related) for files in found]
    below = _list_homes_below(folder)
    if below:
        raise RankwiseError(
            f"{folder} must hold folds, found them one folder down; name one of "
            + ", ".join(map(str, below))
        )
    advice = [Advice(_COMPOSE.format(folder))] if find_parts(folder) else []
    raise RankwiseError(
        f"{folder} must hold the folders Fold1, Fold2, … or the files train.txt, vali.txt and "
        f"test.txt, found {_shown(folder)}",
        *advice,
    )


def read_parts(directory: str | Path) -> list[Dataset]:
    """The parts S1, S2, … of a folder, all as wide as the widest, for `compose_folds`."""
    found = find_parts(directory)
    if not found:
        folder = Path(locate(directory))
        raise RankwiseError(
            f"{folder} must hold the parts S1.txt, S2.txt, …, found {_shown(folder)}"
        )
    return equally_wide([read(path) for path in found])


def find_parts(directory: str | Path) -> list[Path]:
    """The files S1, S2, … of a folder in their order; none where it is none, or holds no such."""
    folder = Path(locate(directory))
    found: dict[int, Path] = {}
    for path in _entries(folder) if is_folder(folder) else []:
        match = _LOOSE_PART.fullmatch(path.name)
        if match and is_file(path):
            if int(match[1]) in found:
                raise RankwiseError(
                    f"{folder} must hold one file for the part S{match[1]}, found "
                    f"{found[int(match[1])].name} and {path.name}"
                )
            found[int(match[1])] = path
    missing = [number for number in range(1, len(found) + 1) if number not in found]
    if missing:
        raise RankwiseError(
            f"{folder} must hold the parts S1 to S{max(found)}, found no S{missing[0]}"
        )
    return [found[number] for number in sorted(found)]


def list_fold_homes(directory: str | Path) -> list[Path]:
    """The folder itself where it holds folds, else those below it that do, such as versions."""
    folder = Path(locate(directory))
    below = [] if _holds_folds(folder) else _list_homes_below(folder)
    return below or [folder]


def _list_homes_below(folder: Path) -> list[Path]:
    return [path for path in _entries(folder) if is_folder(path) and _holds_folds(path)]


def _holds_folds(folder: Path) -> bool:
    return bool(_fold_folders(folder) or _candidates(folder, "train"))


def fold_number(name: str) -> int | None:
    """The number of the fold that a folder of this name holds; None for another folder."""
    match = _FOLD_FOLDER.fullmatch(name)
    return int(match[1]) if match else None


def _fold_folders(folder: Path) -> dict[int, Path]:
    found: dict[int, Path] = {}
    for path in _entries(folder):
        number = fold_number(path.name)
        if number is not None and is_folder(path):
            if number in found:
                raise RankwiseError(
                    f"fold {number} must have one folder in {folder}, found {found[number].name} "
                    f"and {path.name}"
                )
            found[number] = path
    return found


def _files(number: int, folder: Path) -> FoldFiles:
    return FoldFiles(
        number,
        _required(folder, "train"),
        _only(folder, "validation"),
        _required(folder, "test"),
    )


def _required(folder: Path, part: str) -> Path:
    path = _only(folder, part)
    if path is None:
        raise RankwiseError(
            f"{folder} must hold a file {_USUAL_NAMES[part]}, compressed or not, "
            f"found {_shown(folder)}"
        )
    return path


def _only(folder: Path, part: str) -> Path | None:
    found = _candidates(folder, part)
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise RankwiseError(f"{folder} must hold one file for the {part} part, found {names}")
    return found[0] if found else None


def _candidates(folder: Path, part: str) -> list[Path]:
    pattern = re.compile(PART_NAMES[part] + _ENDING, re.IGNORECASE)
    return [path for path in _entries(folder) if pattern.fullmatch(path.name) and is_file(path)]


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except NotADirectoryError as error:
        raise RankwiseError(
            f"cannot read folds from {folder}: it is a file, a directory was expected"
        ) from error
    except (OSError, ValueError) as error:
        raise RankwiseError(reading_failure(folder, error)) from error


def _shown(folder: Path) -> str:
    names = [path.name for path in _entries(folder)]
    if not names:
        return "nothing"
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _widened(fold: Fold, n_features: int) -> Fold:
    validation = None if fold.validation is None else fold.validation.widened(n_features)
    train, test = fold.train.widened(n_features), fold.test.widened(n_features)
    return Fold(fold.number, train, validation, test)
