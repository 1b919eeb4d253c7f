"""Position-based model: a position is examined with a chance that no document changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from rankwise.feedback.click_models.model import ClickModel, Floats, Integers, UserTables


@dataclass(frozen=True)
class PositionBased(ClickModel):
    """P(click at k) = θ_k · a(grade), θ_k = (1 / k)^η.

    The settings are those of Joachims et al. (2017), who vary η and click an examined document
    without relevance with chance ε = 0.1; for more than two grades a(y) = ε + (1 − ε) (2^y − 1) /
    (2^highest − 1), as Ai et al. (2018). `mild`, `usual` and `severe` have η = 0.5, 1 and 2;
    `clean` is `usual` with ε = 0. `labels` examines everything and clicks every label above 0:
    feedback that is the judgements themselves.

    Richardson, Dominowska, Ragno (2007). Predicting clicks. WWW. Joachims, Swaminathan, Schnabel
    (2017). Unbiased learning-to-rank with biased feedback. WSDM. Ai, Bi, Luo, Guo, Croft (2018).
    Unbiased learning to rank with unbiased propensity estimation. SIGIR.
    """

    name: ClassVar[str] = "position-based"
    paper: ClassVar[str] = "Joachims, Swaminathan and Schnabel (2017), WSDM"
    default_setting: ClassVar[str] = "usual"

    severity: float = 1.0
    """η: 0 examines everything."""

    @classmethod
    def settings(cls, grades: int) -> Mapping[str, Self]:
        """`mild`, `usual`, `severe`, `clean` and `labels`."""
        noisy, clean = _graded(grades, 0.1), _graded(grades, 0.0)
        judged = tuple(float(grade > 0) for grade in range(grades))
        return {
            "mild": cls(noisy, severity=0.5),
            "usual": cls(noisy),
            "severe": cls(noisy, severity=2.0),
            "clean": cls(clean),
            "labels": cls(judged, severity=0.0),
        }

    def examination(self, shown: int) -> Floats:
        """θ_k for k = 1 to `shown`."""
        return np.arange(1.0, shown + 1.0) ** -self.severity

    def tables(self, shown: int) -> UserTables:
        """Independent examination."""
        clicked = self.clicked
        return UserTables(True, clicked, np.zeros(len(clicked)), self.examination(shown))

    def expected_clicks(self, grades: Integers) -> Floats:
        """θ_k · a(grade)."""
        return self.examination(len(grades)) * self.clicked[grades]

    @classmethod
    def _unbounded(cls) -> tuple[str, ...]:
        return ("severity",)


def _graded(grades: int, least: float) -> tuple[float, ...]:
    highest = 2.0 ** (grades - 1) - 1.0
    shares = [(2.0**grade - 1.0) / highest if highest else 0.0 for grade in range(grades)]
    return tuple(least + (1.0 - least) * share for share in shares)
