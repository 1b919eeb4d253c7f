"""What a check of published results may find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SuspicionKind = Literal[
    "other protocol",
    "other task",
    "altered data set",
    "no exact figures",
    "other measure",
    "baseline higher",
    "no baseline",
    "official figure differs",
    "value twice",
    "rows identical",
    "far off",
]

REASONS: dict[SuspicionKind, int] = {
    "other protocol": 1,
    "other task": 2,
    "altered data set": 3,
    "no exact figures": 4,
    "other measure": 5,
    "baseline higher": 6,
    "no baseline": 7,
}
"""The reasons for which Tax et al. (2015, section 2.1) left studies out, by their numbers."""


@dataclass(frozen=True)
class Suspicion:
    """A reason to check the source: its kind, the rows it concerns (from 0), and a sentence."""

    kind: SuspicionKind
    rows: tuple[int, ...]
    sentence: str

    @property
    def reason(self) -> int | None:
        """The number of the reason in the paper; None for a likely error that is none of them."""
        return REASONS.get(self.kind)
