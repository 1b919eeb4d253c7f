"""Rankers that can also learn from data in shares on the workers of a cluster."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.cluster.spread_data import SpreadData, ticking
from rankwise.rankers.ranker import Model, Ranker, Watch, never_stop
from rankwise.rankers.registry import find_ranker, ranker_names
from rankwise.rankers.scorers.scorer import Scorer


@dataclass(frozen=True)
class SpreadingRanker(Ranker):
    """A ranker with a second way to fit, for training data that outgrow a machine."""

    def fit_on_cluster(
        self,
        train: SpreadData,
        validation: Dataset | None = None,
        *,
        watch: Watch = never_stop,
    ) -> Model:
        """Learn from `train`, which stays where it is; otherwise as `fit`."""
        train.each(partial(self._refuse, what="training"), ticking(watch, self.name))
        self._refuse_validation(validation, train.n_features)
        scorer, facts = self._learn_on_cluster(train, validation, watch)
        return Model(self.name, self.parameters(), scorer, facts, self.paper)

    @abstractmethod
    def _learn_on_cluster(
        self, train: SpreadData, validation: Dataset | None, watch: Watch
    ) -> tuple[Scorer, dict[str, Any]]:
        """The learned function, and facts about the training (JSON values only)."""


def spreading(ranker: type[Ranker]) -> type[SpreadingRanker]:
    """The same ranker where it can be trained over a cluster, else a sentence that names those."""
    if issubclass(ranker, SpreadingRanker):
        return ranker
    able = [name for name in ranker_names() if issubclass(find_ranker(name), SpreadingRanker)]
    raise RankwiseError(
        f"{ranker.name} cannot be trained over a cluster, only {', '.join(able)} can; train it on "
        "one machine"
    )
