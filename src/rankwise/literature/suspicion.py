"""What a check of published results finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
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

REASONS: dict[Kind, int] = {
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
    """Something to look at: its kind, the rows it is about (from 0), a sentence."""

    kind: Kind
    rows: tuple[int, ...]
    sentence: str

    @property
    def reason(self) -> int | None:
        """The number of the paper's reason; None for what is merely suspicious."""
        return REASONS.get(self.kind)
