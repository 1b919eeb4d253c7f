"""RankBoost with features of the query at hand: RankBoost (Kernel-PCA) and RankBoost (SVD).

It is trained anew for every query, with features that the unlabelled documents of this query make:
principal components, or singular vectors. A projection is found on the documents X of a query and
applied to any others. Features are first divided by their deviation over the training data (and
counted from their mean for kernels).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.scorer import (
    ListScorer,
    Scorer,
    integers,
    nested_json,
    nested_scorer,
    numbers,
)
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.boosting.rankboost import (
    MOST_THRESHOLDS,
    ExponentialLoss,
    StumpRules,
    Thresholds,
    boost_stumps,
)
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training, Watch
from rankwise.rankers.training.preferences import LabelLevels, has_preference, refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure


@dataclass(frozen=True)
class TransductiveBoostingRanker(Ranker):
    """A ranker that differs from others of its kind only in the projection."""

    uses_measure: ClassVar[bool] = True

    components: int = parameter(5, "projections of a query's documents at most", lowest=1)
    rounds: int = parameter(150, "rounds at most; how many is chosen on validation", lowest=1)
    thresholds: int = parameter(
        MOST_THRESHOLDS, "equally spaced thresholds a feature", lowest=1, highest=MOST_THRESHOLDS
    )
    measure: str = parameter("MAP", "the measure that chooses the number of rounds")
    tool: str = convention()

    @abstractmethod
    def _projection(self) -> str:
        """What makes the new features."""

    def _learn(self, training: Training) -> Learned[ProjectedBoosting]:
        train = training.train
        refuse_equal_labels(train, self.name)
        rules = StumpRules(self.rounds, self.thresholds, self.measure, self.tool)
        loss = ExponentialLoss(LabelLevels.of(train))
        plain, _ = boost_stumps(Training(train), loss, rules)
        scorer = ProjectedBoosting(
            bare_dataset(train.features, train.labels, train.query_lengths),
            plain,
            self._projection(),
            self.components,
            self.rounds,
            self.thresholds,
        )
        if training.validation is None:
            training.watch(Round(1, 1))
            return Learned(scorer, {"round": self.rounds, "rounds": self.rounds})
        return self._chosen(scorer, training.validation, training.watch)

    def _chosen(
        self, scorer: ProjectedBoosting, validation: Dataset, watch: Watch
    ) -> Learned[ProjectedBoosting]:
        """With the number of rounds that is best on validation, the first among equals.

        Each validation query has a training of its own; a watch that stops leaves those before it.
        """
        found = []
        for number, query in enumerate(validation.queries(), 1):
            found.append(scorer.by_round(query.features))
            if watch(Round(number, validation.n_queries)):
                break
        seen = validation.select_queries(slice(0, len(found)))
        measure = TrainingMeasure.of(seen, self.measure, self.tool, ties="expected")
        figures = measure.figures(measure.values(np.hstack(found)))
        best = int(np.argmax(figures))
        facts = {"round": best + 1, "rounds": self.rounds, "selection": float(figures[best])}
        return Learned(replace(scorer, rounds=best + 1), facts)


KERNELS = ("rbf", "polynomial", "linear")
SVD = "svd"

# Eigenvalues below this share of the greatest are rounding.
_LEAST_SHARE = 1e-10
_DIGITS = 9


def project(kind: str, own: Floats, others: Floats, components: int) -> tuple[Floats, Floats]:
    """The projections of a query's own documents and of others: (documents, components) each.

    There are fewer components where the documents span fewer. Values are rounded to nine places
    of the largest, since libraries of linear algebra sum in different orders.
    """
    found = _singular(own, others) if kind == SVD else _kernel_principal(kind, own, others)
    mine, theirs = (part[:, :components] for part in found)
    largest = np.abs(np.vstack([mine, theirs])).max(axis=0, initial=0.0)
    unit = np.where(largest > 0.0, largest, 1.0)
    return np.round(mine / unit, _DIGITS), np.round(theirs / unit, _DIGITS)


def kernel_values(kind: str, left: Floats, right: Floats) -> Floats:
    """k(x, y) of all pairs: x · y, (1 + x · y / d)², or exp(−‖x − y‖² / d), d features."""
    products = left @ right.T
    if kind == "linear":
        return np.asarray(products)
    width = left.shape[1]
    if kind == "polynomial":
        return np.asarray((1.0 + products / width) ** 2)
    squares = np.square(left).sum(axis=1)[:, np.newaxis] + np.square(right).sum(axis=1)
    return np.asarray(np.exp(-np.maximum(squares - 2.0 * products, 0.0) / width))


def _kernel_principal(kind: str, own: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Kernel PCA: Σ_i v_ki k̃(x, x_i) / √λ_k, k̃ the kernel centred on the query's documents.

    λ_k and v_k are eigenvalues, falling, and eigenvectors of K̃_ij = k̃(x_i, x_j), with

        k̃(x, x_i) = k(x, x_i) − mean_j k(x, x_j) − mean_j k(x_j, x_i) + mean_jl k(x_j, x_l).

    Schölkopf, Smola, Müller (1998). Nonlinear component analysis as a kernel eigenvalue problem.
    """
    gram = kernel_values(kind, own, own)
    rows, mean = gram.mean(axis=0), gram.mean()

    def centred(kernel: Floats) -> Floats:
        return np.asarray(kernel - kernel.mean(axis=1)[:, np.newaxis] - rows + mean)

    values, vectors = np.linalg.eigh(centred(gram))
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = values > _LEAST_SHARE * max(float(values[0]), 0.0)
    scaled = _signed(vectors[:, kept]) / np.sqrt(values[kept])
    return centred(gram) @ scaled, centred(kernel_values(kind, others, own)) @ scaled


def _singular(own: Floats, others: Floats) -> tuple[Floats, Floats]:
    """V^T x for the right singular vectors V of X = U Σ V^T, singular values falling."""
    _, values, vectors = np.linalg.svd(own, full_matrices=False)
    kept = values > _LEAST_SHARE * max(float(values[0]), 0.0)
    directions = _signed(vectors[kept].T)
    return own @ directions, others @ directions


def _signed(vectors: Floats) -> Floats:
    """Columns whose entry of the greatest size is positive: libraries choose signs freely."""
    if not vectors.shape[1]:
        return vectors
    largest = np.argmax(np.abs(np.round(vectors, _DIGITS)), axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0.0, 1.0, signs)


@dataclass(frozen=True)
class RankBoostKernelPCA(TransductiveBoostingRanker):
    """For every query q to be ranked, RankBoost on the features (x, z_q(x)).

    z_q(x)_k = Σ_i v_ki k̃(x, x_i) / √λ_k: the first components of a kernel PCA on the documents
    x_i of q, whose labels nobody needs to know. Training documents are projected alike, RankBoost
    is trained on them, and its function ranks q alone. `rankboost` says what RankBoost is.

    So a model holds the training data, and scoring a query takes a training. The kernel is
    x · y, (1 + x · y / d)² or exp(−‖x − y‖² / d), d the number of features, which are counted from
    their mean in units of their deviation over the training data. Deviations: the paper's diffusion
    kernel is defined between the documents of a query only, and is left out; kernels are chosen
    on validation one by one, not together. The number of rounds is chosen on validation, where
    each query has a training of its own.

    Duh, Kirchhoff (2008). Learning to rank with partially-labeled data. SIGIR.
    """

    name: ClassVar[str] = "rankboost-kernel-pca"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Duh and Kirchhoff (2008), SIGIR"
    guesses: ClassVar[tuple[str, ...]] = (
        "features are standardised before kernels, whose widths are the number of features",
        "one kernel at a time, chosen on validation",
    )

    kernel: str = parameter(
        "rbf", "of the principal components", grid=("rbf", "linear"), choices=KERNELS
    )

    def _projection(self) -> str:
        return self.kernel


@dataclass(frozen=True)
class RankBoostSVD(TransductiveBoostingRanker):
    """For every query q to be ranked, RankBoost on the features (x, V_q^T x).

    X_q = U Σ V_q^T has the documents of q as rows, each feature divided by its deviation over the
    training data; the right singular vectors of the greatest singular values make the new
    features, of training documents too. RankBoost (`rankboost`) trained on them ranks q alone, so
    that a model holds the training data and scoring a query takes a training.

    That unlabelled documents give singular vectors, and these new features of RankBoost, is known;
    which matrix is decomposed and how many vectors are kept is not: here it is, as in
    `rankboost-kernel-pca`, that of the query.

    Lin, Lin, Yang, Su (2009). A boosting approach for learning to rank using SVD with partially
    labeled data. AIRS.
    """

    name: ClassVar[str] = "rankboost-svd"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Lin, Lin, Yang and Su (2009), AIRS"
    guesses: ClassVar[tuple[str, ...]] = (
        "the matrix is that of the documents of the query that is ranked",
        "how many singular vectors are kept",
    )

    components: int = parameter(
        5, "singular vectors of a query's documents at most", grid=(2, 5), lowest=1
    )

    def _projection(self) -> str:
        return SVD


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


def bare_dataset(features: Floats, labels: Floats, lengths: Integers) -> Dataset:
    """A data set of nothing but numbers, its queries numbered from 1."""
    return Dataset.from_arrays(features, labels, group=lengths)
