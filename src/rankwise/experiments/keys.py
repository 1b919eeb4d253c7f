"""Keys of tasks: sums over everything that a task's figures depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rankwise import __version__
from rankwise.data.folds import FoldFiles
from rankwise.files import readable

_CODE = ("data", "measures", "rankers")
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


@lru_cache(maxsize=1)
def code_sum() -> str:
    """The version, and a sum over the code that reads data, trains and evaluates.

    Figures of other code are never taken for figures of this one, released or not.
    """
    total = hashlib.sha256(__version__.encode())
    root = Path(str(files("rankwise")))
    sources = [root / "evaluation.py", *(p for room in _CODE for p in (root / room).rglob("*.py"))]
    for path in sorted(sources):
        total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{__version__}+{total.hexdigest()[:16]}"
