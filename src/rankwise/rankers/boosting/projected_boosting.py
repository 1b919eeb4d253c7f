"""RankBoost trained anew for every query, with features that its own documents make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.boosting.exponential_loss import ExponentialLoss
from rankwise.rankers.boosting.query_projections import KERNELS, SVD, project
from rankwise.rankers.boosting.thresholds import MOST_THRESHOLDS, Thresholds
from rankwise.rankers.scorers.json_values import integers, numbers
from rankwise.rankers.scorers.list_scorer import ListScorer
from rankwise.rankers.scorers.nested import nested_json, nested_scorer
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.training.label_levels import LabelLevels, has_preference

Floats = NDArray[np.float64]

# Losses and edges are relative to all pairs; below this nothing is left to gain.
_NOTHING = 1e-12
# Deviations beyond which products of projections would be no numbers.
_FARTHEST = 1e50
_SETTINGS = ("components", "rounds", "thresholds")


@dataclass(frozen=True, eq=False)
class ProjectedBoosting(ListScorer):
    """F_q = Σ_t α_t h_t over features x and projections z_q(x) that the documents of q make.

    There is no function before there is a query: its documents give z_q, the training documents
    are projected too, and RankBoost runs `rounds` rounds on both kinds of features. So the model
    holds the training data.

    Attributes:
        train: the training data: features, labels and queries.
        plain: RankBoost on the features alone: what counts, and ranks queries that span nothing.
        projection: `svd`, or the kernel of the principal components.
        components: how many projections there are at most.
        rounds: how many stumps there are at most.
        thresholds: how many a feature has.
    """

    kind: ClassVar[str] = "projected-boosting"
    train: Dataset
    plain: Scorer
    projection: str
    components: int
    rounds: int
    thresholds: int

    @property
    def n_features(self) -> int:
        """As the training data have."""
        return self.train.n_features

    def importance(self) -> Floats:
        """What features count in RankBoost without projections, which are no features of data."""
        return self.plain.importance()

    def by_round(self, features: Floats) -> Floats:
        """(rounds, documents): the scores of a query's documents after each round.

        Where nothing is left to gain earlier, the last scores stay.
        """
        found = np.zeros((self.rounds, len(features)))
        scores = np.zeros(len(features))
        number = 0
        for number, raised in enumerate(self._steps(features), 1):
            scores = scores + raised
            found[number - 1] = scores
        found[number:] = scores
        return found

    def _score_list(self, rows: Floats) -> Floats:
        scores = np.zeros(len(rows))
        for raised in self._steps(rows):
            scores = scores + raised
        return scores

    def _steps(self, features: Floats) -> Iterator[Floats]:
        """What each stump adds to the scores of the documents of a query."""
        own_codes, codes = self._codes(features)
        loss = ExponentialLoss(self._levels)
        scores = np.zeros(self.train.n_documents)
        for _ in range(self.rounds):
            step = loss.next_stump(codes, scores, self.thresholds)
            if abs(step.stump.edge) <= _NOTHING or step.loss <= _NOTHING:
                return
            column, place = step.stump.column, step.stump.place
            np.add(scores, step.weight, out=scores, where=codes[column] >= place)
            yield np.where(own_codes[column] >= place, step.weight, 0.0)

    def _codes(self, features: Floats) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The codes of a query's documents and of the training documents, projections last."""
        own = self._plain_thresholds.codes(features)
        if len(features) < 2:
            return own, self._plain_codes
        mine, theirs = project(
            self.projection, self._scaled(features), self._scaled_train, self.components
        )
        added = Thresholds.of(theirs, self.thresholds)
        return (
            np.vstack([own, added.codes(mine)]),
            np.vstack([self._plain_codes, added.codes(theirs)]),
        )

    @cached_property
    def _levels(self) -> LabelLevels:
        return LabelLevels.of(self.train)

    @cached_property
    def _plain_thresholds(self) -> Thresholds:
        return Thresholds.of(self.train.features, self.thresholds)

    @cached_property
    def _plain_codes(self) -> NDArray[np.uint8]:
        return self._plain_thresholds.codes(self.train.features)

    @cached_property
    def _scaled_train(self) -> Floats:
        return self._scaled(self.train.features)

    @cached_property
    def _scales(self) -> tuple[Floats, Floats]:
        values = self.train.features
        means = np.zeros(self.n_features) if self.projection == SVD else values.mean(axis=0)
        scales = values.std(axis=0)
        return means, np.where(scales > 1e-12 * np.abs(values).max(axis=0), scales, np.inf)

    def _scaled(self, features: Floats) -> Floats:
        """Divided by deviations; a constant feature, and what is no number, becomes 0."""
        means, scales = self._scales
        found = np.clip((features - means) / scales, -_FARTHEST, _FARTHEST)
        return np.where(np.isnan(found), 0.0, found)

    def as_json(self) -> dict[str, Any]:
        """The training data and the settings."""
        return {
            "projection": self.projection,
            **{name: getattr(self, name) for name in _SETTINGS},
            "width": self.n_features,
            "training_features": self.train.features.ravel().tolist(),
            "training_labels": self.train.labels.tolist(),
            "training_lengths": self.train.query_lengths.tolist(),
            "plain": nested_json(self.plain),
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ProjectedBoosting:
        """From the values of `as_json`."""
        names = (*_SETTINGS, "width")
        settings = integers({"settings": [values.get(name) for name in names]}, "settings")
        components, rounds, thresholds, width = (int(number) for number in settings)
        plain = nested_scorer(values, "plain")
        train = _training_data(values, width)
        projection = values.get("projection")
        if (
            min(components, rounds, thresholds) < 1
            or thresholds > MOST_THRESHOLDS
            or projection not in (*KERNELS, SVD)
            or plain.n_features != width
        ):
            raise RankwiseError(
                "a model of projected boosting must have components, rounds and thresholds from 1 "
                "and a known projection, found others"
            )
        return cls(train, plain, projection, components, rounds, thresholds)


def _training_data(values: dict[str, Any], width: int) -> Dataset:
    features, labels = numbers(values, "training_features"), numbers(values, "training_labels")
    lengths = integers(values, "training_lengths")
    fits = width >= 1 and len(features) == len(labels) * width
    if not fits or not len(lengths) or (lengths < 1).any() or lengths.sum() != len(labels):
        raise RankwiseError(
            "the training data in a model file must have labels and features for each document "
            "of its queries, found numbers that do not fit together"
        )
    found = bare_dataset(features.reshape(-1, width), labels, lengths)
    if not has_preference(found):
        raise RankwiseError("the training data in a model file must have different labels")
    return found


def bare_dataset(features: Floats, labels: Floats, lengths: NDArray[np.int64]) -> Dataset:
    """A data set of nothing but numbers, its queries numbered from 1."""
    return Dataset.from_arrays(features, labels, group=lengths)
