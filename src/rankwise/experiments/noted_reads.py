"""Files that a ranker of somebody's own reads in training: the key of a task may not cover them.

Python tells of every file that it opens (`sys.addaudithook`). What code in C opens by itself is not
seen, nor what was read before training began.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

_OPENED: list[set[Path]] = []
_CODE = {".py", ".pyc", ".pyd", ".so", ".dll", ".dylib"}
_SYSTEM = ("/dev", "/etc", "/proc", "/sys", "/usr/share")


@contextmanager
def noting_reads() -> Iterator[set[Path]]:
    """The files that are opened for reading while this holds."""
    _install()
    found: set[Path] = set()
    _OPENED.append(found)
    try:
        yield found
    finally:
        _OPENED.remove(found)


def describe_uncovered(opened: Collection[Path], covered: Collection[Path]) -> list[str]:
    """A remark on files that are no code and no part of an installation, nor among the covered."""
    known = {path.resolve() for path in covered}
    names = sorted(str(path) for path in opened if _is_data(path) and path.resolve() not in known)
    if not names:
        return []
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return [
        f"training read {', '.join(names[:3])}{more}: what is kept of it stays when that changes; "
        "name it in `reads` of the ranker"
    ]


def _is_data(path: Path) -> bool:
    if path.suffix in _CODE or any(part.startswith(".") for part in path.parts):
        return False
    places = [*_SYSTEM, *sysconfig.get_paths().values(), sys.prefix, sys.base_prefix]
    return path.is_file() and not any(path.is_relative_to(place) for place in places)


@lru_cache(maxsize=1)
def _install() -> None:
    """Once in a process: a hook cannot be removed."""
    sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not _OPENED:
        return
    path, mode = arguments[0], arguments[1]
    # Files that are opened by number were opened by name before.
    if isinstance(path, str) and (mode is None or not set(str(mode)) & set("wax+")):
        for found in _OPENED:
            found.add(Path(path).absolute())
