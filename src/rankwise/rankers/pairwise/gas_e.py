"""GAS-E: features chosen greedily by importance and unlikeness, ranked by RankSVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.feature_selection.choosing import choose_features
from rankwise.rankers.pairwise.selected_features import ranksvm_on
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Round, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import refuse_equal_labels


@dataclass(frozen=True)
class GASE(Ranker):
    """Minimise λ/2 ‖w‖² + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))², w_k = 0 unless chosen.

    P holds all pairs of documents of one query with y_i > y_j. t features are chosen, one after
    the other: always that of greatest worth v_k, whereupon v_l ← v_l − 2c e_kl for all others. At
    first v_k is the `measure` (the E of the name, for evaluation; -L would be a loss) of ranking
    the training queries by feature k alone, in the better direction; e_kl is Kendall's τ between
    the rankings by k and by l, averaged over queries.

    The same choice as `rankwise features select --method gas`, where the ranker is free. e is the
    absolute τ-b, as a feature that ranks in the opposite order says the same. The paper's RankSVM
    is here `ranksvm-primal`.

    Geng, Liu, Qin, Li (2007). Feature selection for ranking. SIGIR.
    """

    name: ClassVar[str] = "gas-e"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Geng, Liu, Qin and Li (2007), SIGIR"
    follows_tool: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True
    sparsity: ClassVar[str | None] = "keep"

    keep: int = parameter(
        20, "t, how many features; all where there are fewer", grid=(5, 10, 20, 30), lowest=1
    )
    similarity_weight: float = parameter(
        0.01,
        "c, how much being like a chosen feature counts against one",
        grid=(0.0, 0.01, 0.1),
        lowest=0.0,
        highest=1e9,
    )
    regularization: float = parameter(
        0.1,
        "λ, the weight of ‖w‖²/2 beside the mean over pairs",
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
        refuse_equal_labels(train, self.name)
        chosen = choose_features(
            train,
            "gas",
            min(self.keep, train.n_features),
            measure=self.measure,
            tool=self.tool,
            similarity_weight=self.similarity_weight,
        )
        kept = np.sort(np.array(chosen.features, dtype=np.int64))
        learned = ranksvm_on(train, kept, self.regularization, rng)
        watch(Round(1, 1))
        return learned
