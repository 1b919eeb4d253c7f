"""Check everything about a release that a machine can: `make release-check` calls this.

    python build_tools/release_check.py [--no-demo]

Builds the sdist, the wheel from the sdist, checks both and their metadata, lists licences, installs
the wheel into an empty environment and runs the demo there. The first thing that is wrong ends it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUIET = ("--quiet", "--disable-pip-version-check")
# What must be in the sdist for somebody to build and test from it, and what must not.
IN_SDIST = ("LICENSE", "README.md", "pyproject.toml", "setup.py", "build_tools/rankwise_build.py")
MAKE_SDIST = """
import sys
sys.path.insert(0, "build_tools")
import rankwise_build
rankwise_build.build_sdist(sys.argv[1])
"""
# Of the top of the tree: what builds left there.
NOT_COPIED = {"site", "build", "dist"}
NOT_IN_SDIST = re.compile(r"\.(so|dylib|dll|sqlite)$|/shared/|/\.venv/")


def main(arguments: list[str]) -> None:
    """Print each step; end with a sentence at the first that fails."""
    version = check_versions(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        wheel = _build(work)
        check_sdist(next(work.glob("*.tar.gz")), version)
        check_metadata(wheel, version)
        _run(sys.executable, ROOT / "build_tools" / "check_wheel.py", wheel)
        _run(sys.executable, ROOT / "build_tools" / "list_licences.py")
        _try_in_empty_environment(wheel, work, demo="--no-demo" not in arguments)
    _say(f"rankwise {version} can be released")


def check_versions(root: Path) -> str:
    """One version in the project file, the package, the citation and the newest changes."""
    version: str = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    patterns = {
        "src/rankwise/__init__.py": rf'^__version__ = "{re.escape(version)}"$',
        "CITATION.cff": rf"^version: {re.escape(version)}$",
        "CHANGELOG.md": rf"\A# Changelog\n\n(?:[^#].*\n|\n)*## {re.escape(version)}\b",
    }
    for name, pattern in patterns.items():
        found = re.search(pattern, (root / name).read_text("utf-8"), re.M)
        require(found is not None, f"{name} must name the version {version} of pyproject.toml")
    return version


def check_sdist(path: Path, version: str) -> None:
    """It holds what is needed to build, and nothing that was built."""
    with tarfile.open(path) as archive:
        names = archive.getnames()
    top = f"rankwise-{version}/"
    missing = [name for name in IN_SDIST if top + name not in names]
    require(not missing, f"{path.name} must hold what a build needs, found no {missing}")
    unwanted = [name for name in names if NOT_IN_SDIST.search(name)]
    require(not unwanted, f"{path.name} must hold sources only, found {unwanted}")
    _say(f"{path.name}: {len(names)} files")


def check_metadata(wheel: Path, version: str) -> None:
    """What an index shows: name, version, licence, the oldest Python, a description."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        facts = HeaderParser().parsestr(archive.read(name).decode("utf-8"))
    expected = {"Name": "rankwise", "Version": version, "License-Expression": "MIT",
                "Requires-Python": ">=3.11"}  # fmt: skip
    for field, value in expected.items():
        require(facts[field] == value, f"{field} must be {value}, found {facts[field]}")
    require(len(facts.get_payload()) > 500, "the description must be the README, found less")
    require("LICENSE" in (facts.get_all("License-File") or []), "the wheel must name its licence")


def require(holds: bool, sentence: str) -> None:
    """End the program with the sentence unless it holds."""
    if not holds:
        raise SystemExit(f"rankwise: {sentence}")


def _build(folder: Path) -> Path:
    """The sdist, and the wheel made from it as an index's users would."""
    python = _make_environment(folder / "builder")
    _run(python, "-m", "pip", "install", *QUIET, "setuptools>=77")
    # In a copy: a build leaves folders beside its sources.
    copy = shutil.copytree(ROOT, folder / "sources", ignore=_leave_out)
    _run(python, "-W", "ignore", "-c", MAKE_SDIST, folder, cwd=copy, quiet=True)
    sdist = next(folder.glob("*.tar.gz"))
    _run(python, "-m", "pip", "wheel", *QUIET, "--no-deps", "-w", folder, sdist)
    return next(folder.glob("*.whl"))


def _leave_out(folder: str, names: list[str]) -> set[str]:
    left = {one for one in names if one.startswith(".") or one == "__pycache__"}
    if Path(folder) == ROOT:
        left |= {one for one in names if one in NOT_COPIED or one.startswith("rankwise-")}
    return left | {one for one in names if one.endswith(".egg-info")}


def _try_in_empty_environment(wheel: Path, folder: Path, demo: bool) -> None:
    python = _make_environment(folder / "empty")
    _run(python, "-m", "pip", "install", *QUIET, "-c", ROOT / "constraints.txt", wheel)
    command = ("-m", "rankwise", "demo", "-o", "demo") if demo else ("-m", "rankwise", "compare")
    _run(python, *command, cwd=folder)


def _make_environment(folder: Path) -> Path:
    """An environment with pip alone; the path of its Python."""
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def _run(*command: object, cwd: Path | None = None, quiet: bool = False) -> None:
    """Without PYTHONPATH: an environment is empty only where nothing else is on its path."""
    words = [str(word) for word in command]
    _say("$ " + " ".join(words[:6]).replace("\n", " ").strip())
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    output = subprocess.DEVNULL if quiet else None
    ended = subprocess.run(words, cwd=cwd, env=surroundings, stdout=output)
    require(ended.returncode == 0, f"a step of the release failed: {' '.join(words)}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
