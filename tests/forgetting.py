"""Modules that tests wrote, and what a process remembers of them: for it, code never changes."""

from __future__ import annotations

import sys
from pathlib import Path

# It remembers a module by its name: its file, its digest.
_REMEMBERING = "rankwise.experiments.digests"


def forget_modules_below(folder: Path) -> None:
    """As in a new process, which has imported nothing that stands in the folder."""
    places = tuple({str(folder), str(folder.resolve())})
    imported = [name for name, module in list(sys.modules.items()) if _stands_below(module, places)]
    if not imported:
        return  # What is remembered is the package, which a hundred files of tests would read anew.
    for name in imported:
        del sys.modules[name]
    for value in vars(sys.modules.get(_REMEMBERING, object)).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


def _stands_below(module: object, places: tuple[str, ...]) -> bool:
    file = getattr(module, "__dict__", {}).get("__file__")
    return isinstance(file, str) and file.startswith(places)
