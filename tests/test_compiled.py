"""Kernels where nothing can be kept on disk: compiled anew, and said once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rankwise import compiled as compiling

WITHOUT_A_PLACE = """
import logging
from numba.core import caching

caching.CacheImpl._locator_classes = []
logging.basicConfig(format="%(levelname)s %(name)s %(message)s")
from rankwise.compiled import compiled

@compiled
def halved(value):
    return value / 2.0

@compiled
def inverse(value):
    return 1.0 / halved(value)

print(inverse(4.0), inverse(0.0), type(inverse).__name__)
"""


def test_where_nothing_can_be_kept_kernels_are_compiled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_LOCATOR_CLASSES", raising=False)
    script = tmp_path / "kernels.py"
    script.write_text(WITHOUT_A_PLACE)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("0.5 inf CPUDispatcher\n", 0), done.stderr
    assert done.stderr.count("compiled code cannot be kept") == 1
    assert done.stderr.startswith("WARNING rankwise.compiled ")


def test_other_faults_of_compiling_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**how: object) -> None:
        raise RuntimeError(f"another fault, cache={how['cache']}")

    monkeypatch.setattr(compiling.numba, "njit", refuse)
    with pytest.raises(RuntimeError, match="another fault, cache=True"):
        compiling.compiled(abs)
