"""What reads and writes data waits for no compiler and no library that it does not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROWS = "".join(
    f"{row % 3} qid:{query} 1:{row}.5 2:{query} 3:NULL #docid = {query}-{row}\n"
    for query in range(6)
    for row in range(4)
)
COMMANDS = {
    "describe": ["describe", "in.txt"],
    "check": ["check", "in.txt"],
    "convert": ["convert", "in.txt", "out.txt.gz"],
    "normalize": ["normalize", "in.txt", "out.txt", "--to", "query-level"],
    "split": ["split", "in.txt", "folds"],
}
PROGRAM = """
import sys
from rankwise.cli.main import run
try:
    run()
except SystemExit as end:
    assert not end.code, end.code
heavy = {"numba", "llvmlite", "scipy", "pandas", "pyarrow", "matplotlib", "sklearn", "zstandard"}
loaded = sorted(heavy & {name.partition(".")[0] for name in sys.modules})
assert not loaded, loaded
assert "rankwise.native.library" in sys.modules
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_loads_only_what_it_needs(tmp_path: Path, name: str) -> None:
    (tmp_path / "in.txt").write_text(ROWS)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "data", *COMMANDS[name]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
