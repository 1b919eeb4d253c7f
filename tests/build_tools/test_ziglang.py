"""The core is built by the compiler from the package index, as where a machine has none."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_ziglang_builds_a_library_that_loads(tmp_path: Path) -> None:
    """Needs the package index; the compiler is some 100 MB."""
    packages, tree = tmp_path / "packages", tmp_path / "tree"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(packages)]
    subprocess.run([*pip, "ziglang<0.17"], check=True)
    for part in ("src", "build_tools"):
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("librankwise*"))
    # No compiler is found on this path, nor in CC.
    environment = {"PATH": str(tmp_path), "PYTHONPATH": str(packages), "HOME": str(tmp_path)}
    command = [sys.executable, str(tree / "build_tools" / "compile_core.py")]
    built = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, cwd=tree
    ).stdout.split()[-1]
    assert Path(built).parent == tree / "src" / "rankwise" / "native"
    assert ctypes.CDLL(built).rankwise_linear_scores
