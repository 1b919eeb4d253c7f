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
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=1200)
    assert (done.stdout, done.returncode) == ("0.5 inf CPUDispatcher\n", 0), done.stderr
    assert done.stderr.count("compiled code cannot be kept") == 1
    assert done.stderr.startswith("WARNING rankwise.compiled ")


def test_other_faults_of_compiling_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**how: object) -> None:
        raise RuntimeError(f"another fault, cache={how['cache']}")

    monkeypatch.setattr(compiling.numba, "njit", refuse)
    with pytest.raises(RuntimeError, match="another fault, cache=True"):
        compiling.compiled(abs)


KERNELS = """
import logging
import sys

from numba.core import event

logging.basicConfig(format="%(message)s")
from rankwise.compilation import compiling_for
from rankwise.compiled import compiled


class Count(event.Listener):
    def on_start(self, change):
        print(change.data["dispatcher"].__name__, flush=True)

    def on_end(self, change):
        pass


event.register("numba:compile", Count())

@compiled
def doubled(value):
    return 2.0 * value

@compiled
def quadrupled(value):
    return 2.0 * doubled(value)

@compiled
def failing(value):
    return value.nothing_of_the_kind

@compiled
def unused(value):
    return value
"""
CALLS = """
import threading
import kernels

name, *asked = sys.argv[1:]
places = [("kernels", one) for one in asked]
with kernels.compiling_for(name, lambda: places):
    for one in asked:
        worker = threading.Thread(target=getattr(kernels, one), args=(1.0,))
        worker.start()
        worker.join()
"""


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the module `kernels`, whose compiled code is kept apart from everything."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "calls.py").write_text("import sys\n" + CALLS)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path


def begin(folder: Path, *asked: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, folder / "calls.py", *asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_what_is_compiled_is_said_before_and_once(kernels: Path) -> None:
    first = begin(kernels, "swift-rank", "quadrupled", "doubled").communicate(timeout=1200)
    seconds = max(1, round(2 * compiling._SECONDS_A_KERNEL))
    assert first[1] == f"compiling swift-rank, once: about {seconds} s\n"
    assert sorted(first[0].split()) == ["doubled", "quadrupled"]


def test_a_kernel_for_nothing_named_goes_by_its_module(kernels: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import kernels; kernels.quadrupled(1.0)"],
        capture_output=True,
        text=True,
        timeout=1200,
        cwd=kernels,
    )
    seconds = max(1, round(4 * compiling._SECONDS_A_KERNEL))
    assert done.stderr == f"compiling kernels, once: about {seconds} s\n"


def test_nothing_is_said_of_what_is_kept(kernels: Path) -> None:
    begin(kernels, "swift-rank", "quadrupled").communicate(timeout=1200)
    again = begin(kernels, "swift-rank", "quadrupled", "doubled").communicate(timeout=1200)
    assert again == ("", "")


def test_only_what_is_lacking_counts(kernels: Path) -> None:
    begin(kernels, "swift-rank", "doubled").communicate(timeout=1200)
    more = begin(kernels, "swift-rank", "quadrupled", "doubled").communicate(timeout=1200)
    seconds = max(1, round(compiling._SECONDS_A_KERNEL))
    assert more == ("quadrupled\n", f"compiling swift-rank, once: about {seconds} s\n")


def test_of_processes_that_need_the_same_one_compiles_and_the_others_wait(kernels: Path) -> None:
    both = [begin(kernels, "swift-rank", "quadrupled") for _ in range(3)]
    done = [one.communicate(timeout=1200) for one in both]
    assert [one.returncode for one in both] == [0, 0, 0], done
    assert sorted("".join(stdout for stdout, _ in done).split()) == ["doubled", "quadrupled"]
    assert "".join(stderr for _, stderr in done).count("compiling swift-rank") == 1


def test_a_kernel_that_cannot_be_compiled_holds_nobody_up(kernels: Path) -> None:
    script = kernels / "holding.py"
    script.write_text(
        "import kernels, subprocess, sys\n"
        "try:\n    kernels.failing(1.0)\nexcept Exception: print('failed', flush=True)\n"
        "subprocess.run([sys.executable, *sys.argv[1:]], check=True, timeout=1200)\n"
    )
    done = subprocess.run(
        [sys.executable, script, kernels / "calls.py", "swift-rank", "doubled"],
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["failing", "failed", "doubled"]
