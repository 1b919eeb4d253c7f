"""Any ranker, trained on each class of queries.

Where the data have no classes, or where asked, these are clusters of queries by k-means, the same
for every seed and order of summation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.by_query import (
    ClassModels,
    Clusters,
    QueryPoints,
    find_points,
    find_scales,
)
from rankwise.models.scorers.scorer import Scorer
from rankwise.native.arrays import Floats
from rankwise.rankers.parameters import parameter
from rankwise.rankers.query_dependent.neighbours import find_reference, reference
from rankwise.rankers.ranker import Learned, Round, Training, add_remarks
from rankwise.rankers.round_measures import map_or_other
from rankwise.rankers.training.preferences import has_preference, refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.wrapper import Wrapper

TRIED = (1, 2, 4)
"""Numbers of clusters of which validation chooses one."""


@dataclass(frozen=True)
class PerClass(Wrapper):
    """f(x, q) = f_c(q)(x): the wrapped ranker learns one model for each class of queries.

    c(q) is the class that the data give to query q: LETOR's queries fall into topic distillation,
    home pages and named pages. Where the data have none, queries are clustered by k-means, by
    their own features or by the mean of their top documents: Σ_q min_c ‖p(q) − m_c‖². With
    `clusters` 0 their number is the one of 1, 2 and 4 with the best MAP on validation (2 without
    validation data), with 1 or more it is that one, whatever classes the data have.

    A class whose training queries prefer no document to another has no model. It, and a class
    that is not seen in training, is ranked by the model of all training queries. A class's model
    is validated by the validation queries of the class where these prefer documents, else by all.

    Qin, Liu, Xu, Li (2010). LETOR: a benchmark collection for research on learning to rank for
    information retrieval. Information Retrieval 13, section 5.3.1. Kang, Kim (2003). Query type
    classification for web document retrieval. SIGIR.
    """

    name: ClassVar[str] = "per-class"
    paper: ClassVar[str] = "Qin, Liu, Xu and Li (2010), Information Retrieval 13(4)"

    uses_classes: ClassVar[bool] = True

    of: str = parameter(
        "ranksvm-primal", "the ranker that is wrapped: a registered name, or module:Name"
    )
    clusters: int = parameter(
        0, "clusters of queries; 0: the classes of the data, or as many as validate best", lowest=0
    )
    depth: int = parameter(50, "documents at the top that make the point of a query", lowest=1)
    reference: int = reference()

    def _learn(self, training: Training) -> Learned[ClassModels]:
        train = training.train
        refuse_equal_labels(train, self.name)
        whole = self.fit_wrapped(training.on(train, training.validation)).scorer
        counts = self._counts(training)
        found: list[ClassModels] = []
        stopped = training.watch(Round(1, 1 + len(counts)))
        for number, count in enumerate(counts, 2):
            clusters = (
                None if count is None else cluster_queries(train, count, self.reference, self.depth)
            )
            if stopped:
                return Learned(ClassModels(whole, (), (), clusters), {"classes": 0})
            found.append(self._train(training, whole, clusters))
            stopped = training.watch(Round(number, 1 + len(counts)))
            if stopped:
                break
        chosen = _best_model(found, training.validation)
        facts: dict[str, Any] = {"classes": len(chosen.classes)}
        if chosen.clusters is None:
            return Learned(chosen, facts)
        facts["clusters"] = len(chosen.clusters.centres)
        remark = (
            "the data give their queries no classes: classes are the clusters of the training "
            f"queries, {facts['clusters']} of them"
        )
        return Learned(chosen, facts if self.clusters else add_remarks(facts, [remark]))

    def _counts(self, training: Training) -> tuple[int | None, ...]:
        """The numbers of clusters to try; None for the classes of the data."""
        if self.clusters:
            return (self.clusters,)
        if training.train.query_classes is not None:
            return (None,)
        return (2,) if training.validation is None else TRIED

    def _train(self, training: Training, whole: Scorer, clusters: Clusters | None) -> ClassModels:
        """The models of the classes, or clusters."""
        train, validation = training.train, training.validation
        names = _classes(train, clusters)
        checked = None if validation is None else _classes(validation, clusters)
        classes, models = [], []
        for name in sorted(set(names.tolist())):
            part = train.select_queries(np.flatnonzero(names == name))
            if not has_preference(part):
                continue
            own = None if validation is None else _own_part(validation, checked, name)
            classes.append(name)
            models.append(self.fit_wrapped(training.on(part, own)).scorer)
        return ClassModels(whole, tuple(classes), tuple(models), clusters)


def _classes(dataset: Dataset, clusters: Clusters | None) -> Any:
    """The class of every query, as an array; texts that are no class where the data have none."""
    if clusters is not None:
        return np.array(clusters.of_dataset(dataset), dtype=object)
    given = dataset.query_classes
    return np.array([""] * dataset.n_queries if given is None else list(given), dtype=object)


def _own_part(validation: Dataset, classes: Any, name: str) -> Dataset:
    chosen = np.flatnonzero(classes == name)
    part = validation.select_queries(chosen) if len(chosen) else validation
    return part if has_preference(part) else validation


def _best_model(found: list[ClassModels], validation: Dataset | None) -> ClassModels:
    """The models of the best MAP or another on validation, of equals the fewest clusters."""
    if validation is None or len(found) == 1:
        return found[0]
    measure = TrainingMeasure.of(validation, map_or_other(validation), ties="expected")
    return max(found, key=lambda one: measure.mean(one.score_dataset(validation)))


_MOST_STEPS = 100


def cluster_queries(train: Dataset, count: int, reference: int, depth: int) -> Clusters:
    """`count` clusters of training queries, or as many as there are different queries.

    By the features that the data have of queries, else by points that their top documents make.
    """
    given = train.query_features is not None
    where = None if given else QueryPoints(find_reference(train, reference), depth)
    points = find_points(train, where)
    scales = find_scales(points)
    return Clusters(k_means(points / scales, count), scales, where)


def k_means(points: Floats, count: int) -> Floats:
    """The centres of `count` clusters that Lloyd's steps find, or of fewer where points coincide.

    Minimises Σ_i min_c ‖p_i − m_c‖² step by step: each m_c becomes the mean of the points that are
    nearest to it. The first centre is the point nearest to the mean of all, each further one the
    point farthest from those before it: nothing is left to chance. A centre that no point is
    nearest to stays where it is.
    """
    centres = points[[int(np.argmin(_squared_distances(points, points.mean(axis=0))))]]
    while len(centres) < count:
        distances = np.min([_squared_distances(points, centre) for centre in centres], axis=0)
        if not distances.max() > 0.0:
            break
        centres = np.vstack([centres, points[int(np.argmax(distances))]])
    for _ in range(_MOST_STEPS):
        nearest = np.argmin([_squared_distances(points, centre) for centre in centres], axis=0)
        moved = np.array(
            [
                points[nearest == number].mean(axis=0) if (nearest == number).any() else centre
                for number, centre in enumerate(centres)
            ]
        )
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _squared_distances(points: Floats, centre: Floats) -> Floats:
    squares: Floats = np.square(points - centre).sum(axis=1)
    return squares
