"""The one interface of all methods: `fit(train, validation) -> Model`, `Model.score(dataset)`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.compilation import compiling_for
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.kernels import kernels_of
from rankwise.rankers.parameters import check_parameters, parameters_of
from rankwise.rankers.scorers.scorer import Scorer

Family = Literal["pointwise", "pairwise", "listwise"]


@dataclass(frozen=True)
class Round:
    """How training stands after a round: what the progress line shows."""

    number: int
    total: int
    training: float | None = None
    validation: float | None = None


# Told after every round; true means stop now and return the best model so far.
Watch = Callable[[Round], bool]


def unwatched(progress: Round) -> bool:
    """The watch of those who do not look: never stops training."""
    return False


@dataclass(frozen=True)
class Model:
    """A learned ranking function and how it came about.

    Attributes:
        ranker: the registered name of the method.
        parameters: its hyper-parameters.
        scorer: everything needed to score.
        facts: what training found out, e.g. the chosen round or the objective reached.
    """

    ranker: str
    parameters: Mapping[str, Any]
    scorer: Scorer
    facts: Mapping[str, Any] = field(default_factory=dict)

    def score(self, dataset: Dataset) -> NDArray[np.float64]:
        """One score per row, higher is better, in row order."""
        if dataset.n_features != self.scorer.n_features:
            raise RankwiseError(
                f"the model was trained on {self.scorer.n_features} features, "
                f"found {dataset.n_features}; bring the data to the same features first"
            )
        return self.scorer.score(dataset.features)


@dataclass(frozen=True)
class Ranker(ABC):
    """A method with its hyper-parameters, nothing else; training state lives in `fit`.

    A subclass is a frozen dataclass whose fields are made by `parameter(...)`, and states the
    class-level facts below. Its docstring gives the objective as an equation, the citation, and
    where it deviates from the paper and why.
    """

    name: ClassVar[str]
    family: ClassVar[Family]
    paper: ClassVar[str]
    handles_null: ClassVar[bool] = False
    uses_measure: ClassVar[bool] = False
    random: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self, self.name)

    def fit(
        self,
        train: Dataset,
        validation: Dataset | None = None,
        *,
        seed: int = 0,
        watch: Watch = unwatched,
    ) -> Model:
        """Learn from `train`; `validation`, where given, chooses the round or stops early."""
        self._refuse(train, "training")
        self._refuse_validation(validation, train.n_features)
        own = type(self)
        with compiling_for(self.name, partial(kernels_of, own.__module__, own.__qualname__)):
            scorer, facts = self._learn(train, validation, np.random.default_rng(seed), watch)
        return Model(self.name, self.parameters(), scorer, facts)

    def parameters(self) -> dict[str, Any]:
        """Hyper-parameters by name."""
        names = {declared.name for declared in parameters_of(self)}
        return {name: value for name, value in asdict(self).items() if name in names}

    @abstractmethod
    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Scorer, dict[str, Any]]:
        """The learned function, and facts about the training (JSON values only)."""

    def _refuse_validation(self, validation: Dataset | None, width: int) -> None:
        if validation is None:
            return
        self._refuse(validation, "validation")
        if validation.n_features != width:
            raise RankwiseError(
                "training and validation data must have equally many features, "
                f"found {width} and {validation.n_features}"
            )

    def _refuse(self, dataset: Dataset, what: str) -> None:
        """Data that no method, or not this one, can learn from."""
        if dataset.n_features == 0:
            raise RankwiseError(f"{self.name}: the {what} data must have features, found none")
        if np.isinf(dataset.features).any():
            raise RankwiseError(
                f"{self.name}: the {what} data must be finite, found infinite values"
            )
        if not self.handles_null and np.isnan(dataset.features).any():
            raise RankwiseError(
                f"{self.name} cannot take NULL features, found some in the {what} data; fill them "
                "first: rankwise data normalize IN OUT --to min"
            )
