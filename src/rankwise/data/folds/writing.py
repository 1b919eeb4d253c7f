"""Write folds as LETOR lays them out, all of them or nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from rankwise.data.folds.fold import Fold
from rankwise.data.formats.letor_writer import NumberStyle
from rankwise.data.writing import write
from rankwise.errors import RankwiseError
from rankwise.files import is_folder, is_there, make_folder, refuse_name, resolve, writing_failure
from rankwise.unfinished import unfinished_folder

Value = TypeVar("Value")

NAMINGS = {
    "letor4": {"train": "train.txt", "validation": "vali.txt", "test": "test.txt"},
    "letor3": {
        "train": "trainingset.txt",
        "validation": "validationset.txt",
        "test": "testset.txt",
    },
    "letor4-capital": {"train": "train.TXT", "validation": "vali.TXT", "test": "test.TXT"},
    "letor3-capital": {
        "train": "trainingset.TXT",
        "validation": "validationset.TXT",
        "test": "testset.TXT",
    },
    "packed": {"train": "train.rwd", "validation": "vali.rwd", "test": "test.rwd"},
}
"""File names in use: LETOR 3.0 has the long ones in Feature-null and Feature-min only.

Those of `packed` make packed data, which need not fit into memory."""

COMPRESSIONS = {"none": "", "gzip": ".gz", "bzip2": ".bz2", "zstd": ".zst"}
"""What each compression adds to a file's name."""


def write_folds(
    folds: Iterable[Fold],
    directory: str | Path,
    *,
    naming: str = "letor4",
    numbers: NumberStyle = "shortest",
    compression: str = "none",
) -> None:
    """Write `Fold1 … FoldN` into `directory`, which must be new or empty.

    The folds may come one at a time from a generator. They are written beside `directory` under a
    temporary name that becomes `directory` when all went well; otherwise nothing is left.

    Args:
        folds: the folds, each number once.
        directory: the folder to make.
        naming: a key of `NAMINGS`.
        numbers: how values are printed, as in `rankwise.data.writing.write`.
        compression: a key of `COMPRESSIONS`.
    """
    names = _choice("naming", naming, NAMINGS)
    suffix = _choice("compression", compression, COMPRESSIONS)
    if suffix and naming == "packed":
        raise RankwiseError("packed data are read where they lie and cannot be compressed")
    refuse_name(directory)
    with folder_written_whole(resolve(directory)) as folder:
        for fold in folds:
            home = folder / f"Fold{fold.number}"
            if is_there(home):
                raise RankwiseError(
                    f"each fold must be written once, found fold {fold.number} twice"
                )
            make_folder(home)
            for part, dataset in fold.parts():
                write(dataset, home / (names[part] + suffix), numbers=numbers)


def _choice(what: str, key: str, choices: Mapping[str, Value]) -> Value:
    if key not in choices:
        raise RankwiseError(f"the {what} must be one of {', '.join(choices)}, found {key!r}")
    return choices[key]


@contextlib.contextmanager
def folder_written_whole(target: Path) -> Iterator[Path]:
    """A folder that takes the place of `target` at the end, or is removed if anything fails."""
    _check_vacant(target)
    with contextlib.ExitStack() as held:
        try:
            holder = held.enter_context(unfinished_folder(target))
        except OSError as error:
            raise writing_failure(target, error) from error
        # The holder is private to its owner; a folder in it gets the usual permissions.
        yield make_folder(holder / "folds")
        _put_in_place(holder / "folds", target)


def _check_vacant(target: Path) -> None:
    try:
        if is_there(target) and (not is_folder(target) or any(target.iterdir())):
            raise RankwiseError(
                f"cannot write folds to {target}: it is not an empty folder; name a new one"
            )
    except OSError as error:
        raise writing_failure(target, error) from error


def _put_in_place(folder: Path, target: Path) -> None:
    try:
        if is_folder(target):
            target.rmdir()
        folder.rename(target)
    except OSError as error:
        raise writing_failure(target, error) from error
