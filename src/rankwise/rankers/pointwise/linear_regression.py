"""Linear Regression: least squares on the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.optimizers.label_regression import regress
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.training_measure import TrainingMeasure

# b of g(y) = (b^y − 1) / (b − 1): how much a step of the label is worth beside the one before.
STEPS = {"plain": 1.0, "gain": 2.0, "binary": 0.0, "flat": 0.5, "steep": 4.0}


@dataclass(frozen=True)
class LinearRegression(Ranker):
    """Minimise Σ_i (w · x_i + c − g(y_i))² over all documents of all queries.

    Where documents have weights v, each square counts v_i times.

    With `label_mapping` plain, g(y) = y, this is LETOR's baseline. The others of the family
    g(y) = (b^y − 1) / (b − 1) are gain, b = 2, which is 2^y − 1; binary, b = 0, which is [y > 0]
    on whole labels; flat, b = 1/2; steep, b = 4. `chosen` takes the one whose function has the
    best `measure` on validation (on training data where there is none), plain first among equals.

    The minimiser is not unique where features are constant or depend on one another; the w of
    least norm is taken. `centre_in_query` subtracts the query's mean from features and labels,
    which no ranking can use; it ranks better and is no longer the published method. Features
    whose standard deviation exceeds 1 are divided by it while solving, and the weights scaled
    back: only which of several minimisers is taken can depend on it.

    Qin, Liu, Xu, Li (2010). LETOR: A benchmark collection for research on learning to rank for
    information retrieval. Information Retrieval 13.
    """

    name: ClassVar[str] = "linear-regression"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Qin, Liu, Xu and Li (2010), Information Retrieval 13(4)"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    weighs_as_copies: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True

    label_mapping: str = parameter(
        "plain",
        "what the labels are mapped to, or chosen: the best of these on validation",
        choices=(*STEPS, "chosen"),
    )
    centre_in_query: bool = parameter(False, "subtract the query's mean from features and labels")
    measure: str = parameter("MAP", "the measure that chooses the label mapping")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        # A misspelt name is told even where the mapping is given.
        find_tool(self.tool).measure(self.measure)
        if self.label_mapping != "chosen":
            return self._fitted(train, self.label_mapping)
        judged = train if validation is None else validation
        measure = TrainingMeasure.of(judged, self.measure, self.tool)
        fitted = {mapping: self._fitted(train, mapping) for mapping in STEPS}
        values = {
            name: measure.mean(found[0].score_dataset(judged)) for name, found in fitted.items()
        }
        best = max(values, key=values.__getitem__)
        scorer, facts = fitted[best]
        return scorer, {**facts, "label_mapping": best, "selection": values[best]}

    def _fitted(self, train: Dataset, mapping: str) -> tuple[Linear, dict[str, Any]]:
        targets = mapped_labels(train.labels, STEPS[mapping])
        return regress(
            train,
            targets,
            centre_in_query=self.centre_in_query,
            scale_large=True,
            weights=train.weights,
        )


def mapped_labels(labels: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """g(y) = (b^y − 1) / (b − 1), and its limit y for b = 1."""
    if step == 1.0:
        return labels
    return np.asarray((np.power(step, labels) - 1.0) / (step - 1.0), dtype=np.float64)
