"""AdaRank: boosting single features towards a measure, AdaRank-MAP and AdaRank-NDCG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.models.scorers.linear import Linear
from rankwise.rankers.boosting.weak_rankers import (
    BoostingRules,
    Pool,
    RoundSelection,
    boost,
    reweighting,
)
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.round_measures import (
    SAME,
    objective_facts,
    objective_tool,
    selection_measures,
)
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure


@dataclass(frozen=True)
class AdaRankMAP(Ranker):
    """F = Σ_t b_t h_t, each h_t a single feature, greedily lowering Σ_i exp(−E(x_i, y_i, F)).

    h_t = argmax_h Σ_i P_t(i) E(x_i, y_i, h),  b_t = ½ ln (Σ_i P_t(i) (1 + E_i) / Σ_i P_t(i) (1 −
    E_i)), P_{t+1}(i) ∝ exp(−E(x_i, y_i, F_t)) for the `published` re-weighting, which settles on
    very few features; `multiplicative`, P_{t+1}(i) ∝ P_t(i) exp(−b_t E(x_i, y_i, F_t)), lets hard
    queries gain weight from round to round and is not the paper's.

    Deviations: the paper stops when the training measure no longer grows, here the round is the
    one with the best E, or another `selection`, on validation (on training data where there is
    none). A feature that is constant within every query is no weak ranker: the order of the file
    would earn its figure. Where the tool computes no E, it is the definition's.

    Xu and Li (2007). AdaRank: a boosting algorithm for information retrieval. SIGIR.
    """

    name: ClassVar[str] = "adarank-map"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Xu and Li (2007), SIGIR"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    keeps_measure: ClassVar[bool] = True

    rounds: int = parameter(500, "rounds at most; the best one is chosen on validation", lowest=1)
    reweighting: str = reweighting()
    measure: str = parameter("MAP", "the measure E that is boosted")
    selection: str = parameter(SAME, "the measure that chooses the round; same: E")
    tool: str = convention("measures")

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        objective = objective_tool(self.measure, self.tool)
        measure = TrainingMeasure.of(train, self.measure, objective)
        pool = Pool.of(np.eye(train.n_features), train, measure)
        chosen_by = selection_measures(self.selection, self.measure, self.tool)
        selection = RoundSelection.of(training.judged, chosen_by)
        rules = BoostingRules(rounds=self.rounds, reweighting=self.reweighting)
        boosted = boost(pool, train, measure, selection, rules, training.watch)
        return Learned(
            Linear(boosted.weights), boosted.facts() | objective_facts(objective, self.tool)
        )


@dataclass(frozen=True)
class AdaRankNDCG(AdaRankMAP):
    """AdaRank with NDCG@5 for E; everything else as in `AdaRankMAP`.

    Not NDCG@10, since LETOR's scripts give a query with fewer documents than the cut-off a
    constant 0, and half of the queries of MQ2008 have fewer than ten.

    Xu and Li (2007). AdaRank: a boosting algorithm for information retrieval. SIGIR.
    """

    name: ClassVar[str] = "adarank-ndcg"

    measure: str = parameter("NDCG@5", "the measure E that is boosted")
