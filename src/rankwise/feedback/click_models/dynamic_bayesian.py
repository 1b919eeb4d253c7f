"""Dynamic Bayesian network model: a click may satisfy, and patience may end without one."""

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
class DynamicBayesian(ClickModel):
    """P(click at k) = e_k a_k, e_{k+1} = e_k γ (1 − a_k s_k), e_1 = 1.

    a is the attraction of a grade, s the chance that a click on it satisfies, γ that of going on
    where nothing did. γ = 0.9 is what Chapelle and Zhang use. They learn a and s for each document;
    the settings take them, as chances of clicks and stops, from the users of online learning
    (`rankwise.feedback.click_models.user_types`).

    Chapelle, Zhang (2009). A dynamic Bayesian network click model for web search ranking. WWW.
    """

    name: ClassVar[str] = "dynamic-bayesian"
    paper: ClassVar[str] = "Chapelle and Zhang (2009), WWW"
    default_setting: ClassVar[str] = "navigational"

    satisfaction: tuple[float, ...] = ()
    perseverance: float = 0.9

    @classmethod
    def settings(cls, grades: int) -> Mapping[str, Self]:
        """One for each type of user."""
        users = find_user_types(grades)
        return {name: cls(user.click, satisfaction=user.stop) for name, user in users.items()}

    def tables(self, shown: int) -> UserTables:
        """Examination in turn that goes on with γ where nothing satisfied."""
        onward = np.full(shown, self.perseverance)
        return UserTables(False, self.clicked, self._satisfied(), onward, self.perseverance)

    def expected_clicks(self, grades: Integers) -> Floats:
        """e_k a_k."""
        chances = self.clicked[grades]
        satisfied = chances * self._satisfied()[grades]
        return examine_in_turn(self.perseverance * (1.0 - satisfied)) * chances

    def _satisfied(self) -> Floats:
        known = self.satisfaction
        return np.array(known) if known else np.zeros(len(self.attraction))
