"""FSM-SVM: features that FSMRank keeps, ranked by RankSVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.pairwise.fsmrank import FSMRank
from rankwise.rankers.pairwise.selected_features import ranksvm_on
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Round, Watch, never_stop
from rankwise.rankers.scorers.linear import Linear


@dataclass(frozen=True)
class FSMSVM(Ranker):
    """Minimise λ/2 ‖w‖² + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))², w_k = 0 unless kept.

    P holds all pairs of documents of one query with y_i > y_j. Kept are the features to which
    `fsmrank`, with λ₁ and λ₂, gives a weight; the weights themselves are those of RankSVM, without
    a price on their size. That all of FSMRank's features are kept is a guess.

    Lai, Pan, Tang, Yu (2013). FSMRank: feature selection algorithm for learning to rank. IEEE
    Transactions on Neural Networks and Learning Systems 24.
    """

    name: ClassVar[str] = "fsm-svm"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = FSMRank.paper
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (*FSMRank.guesses, "all features with a weight are kept")
    sparsity: ClassVar[str | None] = "price"

    similarity: float = parameter(
        1e-2, "λ₁, the weight of likeness in FSMRank", grid=(1e-3, 1e-1), lowest=0.0, highest=1e9
    )
    price: float = parameter(
        1e-3,
        "λ₂, the weight of what features cost in FSMRank",
        grid=(3e-4, 1e-3, 3e-3, 1e-2),
        lowest=1e-9,
        highest=1e9,
    )
    regularization: float = parameter(
        0.1,
        "λ, the weight of ‖w‖²/2 beside the mean over pairs in RankSVM",
        grid=(1e-3, 1e-2, 1e-1),
        lowest=1e-9,
        highest=1e9,
    )
    measure: str = parameter("MAP", "the measure that tells the importance of a feature")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        filtering = FSMRank(
            similarity=self.similarity,
            regularization=self.price,
            measure=self.measure,
            tool=self.tool,
        )
        found, facts = filtering._learn(train, validation, rng, never_stop)
        if watch(Round(1, 2)):
            return found, facts
        learned = ranksvm_on(train, np.flatnonzero(found.weights), self.regularization, rng)
        watch(Round(2, 2))
        return learned
