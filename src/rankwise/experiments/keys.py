"""Keys of tasks: digests of everything that a task's figures depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache, reduce
from importlib.metadata import (
    PackageNotFoundError,
    distribution,
    packages_distributions,
    version,
)
from importlib.resources import files
from importlib.util import find_spec
from operator import or_
from pathlib import Path
from typing import Any

from rankwise import __version__
from rankwise.data.catalog.checksums import compute_checksum
from rankwise.data.folds import FoldFiles
from rankwise.experiments.method_code import code_of, code_of_measure, with_included
from rankwise.files import readable
from rankwise.results.store.schema import dump_canonical

RELATION = "relation "
"""What begins the name of a relation among the checksums of a fold."""
_ROOMS = ("data", "evaluation", "measures", "native")
_FILES = (
    "experiments/task_run.py",
    "experiments/transfer.py",
    "experiments/tuning.py",
)
_SOURCES = ("*.c", "*.h")
_LIBRARIES = ("numpy",)


def make_task_key(inputs: Mapping[str, Any]) -> str:
    """The SHA-256 of a task's inputs as canonical JSON."""
    return hashlib.sha256(dump_canonical(inputs).encode()).hexdigest()


def compute_fold_checksums(fold: FoldFiles) -> dict[str, str]:
    """The checksum of each file of a fold, by part, and of its relations, by name."""
    parts = {"train": fold.train, "validation": fold.validation, "test": fold.test}
    found = {part: compute_file_checksum(path) for part, path in parts.items() if path is not None}
    related = {f"{RELATION}{path.name}": _compute_relation(path) for path in fold.relations}
    return {**found, **related}


def _compute_relation(path: Path) -> str:
    """Of a folder that of the names and checksums of its files."""
    if not path.is_dir():
        return compute_file_checksum(path)
    total = hashlib.sha256()
    for file in sorted(path.iterdir()):
        total.update(f"{file.name} {compute_file_checksum(file)}\0".encode())
    return total.hexdigest()


def compute_file_checksum(path: Path) -> str:
    """The SHA-256 of a file's bytes; read again only when its size or time has changed."""
    with readable(path):
        status = path.stat()
    return _compute_file_checksum(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=4096)
def _compute_file_checksum(path: Path, size: int, changed: int) -> str:
    return compute_checksum(path)


@lru_cache(maxsize=1024)
def digest_code(
    ranker: str, own_measures: tuple[str, ...] = (), wrapped: tuple[str, ...] = ()
) -> str:
    """The version, and a digest of the code on which a ranker's figures depend.

    That is all code that reads data, tunes and evaluates, in Python as in C, the files of the
    ranker and of what it inherits from, what these import from the rankers' shared parts or from
    anybody's own modules, the C that these call, and the versions of the libraries they use.
    Figures of other code are never taken for figures of this one, and a change to one ranker leaves
    the others' alone. Measures of somebody's own, `module:name`, count with their modules in the
    same way, and so do the rankers that are `wrapped`.
    """
    methods = [code_of(name) for name in (ranker, *wrapped)]
    found = reduce(or_, [*methods, *map(code_of_measure, own_measures)])
    own = {name: path.read_bytes() for name, path in found.files.items()}
    total = hashlib.sha256(__version__.encode())
    for name, content in sorted({**own, **_shared_contents()}.items()):
        total.update(name.encode() + b"\0" + content)
    for library in sorted({*_LIBRARIES, *found.libraries}):
        total.update(f"{library} {_library_version(library)}\0".encode())
    for home in sorted(found.homes):
        total.update(f"{home} {_installed_files(home)}\0".encode())
    return f"{__version__}+{total.hexdigest()[:16]}"


@lru_cache(maxsize=1)
def digest_data_code() -> str:
    """A digest of the code that reads data, in Python and in C."""
    total = hashlib.sha256()
    root = Path(str(files("rankwise"))).resolve()
    for path in sorted([*_list_code(root / "data"), *_compiled_sources(root, ("data", "native"))]):
        total.update(path.read_bytes())
    return total.hexdigest()


@lru_cache(maxsize=1)
def _shared_contents() -> dict[str, bytes]:
    """The files that every ranker's figures depend on: read once for all rankers of a plan."""
    root = Path(str(files("rankwise"))).resolve()
    rooms = [path for room in _ROOMS for path in _list_code(root / room)]
    found = (*rooms, *map(root.joinpath, _FILES), *_compiled_sources(root, _ROOMS))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def _list_code(room: Path) -> list[Path]:
    """The Python files of a room; a room that moved must not leave every key without a word."""
    found = [*room.rglob("*.py")]
    if not found:
        raise FileNotFoundError(f"{room} must hold code that figures depend on; is it renamed?")
    return found


def _compiled_sources(root: Path, rooms: Iterable[str]) -> set[Path]:
    """The C of these rooms and what it includes: the same everywhere, as its binaries are not."""
    own = [path for room in rooms for ending in _SOURCES for path in (root / room).rglob(ending)]
    return with_included(own, root)


@lru_cache(maxsize=64)
def _library_version(name: str) -> str:
    """Of the distribution of that name, else of those that the module comes with."""
    try:
        return version(name)
    except PackageNotFoundError:
        # All installed files are looked through for it: not for an extra that is not there.
        found = sorted(set(_distributions().get(name, ()))) if _is_there(name) else []
        return " ".join(f"{one} {version(one)}" for one in found) or "none"


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ValueError:  # Of a module that was made in this process, not found.
        return True


@lru_cache(maxsize=64)
def _installed_files(name: str) -> str:
    """A digest of the Python files of a package as its installation recorded them."""
    total = hashlib.sha256()
    for one in sorted(set(_distributions().get(name, ()))):
        for file in distribution(one).files or ():
            if file.suffix == ".py" and file.hash is not None:
                total.update(f"{file} {file.hash.value}\0".encode())
    return total.hexdigest()


@lru_cache(maxsize=1)
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()
