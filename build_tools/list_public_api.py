"""The public API as lines: every name of `rankwise` and of its rooms' fronts, with its arguments.

    python build_tools/list_public_api.py > tests/public_api.txt

A version of Rankwise promises these lines: a name or an argument that goes, or that becomes needed,
is a break, and asks for the next minor version before 1.0 and the next major one after it.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent / "site"))

from fronts import list_fronts, list_names


def list_api() -> Iterator[str]:
    """A line a name, in order."""
    for front in list_fronts():
        module = importlib.import_module(front)
        for name in list_names(front):
            if not name.is_room:
                yield name.path + _describe(getattr(module, name.name))


def _describe(value: Any) -> str:
    """The arguments of what can be called; `=` after those that may be left out."""
    if not callable(value):
        return ""
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:
        return ""
    return "(" + ", ".join(_words(list(parameters))) + ")"


def _words(parameters: list[inspect.Parameter]) -> Iterator[str]:
    named_only = False
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not named_only:
            named_only = True
            yield "*"
        named_only |= one.kind is one.VAR_POSITIONAL
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        yield stars + one.name + ("" if one.default is one.empty else "=")


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in list_api()))
