"""Rankers that can also learn from data in shares on the workers of a cluster."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any

from rankwise.data.dataset import Dataset
from rankwise.models.model import Model
from rankwise.rankers.cluster.spread_data import SpreadData, ticking
from rankwise.rankers.ranker import Ranker, Watch, never_stop
from rankwise.rankers.remarks import add_remarks, unvalidated_remarks
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
        if validation is not None:
            self._refuse_validation(validation, train.n_features)
        able, remarks = self._able_to_choose(None, validation)
        scorer, facts = able._learn_on_cluster(train, validation, watch)
        facts = add_remarks(facts, remarks)
        if validation is None:
            facts = add_remarks(facts, unvalidated_remarks(facts) if self.uses_measure else [])
        return Model(self.name, able.parameters(), scorer, facts, self.paper)

    @abstractmethod
    def _learn_on_cluster(
        self, train: SpreadData, validation: Dataset | None, watch: Watch
    ) -> tuple[Scorer, dict[str, Any]]:
        """The learned function, and facts about the training (JSON values only)."""
