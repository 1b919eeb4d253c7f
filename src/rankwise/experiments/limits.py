"""Limits of a task: seconds, memory, beginnings; what goes beyond is recorded, not waited for."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.shown import brief

ATTEMPTS = 3
"""What a lost worker ends is begun this often before it is given up."""
BEGUN_AGAIN = "begun_again"
"""The fact that says how often something began again since a worker was lost."""

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_MEMORY = re.compile(r"\s*([0-9]{1,30}(?:\.[0-9]+)?)\s*([kmgt]?b?)\s*", re.IGNORECASE)


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
    match = _MEMORY.fullmatch(text)
    if match is None:
        raise RankwiseError(f"memory must be written as 500 MB or 2 GB, found {text!r}")
    unit = match[2].upper()
    return int(float(match[1]) * _UNITS[unit if not unit or unit.endswith("B") else f"{unit}B"])
