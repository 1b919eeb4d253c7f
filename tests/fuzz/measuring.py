"""How much memory and time reading one input takes, and a fence around what takes too much."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_SECONDS = 5.0
MOST_MEMORY = 300 * 2**20
MEMORY_PER_BYTE = 10
# Far beyond what is allowed: the machine is spared, and what is allowed is judged by what was used.
FENCE_BYTES = 6 << 30
FENCE_SECONDS = 300


@dataclass
class Use:
    """Of one input: seconds of the processor, and bytes beyond those held before."""

    seconds: float = 0.0
    memory: int = 0


@contextlib.contextmanager
def measured() -> Iterator[Use]:
    """Fill in what the block used; a block that does not end ends the process."""
    use = Use()
    held = _reset_peak()
    begin = time.process_time()
    signal.alarm(FENCE_SECONDS)
    try:
        yield use
    finally:
        signal.alarm(0)
        use.seconds = time.process_time() - begin
        use.memory = max(_status("VmHWM") - held, 0)


def allowed_memory(size: int) -> int:
    """For an input of `size` bytes."""
    return MEMORY_PER_BYTE * size + MOST_MEMORY


def put_up_fence() -> None:
    """An allocation beyond the fence fails; sanitizers need all addresses there are."""
    if "RANKWISE_CORE" not in os.environ:
        size = _status("VmSize") + FENCE_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _reset_peak() -> int:
    """What is held now, from where the peak is counted on."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(name: str) -> int:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0
