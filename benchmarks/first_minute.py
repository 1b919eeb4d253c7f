"""The first minute after installation: first answers beside `python -c "import numpy"`.

    python benchmarks/first_minute.py [--repeat 5] [--skip-demo] [--before TREE]

A wheel of this tree is built and installed into a fresh virtual environment in a temporary folder.
Then each command runs ten times: the first time as after the installation, with nothing cached
(what earlier runs left beside the package is removed), and the tenth time. `import numpy` runs
before each first and each tenth time, so that what else the machine does falls on both alike.
Ratios are of medians, of the processor's time and of the clock's.

Last, the processor time of `rankwise demo`; with --before, beside that of another source tree in
the same environment. Data are MQ2008, first fold, where RANKWISE_SHARED is
set, else made ones of that size. Needs the package index.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
MQ2008 = "data/letor4/MQ2008/Fold1"
COMMANDS = {
    "evaluate": "evaluate test.txt a.scores",
    "evaluate --tool all": "evaluate test.txt a.scores --tool all",
    "data describe": "data describe test.txt",
    "significance": "significance test.txt a.scores b.scores",
    "compare": "compare",
    "score": "score model.json test.txt",
}
LEFT_OUT = shutil.ignore_patterns(
    ".*", "__pycache__", "*.egg-info", "build", "dist", "librankwise*"
)

Seconds = tuple[float, float]
"""Of the processor and of the clock."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--skip-demo", action="store_true")
    parser.add_argument("--before", type=Path, metavar="TREE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        installed = Installation(folder)
        write_input(folder / "work", installed)
        print(f"{'':22}{'first call':>24}{'tenth call':>28}")
        print(f"{'':22}" + f"{'processor':>16}{'clock':>12}" * 2)
        for title, words in COMMANDS.items():
            print(row(title, installed, words.split(), options.repeat), flush=True)
        if not options.skip_demo:
            print(demo(installed, options.before))


class Installation:
    """A fresh environment with the wheel of this tree, and what it looked like when it was new."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tree = folder / "tree"
        shutil.copytree(ROOT, tree, ignore=LEFT_OUT)
        environment = folder / "environment"
        self._run([sys.executable, "-m", "venv", str(environment)])
        self.python = environment / "bin" / "python"
        pip = [str(self.python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
        self._run([*pip, "wheel", "--no-deps", "-w", str(folder), str(tree)])
        (wheel,) = folder.glob("rankwise-*.whl")
        constraints = str(ROOT / "constraints.txt")
        self._run([*pip, "install", "-c", constraints, f"{wheel}[trees]"])
        (self.package,) = environment.glob("lib/python*/site-packages/rankwise")
        self._new = set(self.package.rglob("*"))

    def restore(self) -> None:
        """Remove what runs have left beside the package and in the user's folders."""
        for path in set(self.package.rglob("*")) - self._new:
            if path.is_file():
                path.unlink()
        shutil.rmtree(self.folder / "home", ignore_errors=True)
        (self.folder / "home").mkdir()

    def call(self, words: list[str], **variables: str) -> Seconds:
        """Run Python with these words in the folder of the input."""
        before, begun = _children(), time.perf_counter()
        self._run([str(self.python), *words], cwd=self.folder / "work", **variables)
        return _children() - before, time.perf_counter() - begun

    def _run(self, words: list[str], cwd: Path | None = None, **variables: str) -> None:
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        home = {"HOME": str(self.folder / "home"), "PATH": os.environ["PATH"]}
        done = subprocess.run(
            words, cwd=cwd, env=kept | home | variables, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")


def write_input(folder: Path, installed: Installation) -> None:
    """Data, two score files, and a model; what making them left behind is removed."""
    folder.mkdir()
    shared = os.environ.get("RANKWISE_SHARED")
    for part in ("train", "test"):
        target = folder / f"{part}.txt"
        if shared:
            shutil.copy(Path(shared) / MQ2008 / f"{part}.txt", target)
        else:
            target.write_text(made_text(156 if part == "test" else 471))
    rows = (folder / "test.txt").read_bytes().count(b"\n")
    for seed, name in enumerate("ab"):
        scores = np.random.default_rng(seed).normal(size=rows).tolist()
        (folder / f"{name}.scores").write_text("".join(f"{score!r}\n" for score in scores))
    installed.restore()
    words = ["-m", "rankwise", "train", "train.txt", "--ranker", "lambdamart", "-o", "model.json"]
    installed.call(words)
    installed.restore()


def made_text(queries: int) -> str:
    """As many documents and features a query as MQ2008 has on average."""
    rng = np.random.default_rng(queries)
    lines = []
    for query in range(queries * 19):
        values = " ".join(f"{i}:{value:.6f}" for i, value in enumerate(rng.random(46), 1))
        lines.append(f"{rng.integers(3)} qid:{query // 19} {values}\n")
    return "".join(lines)


def row(title: str, installed: Installation, words: list[str], repeat: int) -> str:
    """Ratios of the first and the tenth call to `import numpy`."""
    command, numpy = ["-m", "rankwise", *words], ["-c", "import numpy"]
    beside: list[Seconds] = []
    first: list[Seconds] = []
    tenth: list[Seconds] = []
    installed.call(numpy)
    for _ in range(repeat):
        installed.restore()
        beside.append(installed.call(numpy))
        first.append(installed.call(command))
        for _ in range(8):
            installed.call(command)
        beside.append(installed.call(numpy))
        tenth.append(installed.call(command))
    unit = [statistics.median(one) for one in zip(*beside, strict=True)]
    cells = f"{title:22}"
    for calls in (first, tenth):
        for seconds, of_numpy in zip(zip(*calls, strict=True), unit, strict=True):
            median = statistics.median(seconds)
            cells += f"{median:7.3f} s {median / of_numpy:4.2f} ×"
    return cells


def demo(installed: Installation, before: Path | None) -> str:
    """The processor time of the demo, and of that of another source tree."""
    words = ["-m", "rankwise", "demo"]
    installed.restore()
    own, _ = installed.call(words)
    said = f"rankwise demo: {own:.1f} s of the processor"
    if before is None:
        return said
    shutil.rmtree(installed.folder / "work" / "rankwise-demo", ignore_errors=True)
    older, _ = installed.call(words, PYTHONPATH=str(before.resolve() / "src"))
    return f"{said}; before, {older:.1f} s: {own / older:.2f} ×"


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
