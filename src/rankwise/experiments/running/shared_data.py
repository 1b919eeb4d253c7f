"""Folds that processes share: parsed once into array files, which all of them map into memory.

Mapped pages are the same memory for every process of a machine, so that a second worker costs what
it computes, not another copy of the data.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.document_relations import Relation
from rankwise.data.folds import Fold, FoldFiles, read_fold
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from rankwise.experiments.digests import compute_fold_checksums, digest_data_code
from rankwise.files import exclusively, make_folder

_PATIENCE_SECONDS = 24 * 3600.0
_TEXTS = ("query_ids", "document_ids", "query_classes")
_NUMBERS = ("features", "labels", "query_offsets")
_OPTIONAL = ("weights", "query_features")
_OF_RELATION = ("offsets", "places", "weights")


class SharingFailure(RankwiseError):
    """Data cannot be shared as they must be: no fault of a method, the run cannot go on."""


def read_checked_fold(files: FoldFiles, checksums: Mapping[str, str]) -> Fold:
    """The fold as the plan knows it; data that have changed since would get the wrong key."""
    fold = read_fold(files)
    refuse_changed(files, checksums)
    return fold


def refuse_changed(files: FoldFiles, checksums: Mapping[str, str]) -> None:
    """Raise where files are no longer those of the plan; called when they have been read."""
    if compute_fold_checksums(files) != dict(checksums):
        raise SharingFailure(
            f"the data of a plan must stay as they are while it runs, but files of fold "
            f"{files.number} have changed ({files.test.parent}); run the same command again, "
            "which takes them as they are now"
        )


def open_shared_fold(files: FoldFiles, checksums: Mapping[str, str], folder: Path) -> Fold:
    """The fold, mapped from the array files in `folder`, which the first who asks makes.

    The two folds used last stay open, so that tasks that follow each other do not open them again.
    """
    return _open_fold(files, tuple(sorted(checksums.items())), folder)


@lru_cache(maxsize=2)
def _open_fold(files: FoldFiles, checksums: tuple[tuple[str, str], ...], folder: Path) -> Fold:
    # Arrays that other code has parsed, before an interruption, are not taken for these.
    home = folder / sha256(f"{digest_data_code()} {checksums}".encode()).hexdigest()[:32]
    if not home.is_dir():
        with _lock_place(home):
            if not home.is_dir():
                _write_arrays(read_checked_fold(files, dict(checksums)), home)
    return Fold(
        files.number,
        _map_part(home, "train"),
        None if files.validation is None else _map_part(home, "validation"),
        _map_part(home, "test"),
    )


@contextlib.contextmanager
def _lock_place(home: Path) -> Iterator[None]:
    """Hold the lock under which `home` is made; the second who asks waits and finds it made."""
    with contextlib.ExitStack() as held:
        try:
            lock = make_folder(home.parent) / f"{home.name}-making"
            busy = f"{home} is still being made"
            held.enter_context(exclusively(lock, busy, _PATIENCE_SECONDS))
        except RankwiseError as error:
            raise SharingFailure(str(error)) from error
        yield


def _write_arrays(fold: Fold, home: Path) -> None:
    """Write all arrays under another name that becomes `home` when they are complete."""
    try:
        temporary = Path(tempfile.mkdtemp(prefix=".making-", dir=home.parent))
        try:
            for part, dataset in fold.parts():
                for name, array in _list_arrays(dataset):
                    np.save(temporary / f"{part}.{name}.npy", array)
            temporary.rename(home)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        # numpy reports a short write, which is how a full disk shows, without its cause.
        cause = error.strerror or "the disk is full"
        raise SharingFailure(
            f"cannot write the shared arrays of a fold into {home.parent}: {cause}; what was "
            "stored before is kept: make room and run this again"
        ) from error


def _list_arrays(dataset: Dataset) -> Iterator[tuple[str, NDArray[np.generic]]]:
    for name in _NUMBERS:
        yield name, getattr(dataset, name)
    for name in _TEXTS:
        column = getattr(dataset, name)
        if column is not None:
            packed = column.packed()
            yield f"{name}.data", packed.data
            yield f"{name}.ends", packed.ends
    for name in _OPTIONAL:
        array = getattr(dataset, name)
        if array is not None:
            yield name, array
    for number, relation in enumerate(dataset.relations):
        yield f"relation{number}.name", np.frombuffer(relation.name.encode(), np.uint8)
        for name in _OF_RELATION:
            yield f"relation{number}.{name}", getattr(relation, name)


def _map_part(home: Path, part: str) -> Dataset:
    arrays: dict[str, Any] = {name: _map_array(home, f"{part}.{name}") for name in _NUMBERS}
    for name in _TEXTS:
        if (home / f"{part}.{name}.ends.npy").exists():
            arrays[name] = _map_column(home, f"{part}.{name}")
    for name in _OPTIONAL:
        if (home / f"{part}.{name}.npy").exists():
            arrays[name] = _map_array(home, f"{part}.{name}")
    return Dataset(**arrays, relations=tuple(_map_relations(home, part)))


def _map_relations(home: Path, part: str) -> Iterator[Relation]:
    for number in itertools.count():
        start = f"{part}.relation{number}"
        if not (home / f"{start}.name.npy").exists():
            return
        name = _map_array(home, f"{start}.name").tobytes().decode()
        yield Relation(name, *(_map_array(home, f"{start}.{field}") for field in _OF_RELATION))


def _map_column(home: Path, name: str) -> TextColumn:
    ends = np.array(_map_array(home, f"{name}.ends"))
    return TextColumn(
        _map_array(home, f"{name}.data"), np.append(0, ends)[:-1].astype(np.int64), ends
    )


def _map_array(home: Path, name: str) -> NDArray[Any]:
    path = home / f"{name}.npy"
    # An empty array has no pages to map.
    mapped = np.load(path, mmap_mode="r") if path.stat().st_size > 128 else np.load(path)
    return np.asarray(mapped)
