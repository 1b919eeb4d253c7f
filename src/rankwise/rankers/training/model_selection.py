"""Training in rounds: the best round is chosen on validation, and training stops early."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.scorer import Scorer
from rankwise.rankers.ranker import Learned, Round, Training, Watch
from rankwise.rankers.training.training_measure import FollowedMeasure, TrainingMeasure

Form = TypeVar("Form", bound=Scorer, covariant=True)


class Steps(Protocol[Form]):
    """A function that gets better round by round."""

    def step(self) -> float:
        """Do one round; the loss that it saw."""

    def scorer(self) -> Form:
        """The function as it stands."""


@dataclass(frozen=True, eq=False)
class Judge:
    """What chooses the round: a measure on validation data, or on training data without any."""

    dataset: Dataset
    measure: FollowedMeasure

    @classmethod
    def of(cls, training: Training, measure: str, tool: str) -> Judge:
        """The mean of `measure` as `tool` has it."""
        dataset = training.judged
        return cls(dataset, FollowedMeasure(TrainingMeasure.of(dataset, measure, tool)))

    def value(self, scorer: Scorer) -> float:
        """The figure of a learned function."""
        return self.measure.mean(scorer.score_dataset(self.dataset))

    def facts(self, scorer: Scorer, value: float) -> dict[str, float]:
        """What a model says of the function that was chosen by its `value`."""
        return {"selection": float(value)}


def best_round(
    steps: Steps[Form], judge: Judge, *, rounds: int, patience: int, watch: Watch
) -> Learned[Form]:
    """The function of the best round, the first among equals, and facts about it.

    Training ends after `patience` rounds without a better one.
    """
    best, chosen, figure = steps.scorer(), 0, -np.inf
    number = 0
    while number < rounds and number - chosen < patience:
        number += 1
        loss = steps.step()
        scorer = steps.scorer()
        value = judge.value(scorer)
        if value > figure:
            best, chosen, figure = scorer, number, value
        if watch(Round(number, rounds, loss, value)):
            break
    return Learned(best, {"round": chosen, "rounds": number, **judge.facts(best, figure)})


def batches(train: Dataset, queries: int, rng: np.random.Generator) -> list[Dataset]:
    """The queries in random order, so many a batch; 0 is all of them as they stand."""
    if queries == 0 or queries >= train.n_queries:
        return [train]
    order = rng.permutation(train.n_queries)
    starts = range(0, train.n_queries, queries)
    return [train.select_queries(order[start : start + queries]) for start in starts]
