"""Things of one kind by their names, and a user's own code by `module:Name`.

Importing a module runs it, with all rights of whoever started the program: name modules that you
trust. The functions of the package import from Python's path as it is; commands look into the
current directory first, as `python -m` does.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

from rankwise.arguments import suggest
from rankwise.errors import RankwiseError

T = TypeVar("T")

_LONGEST_MESSAGE = 200
_LONGEST_NAME = 80
_looked_in: list[str] = []


class Registry(Mapping[str, T]):
    """Things of one kind by name, in the order of lists and pages.

    An entry is the thing itself, or its home `module:Name`, which is imported when the thing is
    asked for, so that listing names costs nothing:

        ENGINES = Registry[type[Engine]]("engine", {"dask": "rankwise.experiments.dask:DaskEngine"})
        ENGINES["dask"]
    """

    def __init__(self, kind: str, entries: Mapping[str, str | T], *, otherwise: str = "") -> None:
        """`kind` and `otherwise`, what else a name may be, stand in what is said of a wrong one."""
        self.kind = kind
        self.homes = dict(entries)
        self._otherwise = otherwise

    def __getitem__(self, name: str) -> T:
        """The thing of this name; a RankwiseError suggests the nearest one for a misspelt name."""
        if name not in self.homes:
            raise RankwiseError(
                f"there is no {self.kind} {name[:_LONGEST_NAME]!r}; {self._hint(name)}"
            )
        entry = self.homes[name]
        if not isinstance(entry, str):
            return entry
        module, attribute = entry.split(":")
        return cast("T", getattr(importlib.import_module(module), attribute))

    def _hint(self, name: str) -> str:
        near = suggest(name[:_LONGEST_NAME].lower(), self.homes, cutoff=0.5)
        hint = near or f"known are {', '.join(self.homes)}"
        return f"{hint}, {self._otherwise}" if self._otherwise else hint

    def __contains__(self, name: object) -> bool:
        return name in self.homes

    def __iter__(self) -> Iterator[str]:
        return iter(self.homes)

    def __len__(self) -> int:
        return len(self.homes)


def is_own(name: str) -> bool:
    """Whether a name is written `module:Name`; no registered name has a colon."""
    return ":" in name


def look_in(folder: Path) -> None:
    """Look into this folder first; said once, by the program that is run.

    Python's path is changed when own code is asked for and not before, so that a file of the folder
    never takes the place of a library in a command that needs none.
    """
    _looked_in[:] = [str(folder)]


def import_own(name: str, kind: str) -> Any:
    """What stands under `module:Name`; `kind` says in messages what it is wanted for."""
    module, _, path = name.partition(":")
    names = (*module.split("."), *path.split("."))
    if module.endswith(".py") or not all(part.isidentifier() for part in names):
        raise RankwiseError(
            f"a {kind} of your own must be written module:Name, found {name!r}{_file_hint(name)}"
        )
    found: Any = _imported(module, name, kind)
    for part in path.split("."):
        found = _member(found, part, name, kind)
    return found


def describe_failure(error: BaseException) -> str:
    """What somebody else's code raised, and where: `ValueError: its words (file.py:12)`."""
    said = "(no message)"
    with contextlib.suppress(Exception):
        said = (str(error).strip().splitlines() or [said])[0][:_LONGEST_MESSAGE]
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {said}{place}"


def _imported(module: str, name: str, kind: str) -> ModuleType:
    for folder in reversed(_looked_in):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    # A module that was written a moment ago is not yet in the listings that Python keeps.
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _refusal(name, kind, describe_failure(error)) from error
        raise RankwiseError(
            f"the {kind} {name!r} cannot be imported: there is no module {error.name!r}; its "
            "folder must be on PYTHONPATH, or for commands the current one"
        ) from error
    # A module is anybody's code: whatever it raises, the sentence about it is the same.
    except (Exception, SystemExit) as error:
        raise _refusal(name, kind, describe_failure(error)) from error


def _refusal(name: str, kind: str, failure: str) -> RankwiseError:
    return RankwiseError(f"the {kind} {name!r} cannot be imported, its module fails with {failure}")


def _member(found: Any, part: str, name: str, kind: str) -> Any:
    try:
        return getattr(found, part)
    except AttributeError as error:
        known = [name for name in dir(found) if not name.startswith("_")]
        hint = suggest(part, known) or f"it has {', '.join(known[:10]) or 'none'}"
        raise RankwiseError(
            f"the {kind} {name!r} cannot be imported: there is no {part!r} in "
            f"{getattr(found, '__name__', found)}; {hint}"
        ) from error


def _file_hint(name: str) -> str:
    """A path is the slip that comes easiest."""
    module, _, path = name.partition(":")
    if not (module.endswith(".py") or "/" in module):
        return ""
    return f"; write {Path(module).stem}:{path}, with its folder on PYTHONPATH"
