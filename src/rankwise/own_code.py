"""A user's own code by its name, `module:Name`: wherever a ranker or a measure may be named.

Importing a module runs it, with all rights of whoever started the program: name modules that you
trust. The functions of the package import from Python's path as it is; commands look into the
current directory first, as `python -m` does.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import traceback
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from rankwise.errors import RankwiseError

_LONGEST_MESSAGE = 200
_looked_in: list[str] = []


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
        known = [one for one in dir(found) if not one.startswith("_")]
        near = get_close_matches(part, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known[:10]) or 'none'}"
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
