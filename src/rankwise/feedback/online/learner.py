"""What every online learner offers: a state, sessions that change it, and scores from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.feedback.session_setting import SessionSetting
from rankwise.rankers.parameters import Parameter, check_parameters, parameters_of_fields

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OnlineLearner(ABC):
    """A method with its settings; all that it learns is in a state, an array.

    `guesses` are the parts of a method that its paper leaves open, or that could not be reached,
    and this implementation filled in.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    guesses: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_parameters(self, self.name)

    @classmethod
    def declared_parameters(cls) -> tuple[Parameter, ...]:
        """The settings, in order."""
        return parameters_of_fields(cls)

    @abstractmethod
    def start(self, dataset: Dataset) -> Floats:
        """The state before the first session with the queries of `dataset`."""

    @abstractmethod
    def advance(
        self, setting: SessionSetting, state: Floats, seed: int, first: int, count: int
    ) -> Floats:
        """Sessions `first` to `first` + `count`, which change the state; NDCG of what was shown."""

    @abstractmethod
    def score(self, state: Floats, feedback: Dataset, dataset: Dataset) -> Floats:
        """Scores of the documents of `dataset` by what was learned on the queries of `feedback`."""

    @staticmethod
    def _refuse(code: int) -> None:
        if code < 0:
            raise MemoryError("the compiled core could not get the memory to learn")


@dataclass(frozen=True)
class LinearLearner(OnlineLearner):
    """A learner whose state is w of w · x, from 0 on."""

    def start(self, dataset: Dataset) -> Floats:
        """w = 0."""
        return np.zeros(dataset.n_features)

    def score(self, state: Floats, feedback: Dataset, dataset: Dataset) -> Floats:
        """w · x."""
        return np.nan_to_num(dataset.to_dense().features) @ state
