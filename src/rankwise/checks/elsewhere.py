"""The same training in another process, with another number of threads and another hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")


@dataclass(eq=False)
class Elsewhere:
    """Rankers that are trained together, since starting a process costs more than training.

    Attributes:
        rankers: their parameters by the reference under which the other process finds them.
    """

    rankers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _found: dict[int, dict[str, str]] = field(default_factory=dict)

    def digest(self, reference: str, threads: int) -> str:
        """The digest of a ranker's model and scores, or how its training failed."""
        if threads not in self._found:
            self._found[threads] = self._run(threads)
        return self._found[threads][reference]

    def _run(self, threads: int) -> dict[str, str]:
        told = {f"{library}_NUM_THREADS": str(threads) for library in _LIBRARIES}
        # Another hash seed too: no model may depend on the order of a set.
        told |= {"PYTHONHASHSEED": str(threads), "PYTHONPATH": os.pathsep.join(sys.path)}
        program = [sys.executable, "-m", "rankwise.checks.in_another_process", str(threads)]
        done = subprocess.run([*program, json.dumps(self.rankers)], capture_output=True, text=True,
                              env=os.environ | told)  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"the other process failed: {done.stderr.strip()[-2000:]}")
        # What rankers print comes before.
        found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
        return found
