"""What tasks may take, and what they took: limits, versions, machine, threads, peak memory.

Limits are of seconds, memory and beginnings; what goes beyond is recorded, not waited for.
"""

from __future__ import annotations

import math
import os
import platform
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.sanitize import brief

ATTEMPTS = 3
"""What a lost worker ends is begun this often before it is given up."""
BEGUN_AGAIN = "begun_again"
"""The fact that says how often something began again since a worker was lost."""

_MEMORY_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_WRITTEN_MEMORY = re.compile(r"\s*([0-9]{1,30}(?:\.[0-9]+)?)\s*([kmgt]?b?)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class TaskLimits:
    """What one task may take: seconds, and bytes beyond what its process had before; None is all.

    The time runs from when the data are at hand. Memory counts what the task allocates for
    itself, not the data, which all tasks share.
    """

    seconds: float | None = None
    memory_bytes: int | None = None

    def __post_init__(self) -> None:
        for what, limit in (("time", self.seconds), ("memory", self.memory_bytes)):
            if limit is not None and not 0 < limit < math.inf:
                raise RankwiseError(
                    f"the {what} limit must be a number above 0, found {brief(limit)}"
                )


def parse_memory(text: str) -> int:
    """`2 GB`, `500MB`, `1.5g` or a plain number of bytes."""
    match = _WRITTEN_MEMORY.fullmatch(text)
    if match is None:
        raise RankwiseError(f"memory must be written as 500 MB or 2 GB, found {text!r}")
    unit = match[2].upper()
    return int(
        float(match[1]) * _MEMORY_UNITS[unit if not unit or unit.endswith("B") else f"{unit}B"]
    )


_PACKAGES = ("rankwise", "numpy", "scipy", "lightgbm", "highspy", "torch")
_PROCESS_STATUS = Path("/proc/self/status")
_RESET_PEAK = Path("/proc/self/clear_refs")


@lru_cache(maxsize=1)
def describe_environment() -> dict[str, Any]:
    """Versions of what computes, the machine, and the threads that libraries were given."""
    return {
        "python": platform.python_version(),
        "packages": {name: found for name in _PACKAGES if (found := _find_version(name))},
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "host": platform.node(),
        "processors": os.cpu_count(),
        "threads": os.environ.get("OMP_NUM_THREADS"),
    }


def forget_peak() -> None:
    """Let the peak of this process begin anew, where the system can (Linux)."""
    try:
        _RESET_PEAK.write_text("5")
    except OSError:
        return


def measure_peak_bytes() -> int:
    """The most memory that this process held since `forget_peak`, or since it began."""
    try:
        for line in _PROCESS_STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measure_own_bytes(pid: int | None) -> int:
    """What a process has allocated for itself, shared files left out; 0 where nobody can say."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _find_version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
