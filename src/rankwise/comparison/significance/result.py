"""What a paired test says: one frozen value, whichever test it was."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PairedTestResult:
    """The outcome of one paired test.

    Attributes:
        test: the test's name, as the command line spells it.
        statistic: its statistic; positive where the second system is better.
        p_value: the probability of a result at least as extreme if the systems are alike.
        queries: number of pairs that the test saw.
        method: how the p-value was had, e.g. `exact` or `100000 samples`.
    """

    test: str
    statistic: float
    p_value: float
    queries: int
    method: str
