"""A program in a process of its own, and the most memory that it ever held."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ALWAYS_ALLOWED = 300_000_000
TIMES_THE_INPUT = 10
# A program that does not end is ended, so that the test fails rather than hangs.
_PROCESSOR_SECONDS = 100


@dataclass(frozen=True)
class Measured:
    """How a program ended: exit code, what it printed, and its largest resident memory."""

    code: int
    output: str
    peak_bytes: int

    def is_within_bounds(self, *inputs: Path) -> bool:
        """Whether it held at most 10 × its input + 300 MB."""
        allowed = ALWAYS_ALLOWED + TIMES_THE_INPUT * sum(path.stat().st_size for path in inputs)
        return self.peak_bytes <= allowed


def run_command(*words: str | Path) -> Measured:
    """A command of Rankwise."""
    program = "from rankwise.cli.main import run; run()"
    return run_program(program, *words)


def run_program(program: str, *words: str | Path) -> Measured:
    """Python code with arguments."""
    with subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=_limit_processor,
    ) as child:
        assert child.stdout is not None
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(child.returncode, output, usage.ru_maxrss * unit)


def _limit_processor() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_PROCESSOR_SECONDS, _PROCESSOR_SECONDS))
