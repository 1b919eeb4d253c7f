"""The optional libraries of this installation, and the line that installs them.

Rankwise is on no package index, so its extras cannot be asked for by name where there is no clone.
What they stand for is in the metadata of every installation, from a clone or from a wheel.
"""

from __future__ import annotations

import re

_NAME = "rankwise"


def install_line(extra: str) -> str:
    """A command that installs what an extra needs: `pip install 'lightgbm>=4.3'`."""
    found = " ".join(f"'{one}'" for one in list_requirements(extra))
    return f"pip install {found}" if found else f"pip install '.[{extra}]' in a clone of Rankwise"


def list_requirements(extra: str) -> list[str]:
    """The requirements of an extra, those of the extras that it names among them, each once."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires(_NAME) or []
    except PackageNotFoundError:
        return []
    return list(dict.fromkeys(_expand(extra, lines)))


def _expand(extra: str, lines: list[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        requirement, _, marker = (part.strip() for part in line.partition(";"))
        if not re.search(rf"""extra *== *["']{re.escape(extra)}["']""", marker):
            continue
        own = re.fullmatch(rf"{_NAME} *\[(.*)\]", requirement)
        inner = own[1].split(",") if own else []
        found += [one for name in inner for one in _expand(name.strip(), lines)] or [requirement]
    return found
