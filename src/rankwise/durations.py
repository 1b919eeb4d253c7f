"""Times as people write them: 90s, 10m, 1h30m, or a number of seconds."""

from __future__ import annotations

import math
import re

from rankwise.errors import RankwiseError
from rankwise.shown import brief

_PARTS = re.compile(r"(?:([0-9]{1,9}(?:\.[0-9]+)?)h)?(?:([0-9]{1,9}(?:\.[0-9]+)?)m)?"
                    r"(?:([0-9]{1,9}(?:\.[0-9]+)?)s?)?")  # fmt: skip


def parse_seconds(given: float | str, *, zero: bool = False) -> float:
    """The seconds of a time, which must be above 0, or may be 0 where `zero` says so."""
    seconds = _parse_text(given) if isinstance(given, str) else float(given)
    if not (0 < seconds < math.inf or (zero and seconds == 0)):
        least = "at least" if zero else "above"
        raise RankwiseError(f"a time must be {least} 0, as 90s, 10m or 1h30m, found {brief(given)}")
    return seconds


def _parse_text(text: str) -> float:
    match = _PARTS.fullmatch(text.replace(" ", "").lower())
    if match is None:
        raise RankwiseError(f"a time must be written as 90s, 10m or 1h30m, found {brief(text)}")
    return math.fsum(float(part or 0) * unit for part, unit in zip(match.groups(), (3600, 60, 1),
                                                                   strict=True))  # fmt: skip
