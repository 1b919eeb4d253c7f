"""Folds: cut a data set into parts, compose LETOR's folds from them, read, write and check them.

A data set is cut into the parts S1, S2, …, from which folds are composed as LETOR composes them.
Read are `Fold1 … Fold5`, or one folder that holds the parts of a single split. Written are all
folds as LETOR lays them out, or nothing; and a file, or every part of the folds of a folder, is
written anew under the same names.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from rankwise.arguments import check_choice, check_seed
from rankwise.data.catalog.home import locate
from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_writer import NumberStyle
from rankwise.data.formats.packed import PACKED
from rankwise.data.joining import concatenate, equally_wide
from rankwise.data.reading import read, write
from rankwise.data.table_columns import ARROW_TABLES, COMPRESSED_ENDINGS, TEXT_ENDINGS, TEXT_TABLES
from rankwise.errors import Advice, RankwiseError
from rankwise.files import (
    is_file,
    is_folder,
    is_there,
    make_folder,
    reading_failure,
    refuse_name,
    resolve,
    unfinished_folder,
    writing_failure,
)
from rankwise.sanitize import list_some

FEWEST_PARTS = 3

Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class Fold:
    """One trial of a cross validation: learn on `train`, tune on `validation`, judge on `test`.

    `validation` is None where the source has no such part.
    """

    number: int
    train: Dataset
    validation: Dataset | None
    test: Dataset

    def parts(self) -> Iterator[tuple[str, Dataset]]:
        """The parts that are there, each with its name."""
        for name in ("train", "validation", "test"):
            part = getattr(self, name)
            if part is not None:
                yield name, part


def compose_folds(parts: Sequence[Dataset]) -> list[Fold]:
    """One fold for each part; see `compose_fold`, which makes them one at a time."""
    return [compose_fold(parts, number) for number in range(1, len(parts) + 1)]


def compose_fold(parts: Sequence[Dataset], number: int) -> Fold:
    """Fold `number` (from 1) of the parts S1, S2, …, Sk, which follow each other in a ring.

    Beginning with S_number, the first k − 2 parts are joined for training, in this order; the
    next one is for validation and the last for test. With five parts this is Table 4 of Qin, Liu,
    Xu and Li (2010): fold 1 learns on S1, S2, S3, is validated on S4 and tested on S5.
    """
    train, (validation,), (test,) = order_parts(parts, number)
    return Fold(number, concatenate(train), validation, test)


def order_parts(parts: Sequence[Part], number: int) -> tuple[list[Part], list[Part], list[Part]]:
    """The parts for training, validation and test of fold `number`, as `compose_fold` says."""
    if len(parts) < FEWEST_PARTS:
        raise RankwiseError(
            f"a fold needs parts for training, validation and test: at least {FEWEST_PARTS} parts, "
            f"found {len(parts)}"
        )
    if not 1 <= number <= len(parts):
        raise RankwiseError(f"{len(parts)} parts make the folds 1 to {len(parts)}, found {number}")
    ring = [parts[(number - 1 + step) % len(parts)] for step in range(len(parts))]
    return ring[:-2], ring[-2:-1], ring[-1:]


def split_folds(
    dataset: Dataset,
    n_parts: int = 5,
    *,
    seed: int | None = 0,
    sizes: Sequence[int] | None = None,
) -> Iterator[Fold]:
    """The folds of a data set, one at a time so that only one is in memory.

    The arguments are those of `cut_into_parts`; `compose_fold` says which parts a fold is made of.
    """
    parts = cut_into_parts(dataset, n_parts, seed=seed, sizes=sizes)
    return (compose_fold(parts, number) for number in range(1, len(parts) + 1))


def cut_into_parts(
    dataset: Dataset,
    n_parts: int = 5,
    *,
    seed: int | None = 0,
    sizes: Sequence[int] | None = None,
) -> list[Dataset]:
    """Parts with about equal numbers of queries; a query is never divided.

    Args:
        dataset: what to cut.
        n_parts: how many parts; LETOR has five.
        seed: queries are drawn at random from this seed and stand in each part in the order of
            the data set; None cuts the data set into runs of queries, as LETOR's parts are.
        sizes: the number of queries of each part, where `even_sizes` is not wanted. LETOR was
            not of one mind: OHSUMED's 106 queries are cut into 21, 21, 21, 21, 22, as is done
            here, but MQ2008's 784 into 157, 157, 157, 157, 156.
    """
    chosen = even_sizes(dataset.n_queries, n_parts) if sizes is None else list(sizes)
    _check_sizes(chosen, dataset.n_queries)
    numbers = np.arange(dataset.n_queries, dtype=np.int64)
    if seed is not None:
        numbers = np.random.default_rng(check_seed(seed)).permutation(numbers)
    cuts = np.cumsum(chosen)[:-1]
    return [dataset.select_queries(np.sort(part)) for part in np.split(numbers, cuts)]


def even_sizes(n_queries: int, n_parts: int) -> list[int]:
    """Sizes that differ by at most one query, the larger ones last."""
    if n_parts < 1:
        raise RankwiseError(f"the number of parts must be at least 1, found {n_parts}")
    size, remainder = divmod(n_queries, n_parts)
    return [size + (part >= n_parts - remainder) for part in range(n_parts)]


def _check_sizes(sizes: Sequence[int], n_queries: int) -> None:
    if min(sizes, default=0) < 1:
        raise RankwiseError(
            f"every part needs at least one query: {n_queries} queries cannot be cut into "
            f"{len(sizes)} parts of {', '.join(map(str, sizes))} queries"
        )
    if sum(sizes) != n_queries:
        raise RankwiseError(
            f"the sizes of the parts must add up to the {n_queries} queries of the data set, "
            f"found {' + '.join(map(str, sizes))} = {sum(sizes)}"
        )


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
    return [
        _make_equally_wide(fold, max(fold.train.n_features for fold in folds)) for fold in folds
    ]


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
    if not numbered and _find_part_candidates(folder, "train"):
        numbered = {1: folder}
    if numbered:
        # It brings zipfile along, which a single file does not wait for.
        from rankwise.data.document_relations import find_relation_files

        related = find_relation_files(folder)
        found = [_find_fold_files(number, numbered[number]) for number in sorted(numbered)]
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
        f"test.txt, found {_list_names(folder)}",
        *advice,
    )


def read_parts(directory: str | Path) -> list[Dataset]:
    """The parts S1, S2, … of a folder, all as wide as the widest, for `compose_folds`."""
    found = find_parts(directory)
    if not found:
        folder = Path(locate(directory))
        raise RankwiseError(
            f"{folder} must hold the parts S1.txt, S2.txt, …, found {_list_names(folder)}"
        )
    return equally_wide([read(path) for path in found])


def find_parts(directory: str | Path) -> list[Path]:
    """The files S1, S2, … of a folder in their order; none where it is none, or holds no such."""
    folder = Path(locate(directory))
    found: dict[int, Path] = {}
    for path in _list_folder(folder) if is_folder(folder) else []:
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
    return [path for path in _list_folder(folder) if is_folder(path) and _holds_folds(path)]


def _holds_folds(folder: Path) -> bool:
    return bool(_fold_folders(folder) or _find_part_candidates(folder, "train"))


def fold_number(name: str) -> int | None:
    """The number of the fold that a folder of this name holds; None for another folder."""
    match = _FOLD_FOLDER.fullmatch(name)
    return int(match[1]) if match else None


def _fold_folders(folder: Path) -> dict[int, Path]:
    found: dict[int, Path] = {}
    for path in _list_folder(folder):
        number = fold_number(path.name)
        if number is not None and is_folder(path):
            if number in found:
                raise RankwiseError(
                    f"fold {number} must have one folder in {folder}, found {found[number].name} "
                    f"and {path.name}"
                )
            found[number] = path
    return found


def _find_fold_files(number: int, folder: Path) -> FoldFiles:
    return FoldFiles(
        number,
        _require_part(folder, "train"),
        _find_only_part(folder, "validation"),
        _require_part(folder, "test"),
    )


def _require_part(folder: Path, part: str) -> Path:
    path = _find_only_part(folder, part)
    if path is None:
        raise RankwiseError(
            f"{folder} must hold a file {_USUAL_NAMES[part]}, compressed or not, "
            f"found {_list_names(folder)}"
        )
    return path


def _find_only_part(folder: Path, part: str) -> Path | None:
    found = _find_part_candidates(folder, part)
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise RankwiseError(f"{folder} must hold one file for the {part} part, found {names}")
    return found[0] if found else None


def _find_part_candidates(folder: Path, part: str) -> list[Path]:
    pattern = re.compile(PART_NAMES[part] + _ENDING, re.IGNORECASE)
    return [path for path in _list_folder(folder) if pattern.fullmatch(path.name) and is_file(path)]


def _list_folder(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except NotADirectoryError as error:
        raise RankwiseError(
            f"cannot read folds from {folder}: it is a file, a directory was expected"
        ) from error
    except (OSError, ValueError) as error:
        raise RankwiseError(reading_failure(folder, error)) from error


def _list_names(folder: Path) -> str:
    names = [path.name for path in _list_folder(folder)]
    if not names:
        return "nothing"
    return list_some(names, 6)


def _make_equally_wide(fold: Fold, n_features: int) -> Fold:
    validation = None if fold.validation is None else fold.validation.widened(n_features)
    train, test = fold.train.widened(n_features), fold.test.widened(n_features)
    return Fold(fold.number, train, validation, test)


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
        numbers: how values are printed, as in `rankwise.data.reading.write`.
        compression: a key of `COMPRESSIONS`.
    """
    names = NAMINGS[check_choice("the naming", naming, NAMINGS)]
    suffix = COMPRESSIONS[check_choice("the compression", compression, COMPRESSIONS)]
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
