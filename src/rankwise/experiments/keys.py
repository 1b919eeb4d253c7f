"""Keys of tasks: sums over everything that a task's figures depend on."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rankwise import __version__
from rankwise.data.folds import FoldFiles
from rankwise.experiments.methods import find_method
from rankwise.files import readable

_CODE = ("data", "measures")
_CHUNK = 1 << 20


def task_key(inputs: Mapping[str, Any]) -> str:
    """The SHA-256 of a task's inputs as canonical JSON."""
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def fold_sums(fold: FoldFiles) -> dict[str, str]:
    """The sum of each file of a fold, by part."""
    parts = {"train": fold.train, "validation": fold.validation, "test": fold.test}
    return {part: file_sum(path) for part, path in parts.items() if path is not None}


def file_sum(path: Path) -> str:
    """The SHA-256 of a file's bytes; read again only when its size or time has changed."""
    with readable(path):
        status = path.stat()
    return _file_sum(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=4096)
def _file_sum(path: Path, size: int, changed: int) -> str:
    total = hashlib.sha256()
    with readable(path) as stream:
        while chunk := stream.read(_CHUNK):
            total.update(chunk)
    return total.hexdigest()


@lru_cache(maxsize=1024)
def code_sum(ranker: str) -> str:
    """The version, and a sum over the code on which a ranker's figures depend.

    That is all code that reads data and evaluates, the ranker's own file and what it imports from
    other rankers' machinery; figures of other code are never taken for figures of this one, and a
    change to one ranker leaves the others' figures alone.
    """
    root = Path(str(files("rankwise")))
    shared = {path for room in _CODE for path in (root / room).rglob("*.py")}
    own = _imported(Path(inspect.getfile(find_method(ranker))), root)
    total = hashlib.sha256(__version__.encode())
    for path in sorted({root / "evaluation.py", *shared, *own}):
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        total.update(name.encode() + b"\0" + path.read_bytes())
    return f"{__version__}+{total.hexdigest()[:16]}"


def _imported(first: Path, root: Path) -> set[Path]:
    """`first` and every file below `rankwise.rankers` that it needs, directly or not."""
    found: set[Path] = set()
    waiting = [first]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imports(path, root)
    return found


@lru_cache(maxsize=1024)
def _imports(path: Path, root: Path) -> tuple[Path, ...]:
    names = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    inside = [name.split(".")[1:] for name in names if name.startswith("rankwise.rankers.")]
    places = [root.joinpath(*parts).with_suffix(".py") for parts in inside]
    return tuple(place for place in places if place.is_file())
