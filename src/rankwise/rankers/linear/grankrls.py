"""GRankRLS: RankRLS on features that are chosen one by one, by the error on queries left out.

Pahikkala, Airola, Naula, Salakoski (2010). Greedy RankRLS: a linear time algorithm for learning
sparse ranking models. SIGIR 2010 Workshop on Feature Generation and Selection for Information
Retrieval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.linear import Linear
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.losses.listwise import centred
from rankwise.rankers.optimizers.least_squares import LeastSquares
from rankwise.rankers.parameters import convention, parameter, regularization, scale_large
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.training.model_selection import Judge, best_round
from rankwise.rankers.training.preferences import refuse_equal_labels, weigh_by_pairs


@dataclass(frozen=True)
class GRankRLS(Ranker):
    """Minimise 1/|P| Σ_{(i,j) ∈ P} ((y_i − y_j) − w · (x_i − x_j))² + λ ‖w‖², ‖w‖₀ ≤ k.

    P holds all pairs of documents of one query. From no feature on, the one joins that makes the
    mean squared error of pairs on queries left out the lowest, each query being left out in turn:
    exactly what solving anew for every feature and query would choose, in time linear in the
    documents, the features and k.

    The paper reports results for given k. Here k is the one of 1, 2, … `features` with the best
    `measure` on validation. Not `rankrls`, which keeps all features.

    Pahikkala, Airola, Naula, Salakoski (2010). Greedy RankRLS: a linear time algorithm for
    learning sparse ranking models. SIGIR 2010 Workshop on Feature Generation and Selection for
    Information Retrieval.
    """

    name: ClassVar[str] = "grankrls"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Pahikkala, Airola, Naula and Salakoski (2010), SIGIR workshop"
    uses_measure: ClassVar[bool] = True

    regularization: float = regularization(
        0.1, "the mean over pairs", norm="‖w‖²", grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    )
    features: int = parameter(
        50, "features at most; how many is chosen on validation", lowest=1, highest=100000
    )
    patience: int = parameter(
        50, "features without a better number of them before the search ends", lowest=1
    )
    scale_large: bool = scale_large()
    measure: str = parameter("MAP", "the measure that chooses the number of features")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        selection = GreedySelection(train, self.regularization, scale_large=self.scale_large)
        judge = Judge.of(training, self.measure, self.tool)
        found, facts = best_round(
            selection,
            judge,
            rounds=min(self.features, train.n_features),
            patience=self.patience,
            watch=training.watch,
        )
        kept = [column + 1 for column in selection.chosen[: facts["round"]]]
        return Learned(found, {**facts, "features_kept": len(kept), "features_in_order": kept})


_QUERIES = (INT64, INT64S, INT64)
_candidate_errors = function(
    "rankwise_candidate_errors", *(DOUBLES,) * 5, *_QUERIES, DOUBLES_OUT, DOUBLES_OUT
)
_add_feature = function(
    "rankwise_add_feature", DOUBLES, *(DOUBLES_OUT,) * 4, *_QUERIES, INT64, DOUBLES_OUT
)


class GreedySelection:
    """Every round the feature with which Σ_q E_q is lowest joins those chosen before.

    E_q is the sum over the pairs of query q of ((y_i − y_j) − w_q · (x_i − x_j))², w_q the weights
    that RankRLS learns on the chosen features from all queries but q. A round costs as many steps
    as the data have values, whatever was chosen before. Of equals the first feature is taken.
    """

    def __init__(self, train: Dataset, regularization: float, *, scale_large: bool) -> None:
        weights = weigh_by_pairs(train)
        problem = LeastSquares.of(
            train, train.labels, centre_in_query=True, scale_large=scale_large, weights=weights
        )
        penalty = regularization * train.n_documents
        roots = np.sqrt(weights)
        self._problem = problem.penalised(regularization)
        self._offsets = train.query_offsets
        self._features = _centred_rows(train) / problem.scales * roots[:, np.newaxis]
        # Before any feature is chosen G is I / μ.
        self._products = self._features / penalty
        self._inverse_products = self._features.copy()
        self._errors = centred(train.labels, train.query_offsets) * roots
        self._solved = self._errors / penalty
        self._documents = train.n_documents
        self.chosen: list[int] = []

    def step(self) -> float:
        """Choose one more feature; the mean over pairs of the squared error on left-out queries."""
        width, queries = self._features.shape[1], len(self._offsets) - 1
        state = (
            self._features,
            self._products,
            self._inverse_products,
            self._solved,
            self._errors,
            width,
            self._offsets,
            queries,
        )
        found = np.empty(width)
        _candidate_errors(*state, np.empty(6 * width), found)
        found[self.chosen] = np.inf
        best = int(np.argmin(found))
        _add_feature(*state, best, np.empty(2 * width))
        self.chosen.append(best)
        return float(found[best]) / self._documents

    def scorer(self) -> Linear:
        """RankRLS on the features chosen so far, solved anew: no rounding adds up."""
        return self._problem.solution(chosen=self.chosen)[0]


def _centred_rows(train: Dataset) -> np.ndarray:
    starts = train.query_offsets[:-1]
    means = np.add.reduceat(train.features, starts, axis=0) / train.query_lengths[:, np.newaxis]
    return np.asarray(train.features - np.repeat(means, train.query_lengths, axis=0))
