"""A program in a process of its own, and the most memory that it ever held."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ALWAYS_ALLOWED = 300_000_000
TIMES_THE_INPUT = 10
# A program that does not end is ended, so that the test fails rather than hangs.
_PROCESSOR_SECONDS = 100
# Not what `os.wait4` tells, which counts the memory of the process that started it, too.
_PROGRAM = """
import atexit, re, sys
from pathlib import Path

@atexit.register
def tell(path=sys.argv.pop(1)):
    found = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
    Path(path).write_text(found[1])

from rankwise.cli.main import run
run()
"""


@dataclass(frozen=True)
class Measured:
    """How a program ended: exit code, what it printed, and its largest resident memory."""

    code: int
    output: str
    peak_bytes: int

    def is_within_bounds(self, *inputs: Path) -> bool:
        """Whether it held at most 10 × its input + 300 MB."""
        allowed = ALWAYS_ALLOWED + TIMES_THE_INPUT * sum(path.stat().st_size for path in inputs)
        return 0 < self.peak_bytes <= allowed


def run_command(*words: str | Path) -> Measured:
    """A command of Rankwise; where it was killed, its peak is 0. Linux only."""
    with tempfile.TemporaryDirectory() as folder:
        peak = Path(folder) / "peak"
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(peak), *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=_limit_processor,
        )
        kilobytes = int(peak.read_text()) if peak.exists() else 0
    return Measured(done.returncode, done.stdout, 1024 * kilobytes)


def _limit_processor() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_PROCESSOR_SECONDS, _PROCESSOR_SECONDS))
