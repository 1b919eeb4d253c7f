"""A build claims its folder, marks it, and puts new things there whole; one build at a time.

What it puts there of features are LETOR's three versions of a data set, each in a folder of its
own: Feature-null, Feature-min, QueryLevelNorm.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.folds import split_folds, write_folds
from rankwise.data.formats.letor_writer import NumberStyle, fixed
from rankwise.data.normalization.scales import FillRule, fill_null, query_level_norm
from rankwise.data.queries import keep_column
from rankwise.data.reading import write
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from rankwise.files import exclusively, is_folder, is_unfinished, make_folder, readable, write_text

MARK = "build.txt"
MARK_TEXT = "A folder of rankwise build; data-card.json says what is in it.\n"
FEATURES_MARK_TEXT = f"{MARK_TEXT}Its features come from metadata; no build goes on in it.\n"
WORK = ".building"
_LOCK = ".build-lock"


def is_mark(path: Path) -> bool:
    """Whether a file is the mark of a build, and not another file of the same name."""
    return path.name == MARK and _describe_beginning(path).startswith(MARK_TEXT)


def prepare_folder(directory: str | Path) -> Path:
    """The folder of a build: new, empty, or one that a build has been in before."""
    home = make_folder(directory)
    names = list_names(home)
    # What a build leaves that is killed while it writes its mark; writing the mark removes it.
    others = {name for name in names if not is_unfinished(name, MARK)}
    if others and not (MARK in others and _describe_beginning(home / MARK) == MARK_TEXT):
        raise RankwiseError(
            f"cannot build in {home}: it holds other files; name a new or empty folder"
        )
    write_text(home / MARK, MARK_TEXT)
    return home


@contextlib.contextmanager
def open_build_folder(directory: str | Path) -> Iterator[Path]:
    """The prepared folder of a build, which no other build may work in at the same time."""
    home = prepare_folder(directory)
    with lock_folder(home):
        yield home


@contextlib.contextmanager
def lock_folder(home: Path) -> Iterator[None]:
    """Keep other builds out of a folder."""
    busy = f"another build is at work in {home}; wait for it to end, or name another folder"
    with exclusively(home / _LOCK, busy, what=home):
        yield


def list_names(home: Path) -> set[str]:
    """What a folder holds besides its lock, beside which SQLite puts a journal."""
    return {path.name for path in home.iterdir() if not path.name.startswith(_LOCK)}


@contextlib.contextmanager
def make_workshop(home: Path) -> Iterator[Path]:
    """An empty folder beside the place of what is made in it; it does not stay."""
    work = home / WORK
    shutil.rmtree(work, ignore_errors=True)
    try:
        yield make_folder(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def put_in_place(work: Path, home: Path, last: str) -> None:
    """Move what was made to where it belongs; what stood there before goes.

    The file `last` goes first and comes last: where it is, everything is.
    """
    (home / last).unlink(missing_ok=True)
    shutil.rmtree(home / "Relations", ignore_errors=True)
    for path in sorted(work.iterdir(), key=lambda path: path.name == last):
        target = home / path.name
        if is_folder(target):
            shutil.rmtree(target)
        path.replace(target)


def _describe_beginning(mark: Path) -> str:
    with readable(mark) as stream:
        return stream.read(len(FEATURES_MARK_TEXT)).decode("utf-8", "replace")


VERSION_FOLDERS = ("Feature-null", "Feature-min", "QueryLevelNorm")
_DECIMALS = 6


@dataclass(frozen=True, eq=False)
class Versions:
    """The same rows with NULL, with NULL filled, and scaled to 0…1 within each query."""

    null: Dataset
    minimum: Dataset
    query_level_norm: Dataset


def make_versions(
    dataset: Dataset,
    fill_rule: FillRule | str = "minimum",
    classes: Mapping[str, str] | None = None,
    *,
    class_feature: bool = False,
) -> Versions:
    """All versions of features with NULL, each made from the one before as it is printed.

    LETOR computed QueryLevelNorm from the six decimals of Feature_MIN, not from full precision.
    `classes` are those of queries by their ids. With `class_feature` the last feature numbers them,
    which is then the same in all versions.
    """
    if classes is not None:
        names = TextColumn.from_texts(classes.get(query_id, "") for query_id in dataset.query_ids)
        dataset = replace(dataset, query_classes=names)
    null = round_as_printed(dataset)
    minimum = fill_null(null, fill_rule)
    norm = query_level_norm(minimum)
    if class_feature:
        norm = keep_column(norm, minimum, dataset.n_features - 1)
    return Versions(null, minimum, norm)


def round_as_printed(dataset: Dataset) -> Dataset:
    """The values that are read back from a file with six decimals, as LETOR's are rounded."""
    flat = dataset.features.ravel()
    printed = fixed(flat, _DECIMALS)
    # Numbers past 2^53 millionths have no digits to lose.
    values = np.where(printed.places == _DECIMALS, printed.digits / 10.0**_DECIMALS, flat)
    return dataset.with_features(values.reshape(dataset.features.shape))


def write_versions(
    versions: Versions, directory: str | Path, name: str, *, seed: int | None = None
) -> list[Path]:
    """Write the versions as LETOR 3.0 lays them out; the folder must be new or empty.

    `Feature-null/ALL/NAME.txt`, `Feature-min/ALL/NAME.txt`, and in each of `Feature-null`,
    `Feature-min` and `QueryLevelNorm` five folds, under the file names that LETOR has there.
    `seed` draws the queries of the parts at random; None cuts them into runs, as LETOR did.
    """
    null, minimum, norm = VERSION_FOLDERS
    layout: tuple[tuple[str, Dataset, str, NumberStyle], ...] = (
        (null, versions.null, "letor3", "fixed6"),
        (minimum, versions.minimum, "letor3", "fixed6"),
        (norm, versions.query_level_norm, "letor4", "letor3-normalized"),
    )
    # Too few queries for five parts are refused before a folder is made.
    folds = [split_folds(dataset, seed=seed) for _, dataset, _, _ in layout]
    home = make_folder(directory)
    if any(home.iterdir()):
        raise RankwiseError(f"cannot write a data set to {home}: it is not an empty folder")
    for (folder, dataset, naming, numbers), parts in zip(layout, folds, strict=True):
        write_folds(parts, home / folder, naming=naming, numbers=numbers)
        if folder != norm:
            write(dataset, make_folder(home / folder / "ALL") / f"{name}.txt", numbers=numbers)
    return sorted(path for path in home.rglob("*") if path.is_file())
