"""Where tasks run, and what they take: versions, machine, threads, peak memory."""

from __future__ import annotations

import os
import platform
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = ("rankwise", "numpy", "scipy", "lightgbm", "highspy", "torch")
_STATUS = Path("/proc/self/status")
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
        for line in _STATUS.read_text().splitlines():
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
