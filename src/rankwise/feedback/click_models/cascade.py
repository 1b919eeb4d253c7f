"""Cascade model: from the top to the first click, which ends the session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from rankwise.feedback.click_models.model import (
    ClickModel,
    Floats,
    Integers,
    UserTables,
    examine_in_turn,
)
from rankwise.feedback.click_models.user_types import find_user_types


@dataclass(frozen=True)
class Cascade(ClickModel):
    """P(click at k) = a_k Π_{i < k} (1 − a_i), a_i being the attraction of the grade at i.

    The settings take their chances of clicks from the users of online learning
    (`rankwise.feedback.click_models.user_types`), the stop is certain.

    Craswell, Zoeter, Taylor, Ramsey (2008). An experimental comparison of click position-bias
    models. WSDM.
    """

    name: ClassVar[str] = "cascade"
    paper: ClassVar[str] = "Craswell, Zoeter, Taylor and Ramsey (2008), WSDM"
    default_setting: ClassVar[str] = "navigational"

    @classmethod
    def settings(cls, grades: int) -> Mapping[str, Self]:
        """One for each type of user."""
        return {name: cls(user.click) for name, user in find_user_types(grades).items()}

    def tables(self, shown: int) -> UserTables:
        """Examination in turn that never goes on after a click."""
        clicked = self.clicked
        return UserTables(False, clicked, np.zeros(len(clicked)), np.zeros(shown))

    def expected_clicks(self, grades: Integers) -> Floats:
        """a_k Π_{i < k} (1 − a_i)."""
        chances = self.clicked[grades]
        return chances * examine_in_turn(1.0 - chances)
