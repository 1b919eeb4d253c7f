"""The tools of `make wheel`: what they refuse, and that every dependency is listed."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = "rankwise/native/librankwise.so"


def run(tool: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "build_tools" / tool), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("name", "files", "sentence"),
    [
        ("py3-none-any", {LIBRARY: b""}, "called …-py3-none-PLATFORM"),
        ("cp311-cp311-linux_x86_64", {LIBRARY: b""}, "called …-py3-none-PLATFORM"),
        ("py3-none-linux_x86_64", {}, "the compiled core and no other library, found []"),
        ("py3-none-linux_x86_64", {LIBRARY: b"", "x.so": b""}, "and no other library"),
        ("py3-none-linux_x86_64", {LIBRARY: b"PyInit_x"}, "must not use Python's headers"),
    ],
)
def test_wheels_that_are_refused(
    tmp_path: Path, name: str, files: dict[str, bytes], sentence: str
) -> None:
    path = tmp_path / f"rankwise-0.1.0-{name}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, content in files.items():
            wheel.writestr(file, content)
    done = run("check_wheel.py", path)
    assert done.returncode == 1 and sentence in done.stderr


def test_every_dependency_has_a_licence() -> None:
    done = run("list_licences.py")
    assert done.returncode == 0, done.stdout
    listed = {line.split()[0].lower(): line.split()[2:] for line in done.stdout.splitlines()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {requirement.partition(">")[0].lower() for requirement in project["dependencies"]}
    assert needed <= listed.keys() and all(listed.values())
