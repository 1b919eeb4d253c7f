"""Rankers that learn from relations between documents: Propagation, Relational RankSVM, C-CRF.

By Propagation, what a ranker says of a document also counts for those that are related to it.
Relational ranking SVM is RankSVM on scores that are evened out along a relation. C-CRF is a
continuous random field in which related documents have like scores; its loss, the likelihood of
labels under a Gaussian random field, is convex in its weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.normalization.scales import query_level_norm
from rankwise.errors import Advice, RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.relation_scorers import (
    ALL,
    FEATURES,
    HIGHEST_RATE,
    MOST_FLOW_NEIGHBOURS,
    MOST_NEIGHBOURS,
    MOST_STEPS,
    PREFERENCES,
    SCORES,
    STRONGEST,
    Flow,
    Propagated,
    RelationMatrix,
    Smoothed,
    find_lead,
    refuse_negative,
)
from rankwise.native.arrays import Floats
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.cutting_plane import cutting_plane
from rankwise.rankers.optimizers.newton import projected_newton
from rankwise.rankers.parameters import parameter, regularization, scale_large, tol
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.wrapper import Wrapper


def relation() -> Any:
    """The relation between documents that a ranker looks at."""
    return parameter("all", "the relation by its name; all adds up those of the data")


def neighbours(most: int) -> Any:
    """How many related documents of each document count."""
    meaning = "how many related documents of each one count, the strongest; 0 is all"
    return parameter(10, meaning, lowest=0, highest=most)


@dataclass(frozen=True)
class Propagation(Wrapper):
    """s = α W s + (1 − α) s0: the scores s0 of any ranker, propagated along a relation.

    W_ij is the weight of the relation from document i to j of the query, divided by the sum of
    those of i; a document that is related to none keeps its score. `steps` 0 goes to the limit, s =
    (1 − α) (I − α W)^-1 s0. With `what` = features it is the features that flow, and the ranker
    learns from them beside the features as they are, 2 × as many. α = 0 is the ranker alone, so
    that validation may choose to leave relations out.

    This is relevance propagation in the general form of the paper, whose h(d) = α s(d) + (1 − α)
    Σ w h(d') it is with the roles of α and 1 − α changed; its weights of links and of the sitemap
    come with the data here. Not the propagation features of LETOR (41 to 48), which are columns of
    the data and flow before anything is learned.

    Qin, Liu, Zhang, Chen, Ma (2005). A study of relevance propagation for web search. SIGIR 2005.
    """

    name: ClassVar[str] = "propagation"
    paper: ClassVar[str] = "Qin, Liu, Zhang, Chen and Ma (2005), SIGIR"
    uses_relations: ClassVar[bool] = True

    alpha: float = parameter(
        0.4,
        "α, the share that comes from related documents",
        grid=(0.0, 0.2, 0.4, 0.6, 0.8),
        lowest=0.0,
        highest=HIGHEST_RATE,
    )
    relation: str = relation()
    neighbours: int = neighbours(MOST_FLOW_NEIGHBOURS)
    steps: int = parameter(0, "how often scores flow; 0 is to the limit", lowest=0,
                           highest=MOST_STEPS)  # fmt: skip
    what: str = parameter(SCORES, "what flows", choices=(SCORES, FEATURES))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.what == FEATURES:
            # What is absent cannot flow.
            object.__setattr__(self, "handles_null", False)

    def _learn(self, training: Training) -> Learned[Propagated]:
        flow = Flow(self.relation, self.neighbours, self.alpha, self.steps)
        train, validation = training.train, training.validation
        refuse_unrelated(train, self.relation, self.name)
        if validation is not None:
            refuse_unrelated(validation, self.relation, self.name)
        if self.what == FEATURES:
            train = flow.beside(train)
            validation = None if validation is None else flow.beside(validation)
        model = self.fit_wrapped(replace(training, train=train, validation=validation))
        return Learned(Propagated(model.scorer, flow, self.what), dict(model.facts))


@dataclass(frozen=True)
class RelationalRankSVM(Ranker):
    """Minimise λ/2 ‖w‖² + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − z_i + z_j), z = (I + β (D − S))^-1 X w.

    z is the minimum of ‖X w − z‖² + β/2 Σ_ij S_ij (z_i − z_j)²: scores near to those of the
    features, and near to each other where documents are alike; S_ij = (c_ij + c_ji) / 2 of the
    relation's weights, D_ii = Σ_j S_ij. This is the paper's pseudo relevance feedback. With
    `prefer` = sources (parents in a sitemap) it is its topic distillation, z = (2 I + β (2 D − R −
    Rᵀ))^-1 (2 X w − β r), where r_i is how much points at i less how much i points at. z is linear
    in w, so that RankSVM's solver finds the one minimum, to a proven gap. The objective is divided
    as `ranksvm`'s is, and of each document the `neighbours` strongest relations count (0: all, as
    in the paper).

    Qin, Liu, Zhang, Wang, Xiong, Li (2008). Learning to rank relational objects and its application
    to web search. WWW 2008.
    """

    name: ClassVar[str] = "relational-ranksvm"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Qin, Liu, Zhang, Wang, Xiong and Li (2008), WWW"
    uses_relations: ClassVar[bool] = True

    regularization: float = regularization(0.01, "the mean over pairs", grid=(1e-3, 1e-2, 1e-1))
    strength: float = parameter(
        1.0, "β, how much relations count", grid=(0.1, 1.0, 10.0), lowest=0.0, highest=STRONGEST
    )
    relation: str = relation()
    neighbours: int = neighbours(MOST_NEIGHBOURS)
    prefer: str = parameter(
        "neither", "which end of a relation should rank higher", choices=PREFERENCES
    )
    gap: float = tol(1e-5, lowest=1e-10)
    rounds: int = parameter(1000, "cutting planes at most", lowest=1)
    scale_large: bool = scale_large()

    def _learn(self, training: Training) -> Learned[Smoothed]:
        refuse_unrelated(training.train, self.relation, self.name)
        pairs = PreferencePairs.of(training.train, self.name)
        smooth, lead = self._smoothed(training.train)
        features = RelativeFeatures.of(smooth, self.scale_large)

        def risk(scores: Floats) -> tuple[float, Floats]:
            return pairs.hinge(scores if lead is None else scores + lead)

        found = cutting_plane(
            features,
            risk,
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            search=True,
            watch=training.watch,
        )
        within = Linear(features.plain_weights(found.weights))
        facts = {**found.facts(), "pairs": pairs.total}
        scorer = Smoothed(within, self.relation, self.neighbours, self.strength, self.prefer)
        return Learned(scorer, facts)

    def _smoothed(self, train: Dataset) -> tuple[Dataset, Floats | None]:
        """(I + β (D − S))^-1 X, and what documents have in advance, evened out alike."""
        related = RelationMatrix.of(train, self.relation, self.neighbours)
        lead = find_lead(related, self.strength, self.prefer)
        features = related.smooth(train.features, self.strength)
        return train.with_features(features), (
            None if lead is None else related.smooth(lead, self.strength)
        )


# Beyond these digits the libraries that find eigenvectors differ with their threads.
_DIGITS = 10


@dataclass(frozen=True)
class CCRF(Ranker):
    """Maximise Π_q p(y | x), p ∝ exp(−Σ_ik α_k (y_i − x_ik)² − β/2 Σ_ij S_ij (y_i − y_j)²).

    S_ij is how alike documents i and j of the query are, (c_ij + c_ji) / 2 of the relation's
    weights. p is a normal density, whose mean y = (a I + β (D − S))^-1 X α, a = Σ_k α_k, D_ii = Σ_j
    S_ij, are the scores. α and β must not be negative, so that features must rise with relevance.

    The paper climbs in log α and log β; but the likelihood is concave in α and β themselves, so
    that its one maximum is found here, to a proven distance, by projected Newton steps. λ/2 ‖(α,
    β)‖² is added to the mean over documents, without which a feature that equals the labels would
    weigh infinitely. Guessed is what the paper does not say: features are scaled to [0, 1] within
    the query, labels by the largest one, and of each document the `neighbours` most alike count (0:
    all).

    Qin, Liu, Zhang, Wang, Li (2008). Global ranking using continuous conditional random fields.
    NIPS 2008.
    """

    name: ClassVar[str] = "c-crf"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Qin, Liu, Zhang, Wang and Li (2008), NIPS"
    uses_relations: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("how features and labels are scaled", "neighbours")

    regularization: float = regularization(
        1e-4, "the mean over documents", norm="‖(α, β)‖²/2", grid=(1e-6, 1e-4, 1e-2), highest=None
    )
    relation: str = relation()
    neighbours: int = neighbours(MOST_NEIGHBOURS)
    gap: float = tol(1e-9, lowest=1e-12)
    rounds: int = parameter(200, "Newton steps at most", lowest=1)

    def _learn(self, training: Training) -> Learned[Smoothed]:
        train = training.train
        refuse_unrelated(train, self.relation, self.name)
        PreferencePairs.of(train, self.name)
        field = self.field_of(train)
        found = projected_newton(
            partial(field.at, regularization=self.regularization),
            np.ones(train.n_features + 1),
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            watch=training.watch,
        )
        weights = _rounded(found.weights)
        told = replace(found, objective=_rounded(found.objective), gap=max(found.gap, self.gap))
        return Learned(self._scorer(weights), {**told.facts(), "beta": float(weights[-1])})

    def field_of(self, dataset: Dataset) -> GaussianField:
        """The likelihood of the labels of a data set."""
        labels = dataset.labels / max(float(dataset.labels.max()), 1.0)
        related = RelationMatrix.of(dataset, self.relation, self.neighbours)
        return GaussianField.of(query_level_norm(dataset), labels, related)

    def _scorer(self, weights: Floats) -> Smoothed:
        """(a I + β L)^-1 X α = (I + β/a L)^-1 X α/a."""
        total = float(weights[:-1].sum())
        strength = min(float(weights[-1]) / total, STRONGEST)
        within = Linear(weights[:-1] / total)
        return Smoothed(within, self.relation, self.neighbours, strength, normalized=True)


def _rounded(numbers: Any) -> Any:
    """To ten significant digits."""
    array = np.atleast_1d(np.asarray(numbers, dtype=np.float64))
    found = np.array([float(f"{number:.{_DIGITS - 1}e}") for number in array])
    return found if np.ndim(numbers) else float(found[0])


@dataclass(frozen=True, eq=False)
class GaussianField:
    """−log p(y) for p ∝ exp(−Σ_k α_k ‖y − x_k‖² − β/2 Σ_ij S_ij (y_i − y_j)²), query by query.

    With a = Σ_k α_k, L = D − S and A = a I + β L this is the normal density of precision 2A and
    mean A^-1 X α. In the basis of L's eigenvectors, where L is λ, every document stands alone, with
    c = a + β λ and r = x · α:

        −log p = Σ_i c_i y_i² − 2 y_i r_i + r_i² / c_i − ½ log c_i,  up to a constant.

    Both c and r are linear in (α, β), and the summand is jointly convex in them.

    Attributes:
        features: (documents, features), in the eigenvectors' basis.
        labels: in the same basis.
        eigenvalues: λ of every row.
    """

    features: Floats
    labels: Floats
    eigenvalues: Floats

    @classmethod
    def of(cls, dataset: Dataset, labels: Floats, related: RelationMatrix) -> GaussianField:
        """The field of a data set whose features are as the model is to see them."""
        alike, degrees = related.alike()
        rows = dataset.features[related.order], labels[related.order]
        found: list[tuple[Floats, Floats, Floats]] = []
        for first, last in zip(related.query_offsets[:-1], related.query_offsets[1:], strict=True):
            own = slice(int(first), int(last))
            laplacian = np.diag(degrees[own]) - alike[own, own].toarray()
            values, vectors = np.linalg.eigh(laplacian)
            found.append(
                (vectors.T @ rows[0][own], vectors.T @ rows[1][own], np.maximum(values, 0.0))
            )
        features, turned, eigenvalues = (np.concatenate(one) for one in zip(*found, strict=True))
        return cls(features, turned, eigenvalues)

    def at(self, weights: Floats, regularization: float) -> FieldPoint:
        """The mean over documents at (α, β), with λ/2 ‖(α, β)‖² added."""
        sums = weights[:-1].sum() + weights[-1] * self.eigenvalues
        return FieldPoint(self, weights, regularization, sums, self.features @ weights[:-1])


@dataclass(eq=False)
class FieldPoint:
    """The function at one (α, β)."""

    field: GaussianField
    weights: Floats
    regularization: float
    sums: Floats
    scores: Floats

    def __post_init__(self) -> None:
        field, c, r = self.field, self.sums, self.scores
        count, y = len(c), field.labels
        if not np.all(c > 0):
            self.value, self.gradient = np.inf, np.zeros(len(self.weights))
            return
        terms = c * y**2 - 2 * y * r + r**2 / c - np.log(c) / 2
        self.value = float(terms.mean()) + self.regularization / 2 * float(
            self.weights @ self.weights
        )
        by_sum, by_score = y**2 - (r / c) ** 2 - 1 / (2 * c), 2 * (r / c - y)
        slopes = np.append(by_sum.sum() + field.features.T @ by_score, by_sum @ field.eigenvalues)
        self.gradient = slopes / count + self.regularization * self.weights

    def hessian(self) -> Floats:
        """The second derivatives in (α, β)."""
        field, c, r = self.field, self.sums, self.scores
        of_sums = 1 / (2 * c**2) + 2 * r**2 / c**3
        of_both, of_scores = -2 * r / c**2, 2 / c
        width = len(self.weights)
        linear = np.ones((len(c), width))
        linear[:, -1] = field.eigenvalues
        rows = np.hstack([field.features, np.zeros((len(c), 1))])
        crossed = linear.T @ (of_both[:, None] * rows)
        found = linear.T @ (of_sums[:, None] * linear) + crossed + crossed.T
        found += rows.T @ (of_scores[:, None] * rows)
        found = found / len(c)
        found[np.diag_indices_from(found)] += self.regularization
        return np.asarray(found)


def refuse_unrelated(dataset: Dataset, relation: str, ranker: str) -> None:
    """Refuse data without the relation that a ranker learns from."""
    known = [held.name for held in dataset.relations]
    for held in dataset.relations:
        refuse_negative(held)
    if known and relation in (ALL, *known):
        return
    wanted = "relations between documents" if relation == ALL else f"the relation {relation!r}"
    raise RankwiseError(
        f"{ranker} learns from {wanted}, found {', '.join(known) or 'none'} in the data",
        Advice("name the files that hold them: {}", "relations", "FILE"),
    )
