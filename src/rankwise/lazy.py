"""Fronts of packages whose names are loaded when they are first used.

A front lists where its names live and hands that list to `attach`; for type checkers it imports
the same names under `if TYPE_CHECKING` (a test compares the two lists):

    if TYPE_CHECKING:
        from rankwise.data.reading import read as read
    else:
        homes = {"rankwise.data.reading": ("read",)}
        __getattr__, __dir__, __all__ = attach(__name__, homes)

So `from rankwise.data import read` imports `rankwise.data.reading` and nothing else of the room. A
name that a front offers under another is written as in an import: `"make_ranker as ranker"`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Front = tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]


def attach(package: str, homes: Mapping[str, Iterable[str]], rooms: Iterable[str] = ()) -> Front:
    """What a front assigns to `__getattr__`, `__dir__` and `__all__`.

    Args:
        package: the full name of the front's package, its `__name__`.
        homes: for each module the names of it that the front offers.
        rooms: names of sub-packages that the front offers as they are.
    """
    home_of = {
        offered: (module, own)
        for module, names in homes.items()
        for own, offered in map(_parse, names)
    }
    packages = frozenset(rooms)

    def load(name: str) -> Any:
        if name in packages:
            return importlib.import_module(f"{package}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = home_of[name]
        value = getattr(importlib.import_module(module), own)
        # The next look finds it without asking.
        setattr(sys.modules[package], name, value)
        return value

    offered = sorted({*home_of, *packages})
    return load, lambda: offered, offered


def _parse(name: str) -> tuple[str, str]:
    """The name in its module, and the one that is offered."""
    own, _, offered = name.partition(" as ")
    return own, offered or own
