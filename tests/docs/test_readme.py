"""README's Python as a file that is run: without extras, and without a guard of `__main__`."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.docs.page import ROOT, blocks_of
from tests.docs.prepared import make_folder

# Where a distribution is imported by another name than its own.
IMPORTED = {"scikit-learn": "sklearn", "pystemmer": "Stemmer", "python-multipart": "multipart"}
BLOCKER = """
import importlib.abc
import sys

class Refusing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Refusing())
"""


@pytest.fixture
def core_alone(tmp_path: Path) -> dict[str, str]:
    """The environment of processes, and of those that they start, that find no extra."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    listed = [line.partition(">")[0].partition("[")[0] for name, lines in extras.items()
              if name not in ("test", "docs", "peers") for line in lines]  # fmt: skip
    names = {IMPORTED.get(name.lower(), name.lower()) for name in listed} - {"rankwise"}
    assert {"pandas", "lightgbm", "sklearn", "matplotlib"} <= names
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "sitecustomize.py").write_text(BLOCKER.format(names=names))
    return {**os.environ, "PYTHONPATH": str(tmp_path / "hidden")}


def test_the_python_of_the_readme_runs_as_a_file(
    tmp_path: Path, core_alone: dict[str, str]
) -> None:
    (tmp_path / "reader").mkdir()
    folder = make_folder(tmp_path / "reader")
    code = [block.text for block in blocks_of(ROOT / "README.md") if block.language == "python"]
    assert code
    (folder / "readme.py").write_text("\n".join(["print('begins')", *code, "print('ends')"]))
    ran = subprocess.run([sys.executable, "readme.py"], cwd=folder, env=core_alone,
                         capture_output=True, text=True)  # fmt: skip
    assert (ran.returncode, "Traceback" in ran.stderr) == (0, False), ran.stderr
    assert ran.stdout.count("begins") == ran.stdout.count("ends") == 1
    assert (folder / "report" / "report.html").is_file()


@pytest.mark.parametrize("guarded", [True, False])
def test_a_script_that_defines_its_ranker_guards_what_runs_it(
    guarded: bool, tmp_path: Path
) -> None:
    script = tmp_path / "mine.py"
    guard = "if __name__ == '__main__':\n    " if guarded else ""
    script.write_text(
        "from dataclasses import dataclass\n"
        "import rankwise as rw\n"
        "from rankwise.data.synthetic import make_dataset\n"
        "from tests.experiments.trial_rankers import OneFeature\n"
        "@dataclass(frozen=True)\n"
        "class Mine(OneFeature):\n"
        "    name = 'mine'\n"
        "def main():\n"
        "    data = rw.normalize(make_dataset(10), 'query-level')\n"
        "    rw.write_folds(rw.split_folds(data), 'little')\n"
        "    print(rw.bench(data='little', folds=[1], rankers='__main__:Mine', store='s.sqlite'))\n"
        f"{guard}main()\n"
    )
    ran = subprocess.run(
        [sys.executable, script.name],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    if guarded:
        assert "1 tasks done, 0 failed" in ran.stdout, ran.stderr
    else:
        assert ran.returncode == 1
        assert "must stand there under if __name__ ==" in ran.stderr.splitlines()[-1]
