"""Kernels where nothing can be kept on disk: compiled anew, and said once."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
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
def kernels(tmp_path: Path) -> Path:
    return write_kernels(tmp_path)


@dataclass(frozen=True)
class Ended:
    """Processes that called kernels of a folder, and what each said."""

    folder: Path
    codes: list[int]
    said: list[tuple[str, str]]


@pytest.fixture(scope="module")
def three_at_once(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Three processes that need the same kernel, which no one has compiled before."""
    folder = write_kernels(tmp_path_factory.mktemp("three"))
    begun = [begin(folder, "calls.py", "swift-rank", "quadrupled") for _ in range(3)]
    said = [one.communicate(timeout=1200) for one in begun]
    return Ended(folder, [one.returncode for one in begun], said)


@pytest.fixture(scope="module")
def one_failed(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """A kernel that cannot be compiled, and before that process ends another that needs one."""
    folder = write_kernels(tmp_path_factory.mktemp("failed"))
    (folder / "holding.py").write_text(
        "import kernels, subprocess, sys\n"
        "try:\n    kernels.failing(1.0)\nexcept Exception: print('failed', flush=True)\n"
        "subprocess.run([sys.executable, *sys.argv[1:]], check=True, timeout=1200)\n"
    )
    begun = begin(folder, "holding.py", folder / "calls.py", "swift-rank", "doubled")
    said = begun.communicate(timeout=1200)
    return Ended(folder, [begun.returncode], [said])


def write_kernels(folder: Path) -> Path:
    """The modules `kernels` and `calls`."""
    (folder / "kernels.py").write_text(KERNELS)
    (folder / "calls.py").write_text("import sys\n" + CALLS)
    return folder


def begin(folder: Path, script: str, *arguments: str | Path) -> subprocess.Popen[str]:
    """A process whose compiled code is kept in the folder, apart from everything."""
    return subprocess.Popen(
        [sys.executable, folder / script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder / "kept")},
    )


def call(folder: Path, *asked: str) -> tuple[str, str]:
    return begin(folder, "calls.py", *asked).communicate(timeout=1200)


def test_what_is_compiled_is_said_before_and_once(kernels: Path) -> None:
    first = call(kernels, "swift-rank", "quadrupled", "doubled")
    seconds = max(1, round(2 * compiling._SECONDS_A_KERNEL))
    assert first[1] == f"compiling swift-rank, once: about {seconds} s\n"
    assert sorted(first[0].split()) == ["doubled", "quadrupled"]


def test_a_kernel_for_nothing_named_goes_by_its_module(kernels: Path) -> None:
    (kernels / "unnamed.py").write_text("import kernels; kernels.quadrupled(1.0)")
    done = begin(kernels, "unnamed.py").communicate(timeout=1200)
    seconds = max(1, round(4 * compiling._SECONDS_A_KERNEL))
    assert done[1] == f"compiling kernels, once: about {seconds} s\n"


def test_of_processes_that_need_the_same_one_compiles_and_the_others_wait(
    three_at_once: Ended,
) -> None:
    said = three_at_once.said
    assert three_at_once.codes == [0, 0, 0], said
    assert sorted("".join(stdout for stdout, _ in said).split()) == ["doubled", "quadrupled"]
    assert "".join(stderr for _, stderr in said).count("compiling swift-rank") == 1


def test_nothing_is_said_of_what_is_kept(three_at_once: Ended) -> None:
    assert call(three_at_once.folder, "swift-rank", "quadrupled", "doubled") == ("", "")


def test_a_kernel_that_cannot_be_compiled_holds_nobody_up(one_failed: Ended) -> None:
    ((stdout, stderr),) = one_failed.said
    assert one_failed.codes == [0], stderr
    assert stdout.split() == ["failing", "failed", "doubled"]


def test_only_what_is_lacking_counts(one_failed: Ended) -> None:
    more = call(one_failed.folder, "swift-rank", "quadrupled", "doubled")
    seconds = max(1, round(compiling._SECONDS_A_KERNEL))
    assert more == ("quadrupled\n", f"compiling swift-rank, once: about {seconds} s\n")
