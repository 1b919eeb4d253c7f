"""SortNet: a network that compares two documents, by which lists are sorted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.pairwise.comparator_training import ComparatorTraining
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.comparator import Comparator
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.rounds import Judge, best_round


@dataclass(frozen=True)
class SortNet(Ranker):
    """Minimise 1/|P| Σ_{(x,y) ∈ P} (1 − N(x, y))² + N(y, x)² + λ/2 ‖weights‖², x better than y.

    N(x, y), how far x precedes y, is the logistic function of

        Σ_h a_h tanh(u_h · x + v_h · y + c_h) + a'_h tanh(u_h · y + v_h · x + c_h) + b :

    each hidden unit has a twin that sees the documents exchanged, so that what the second output
    of the paper's network says of (x, y) is N(y, x). P begins empty; each round sorts the training
    queries, adds pairs that are misplaced and trains on from the last weights, and the round with
    the best `measure` on validation data is taken.

    Deviations: the comparison need not be transitive, so that a list is sorted by the number of
    wins (`Comparator`), which needs all pairs instead of a sorting algorithm's and does not depend
    on the order in the file. A query adds `pairs_per_query` misplaced pairs at most, drawn at
    random. Adam over all pairs takes the place of plain back-propagation.

    Rigutini, Papini, Maggini, Scarselli (2008). SortNet: learning to rank by a neural-based sorting
    algorithm. SIGIR workshop on learning to rank.
    """

    name: ClassVar[str] = "sortnet"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Rigutini et al. (2008), SIGIR workshop on learning to rank"
    uses_measure: ClassVar[bool] = True
    random: ClassVar[bool] = True

    hidden: int = parameter(10, "hidden units, each with its twin", lowest=1, highest=4096)
    learning_rate: float = parameter(0.003, "length of Adam's steps", lowest=1e-9, highest=10.0)
    regularization: float = parameter(
        3e-2,
        "λ, the weight of ‖weights‖²/2 beside the mean error",
        grid=(1e-2, 3e-2, 1e-1),
        lowest=0.0,
    )
    rounds: int = parameter(30, "rounds at most: sorting, adding pairs, training", lowest=1)
    steps: int = parameter(10, "steps of Adam in a round", lowest=1)
    pairs_per_query: int = parameter(50, "misplaced pairs that a query adds in a round", lowest=1)
    patience: int = parameter(10, "rounds without a better one after which training ends", lowest=1)
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Comparator, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        find_tool(self.tool).measure(self.measure)
        training = ComparatorTraining(
            train,
            self.hidden,
            steps=self.steps,
            pairs_per_query=self.pairs_per_query,
            rate=self.learning_rate,
            regularization=self.regularization,
            rng=rng,
        )
        judge = Judge.of(train, validation, self.measure, self.tool)
        return best_round(training, judge, rounds=self.rounds, patience=self.patience, watch=watch)
