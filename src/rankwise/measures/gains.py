"""The gain of a label: a rule, or gains listed label by label."""

from __future__ import annotations

import math

from rankwise.errors import RankwiseError

RULES = ("exponential", "linear", "truncated")
# Gains of whole labels below this are looked up; a list of gains must end there.
TABLE_LENGTH = 64


def gain_table(gain: str) -> tuple[dict[int, float], str]:
    """The gains of single labels that `gain` lists, and the rule for all other labels."""
    if gain in RULES:
        return {}, gain
    listed, rule = _listed_gains(gain)
    if not all(0 <= label < TABLE_LENGTH for label in listed):
        raise RankwiseError(f"gains can be listed for labels 0 to {TABLE_LENGTH - 1}: {gain!r}")
    if not all(math.isfinite(value) for value in listed.values()):
        raise RankwiseError(f"listed gains must be finite numbers, found {gain!r}")
    return listed, rule


def _listed_gains(gain: str) -> tuple[dict[int, float], str]:
    entries = gain.split("/")
    try:
        if "=" in gain:
            pairs = (entry.split("=") for entry in entries)
            return {int(label): float(value) for label, value in pairs}, "linear"
        return {label: float(value) for label, value in enumerate(entries)}, "zero"
    except ValueError:
        raise RankwiseError(
            "gain must be exponential, linear, truncated, a list such as 0/1/3 or labels with "
            f"their gains such as 1=1/2=3, found {gain!r}"
        ) from None
