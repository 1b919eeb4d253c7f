"""Dependent click model: a session may go on after a click."""

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
class DependentClick(ClickModel):
    """P(click at k) = e_k a_k, e_{k+1} = e_k (1 − a_k (1 − λ_k)), e_1 = 1.

    λ_k is the chance of going on after a click at k: that of the position in Guo et al. (2009),
    1 − stop(grade) in simulations of online learning, whose users are the settings; here it is the
    product of both, one of which is 1.

    Guo, Liu, Wang (2009). Efficient multiple-click models in web search. WSDM. Hofmann, Whiteson,
    de Rijke (2013). Information Retrieval 16.
    """

    name: ClassVar[str] = "dependent-click"
    paper: ClassVar[str] = "Guo, Liu and Wang (2009), WSDM"
    default_setting: ClassVar[str] = "navigational"

    stop: tuple[float, ...] = ()
    """By grade; none: only the position decides."""
    onward: tuple[float, ...] = ()
    """λ by position, the last one for all that follow; none: 1."""

    @classmethod
    def settings(cls, grades: int) -> Mapping[str, Self]:
        """One for each type of user."""
        users = find_user_types(grades)
        return {name: cls(user.click, stop=user.stop) for name, user in users.items()}

    def tables(self, shown: int) -> UserTables:
        """Examination in turn that may go on after a click."""
        return UserTables(False, self.clicked, self._stops(), self._onward(shown))

    def expected_clicks(self, grades: Integers) -> Floats:
        """e_k a_k."""
        chances = self.clicked[grades]
        going_on = (1.0 - self._stops()[grades]) * self._onward(len(grades))
        return examine_in_turn(1.0 - chances * (1.0 - going_on)) * chances

    def _stops(self) -> Floats:
        return np.array(self.stop) if self.stop else np.zeros(len(self.attraction))

    def _onward(self, shown: int) -> Floats:
        known = self.onward or (1.0,)
        return np.array([known[min(place, len(known) - 1)] for place in range(shown)])
