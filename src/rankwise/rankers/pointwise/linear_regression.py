"""Linear Regression: least squares on the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear


@dataclass(frozen=True)
class LinearRegression(Ranker):
    """Minimise Σ_i (w · x_i + b − g(y_i))² over all documents of all queries.

    With plain labels, g(y) = y, this is LETOR's baseline. The minimiser is not unique where
    features are constant or duplicates; the one of least norm is taken. `label_mapping` "gain"
    fits 2^y − 1 instead; centring within the query removes what no ranking can use, and is no
    longer the published method, so it is its own option.

    Qin, Liu, Xu, Li (2010). LETOR: A benchmark collection for research on learning to rank for
    information retrieval. Information Retrieval 13.
    """

    name: ClassVar[str] = "linear-regression"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Qin, Liu, Xu and Li (2010), Information Retrieval 13(4)"

    label_mapping: str = parameter(
        "plain", "what the labels are mapped to", grid=("plain",), choices=("plain", "gain")
    )
    centre_in_query: bool = parameter(False, "subtract the query's mean from features and labels")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        raise NotImplementedError
