"""The licence of Rankwise and of everything that it needs to run, as installed here.

    python build_tools/list_licences.py

Follows the requirements from rankwise on, without extras; a package that names no licence ends the
program with status 1.
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def main() -> int:
    """Print a row a package."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    rows = [("rankwise", project["version"], project["license"])]
    for found in sorted(_needed(project["dependencies"]), key=lambda one: one.name.lower()):
        rows.append((found.name, found.version, _licence(found)))
    for name, version, licence in rows:
        sys.stdout.write(f"{name:20}{version:12}{licence}\n")
    return int(any(licence == "unknown" for _, _, licence in rows))


def _needed(requirements: list[str]) -> list[Distribution]:
    """The packages of the requirements and of theirs, those that are installed."""
    found: dict[str, Distribution] = {}
    waiting = [*requirements]
    while waiting:
        requirement = waiting.pop()
        name = NAME.match(requirement)
        if name is None or "extra ==" in requirement:
            continue
        try:
            one = distribution(name[0])
        except PackageNotFoundError:
            continue  # Needed on other systems or Pythons only.
        if one.name.lower() not in found:
            found[one.name.lower()] = one
            waiting += one.requires or []
    return list(found.values())


def _licence(package: Distribution) -> str:
    """What the package says in its metadata, in the order of how exact that is."""
    facts = package.metadata
    if facts.get("License-Expression"):
        return facts["License-Expression"]
    classes = [
        line.rpartition("::")[2].strip()
        for line in facts.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    if classes:
        return ", ".join(classes)
    text = (facts.get("License") or "").strip()
    return text.splitlines()[0] if text else "unknown"


if __name__ == "__main__":
    sys.exit(main())
