"""What every interleaving method offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.feedback.session_setting import SessionSetting

Floats = NDArray[np.float64]


class InterleavingMethod(ABC):
    """A way to make one list of two rankings, and to say from its clicks who is preferred."""

    name: ClassVar[str]
    paper: ClassVar[str]

    @abstractmethod
    def outcomes(
        self, setting: SessionSetting, one: Floats, other: Floats, sessions: int, seed: int
    ) -> Floats:
        """For every session from −1, the other ranker, to 1, the one."""

    @staticmethod
    def _refuse(code: int) -> None:
        if code < 0:
            raise MemoryError("the compiled core could not get the memory to interleave")
