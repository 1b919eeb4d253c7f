"""The label to be expected: the mean of the labels under probabilities that trees give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.json_values import numbers
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.scorers.trees import Trees

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExpectedLabel(Scorer):
    """f(x) = Σ_k l_k p_k(x), p_k(x) = exp(F_k(x)) / Σ_m exp(F_m(x)), F_k a sum of trees.

    Attributes:
        labels: l_k of every class.
        classes: F_k of every class.
    """

    kind: ClassVar[str] = "expected-label"
    labels: Floats
    classes: tuple[Trees, ...]

    @property
    def n_features(self) -> int:
        """The width of the data that it was learned from."""
        return self.classes[0].width

    def score(self, features: Floats) -> Floats:
        """The expected labels."""
        sums = [trees.score(features) for trees in self.classes]
        return expected_labels(self.labels, softmax_of(sums))

    def importance(self) -> Floats:
        """The gains of all splits on each feature, added over classes."""
        gains = np.zeros(self.n_features)
        for trees in self.classes:
            gains += trees.importance()
        return gains

    def as_json(self) -> dict[str, Any]:
        """`labels`, and the trees of every class."""
        classes = [trees.as_json() for trees in self.classes]
        return {"labels": self.labels.tolist(), "classes": classes}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ExpectedLabel:
        """From the values of `as_json`; one label per class, all classes of one width."""
        labels, classes = numbers(values, "labels"), values.get("classes")
        known = isinstance(classes, list) and all(isinstance(one, dict) for one in classes)
        if not known or not classes or len(classes) != len(labels):
            raise RankwiseError(
                f"a model file must have the trees of as many classes as it has labels, "
                f"{len(labels)}, at least one, found others"
            )
        trees = tuple(Trees.from_json(one) for one in classes)
        if len({one.width for one in trees}) != 1:
            raise RankwiseError("the classes of a model file must have equally many features")
        return cls(labels, trees)


def softmax_of(sums: list[Floats]) -> list[Floats]:
    """p_k of every document, class by class, each sum in the order of the classes."""
    highest = np.maximum.reduce(sums)
    # Leaves of a file may add up to infinities, which have no probabilities.
    with np.errstate(invalid="ignore"):
        masses = [np.exp(one - highest) for one in sums]
        total = np.add.reduce(masses)
        return [mass / total for mass in masses]


def expected_labels(labels: Floats, chances: list[Floats]) -> Floats:
    """Σ_k l_k p_k of every document."""
    total = np.zeros(len(chances[0]))
    with np.errstate(over="ignore", invalid="ignore"):
        for label, chance in zip(labels, chances, strict=True):
            total += label * chance
    return total
