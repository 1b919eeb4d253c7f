"""What every click model says: chances by grade and position, and its expected clicks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class UserTables:
    """A user as tables, which is all that compiled code knows of one.

    With `independent`, position k is examined with chance positions[k], whatever happens elsewhere.
    Else a user begins at the top; after a click on grade g at position k the next position is
    examined with chance (1 − satisfaction[g]) · positions[k], after none with `perseverance`. An
    examined document of grade g is clicked with chance attraction[g].
    """

    independent: bool
    attraction: Floats
    satisfaction: Floats
    positions: Floats
    perseverance: float = 1.0


@dataclass(frozen=True)
class ClickModel(ABC):
    """A user of ranked lists, with the chances that the model's papers name.

    Attributes:
        attraction: by grade, the chance of a click on an examined document.
        noise: the share of clicks that no grade decides: attraction a becomes
            (1 − noise) · a + noise / 2.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    default_setting: ClassVar[str]

    attraction: tuple[float, ...]
    noise: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            values = getattr(self, field.name)
            for value in values if isinstance(values, tuple) else (values,):
                if field.name not in self._unbounded() and not 0.0 <= value <= 1.0:
                    raise RankwiseError(
                        f"{self.name}: {field.name} must be chances from 0 to 1, found {value:g}"
                    )

    @classmethod
    @abstractmethod
    def settings(cls, grades: int) -> Mapping[str, Self]:
        """The published settings for labels 0 to `grades` − 1, by name."""

    @abstractmethod
    def tables(self, shown: int) -> UserTables:
        """The user of lists of `shown` positions."""

    @abstractmethod
    def expected_clicks(self, grades: Integers) -> Floats:
        """The chance of a click at every position of a list of these grades, in closed form."""

    @property
    def clicked(self) -> Floats:
        """By grade, the chance of a click on an examined document, noise included."""
        return (1.0 - self.noise) * np.array(self.attraction) + self.noise / 2.0

    @classmethod
    def _unbounded(cls) -> tuple[str, ...]:
        """Fields that are no chances."""
        return ()


def examine_in_turn(onward: Floats) -> Floats:
    """The chance that each position is examined, `onward` being that of going on from it."""
    return np.concatenate([np.ones(1), np.cumprod(onward[:-1])])
