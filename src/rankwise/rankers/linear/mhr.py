"""MHR: one ranking hyperplane for every two labels, added up."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats
from rankwise.rankers.linear.ranksvm import RankSVMPrimal
from rankwise.rankers.losses.listwise import centred
from rankwise.rankers.parameters import parameter, regularization
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training
from rankwise.rankers.training.preferences import has_preference, refuse_equal_labels

_MOST_LABELS = 16


@dataclass(frozen=True)
class MHR(Ranker):
    """f(x) = Σ_{k > l} v_kl w_kl · x / σ_kl, w_kl the RankSVM of the labels k and l alone.

    w_kl minimises λ/2 ‖w‖² + 1/|P_kl| Σ_{(i,j) ∈ P_kl} max(0, 1 − w · (x_i − x_j))² over the pairs
    of one query with y_i = k and y_j = l. σ_kl is the deviation of the scores w_kl · x within the
    training queries, which makes hyperplanes comparable. v_kl is 1 (`equal`) or k − l (`distance`).

    Deviations: the paper aggregates the rankings of the hyperplanes by Borda counts, in which a
    document's score depends on the others of its query; here scaled scores are added, so that the
    model is one linear function. The weights v are a guess. The hinge is squared. Not `ranksvm`,
    which puts all pairs of labels into one hyperplane.

    Qin, Zhang, Wang, Liu, Lai, Li (2007). Ranking with multiple hyperplanes. SIGIR.
    """

    name: ClassVar[str] = "mhr"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Qin, Zhang, Wang, Liu, Lai and Li (2007), SIGIR"
    guesses: ClassVar[tuple[str, ...]] = ("scores are added instead of ranks", "the weights")

    regularization: float = regularization(0.1, "the mean over pairs", grid=(1e-3, 1e-2, 1e-1, 1.0))
    weights: str = parameter(
        "equal",
        "what a hyperplane counts: all the same, or by the distance of its labels",
        grid=("equal", "distance"),
        choices=("equal", "distance"),
    )

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        labels = np.unique(train.labels)
        if len(labels) > _MOST_LABELS:
            raise RankwiseError(
                f"{self.name} trains a hyperplane for every two labels, of which there may be at "
                f"most {_MOST_LABELS}, found {len(labels)}; bring the labels to fewer levels first"
            )
        pairs = list(combinations(labels.tolist(), 2))
        total = np.zeros(train.n_features)
        used = 0
        for number, (low, high) in enumerate(pairs, 1):
            part = _documents_with(train, low, high)
            if part is not None:
                used += 1
                count = high - low if self.weights == "distance" else 1.0
                total += count * self._hyperplane(part, train)
            if training.watch(Round(number, len(pairs))):
                break
        return Learned(Linear(total), {"hyperplanes": used})

    def _hyperplane(self, part: Dataset, train: Dataset) -> Floats:
        """The weights for two labels, scaled so that scores of all documents deviate by 1."""
        ranker = RankSVMPrimal(regularization=self.regularization)
        found, _ = ranker._learn(Training(part))
        scores = centred(found.score(train.features), train.query_offsets)
        deviation = float(np.sqrt((scores * scores).mean()))
        return found.weights / deviation if deviation > 0.0 else found.weights


def _documents_with(train: Dataset, low: float, high: float) -> Dataset | None:
    """The documents of two labels, in the queries that have any; None where no query has both."""
    kept = (train.labels == low) | (train.labels == high)
    counts = np.add.reduceat(kept, train.query_offsets[:-1], dtype=np.int64)
    queries = np.flatnonzero(counts)
    part = Dataset(
        features=train.features[kept],
        labels=train.labels[kept],
        query_offsets=np.append(0, np.cumsum(counts[queries])),
        query_ids=train.query_ids.take(queries),
    )
    return part if len(queries) and has_preference(part) else None
