"""C-CRF: a continuous random field in which related documents have like scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.normalization.query_level import query_level_norm
from rankwise.rankers.losses.gaussian_field import GaussianField
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.projected_newton import projected_newton
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.relation_matrix import RelationMatrix
from rankwise.rankers.scorers.smoothed import MOST_NEIGHBOURS, STRONGEST, Smoothed
from rankwise.rankers.training.relations import refuse_unrelated

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

    regularization: float = parameter(
        1e-4,
        "λ, the weight of ‖(α, β)‖²/2 beside the mean over documents",
        grid=(1e-6, 1e-4, 1e-2),
        lowest=1e-9,
    )
    relation: str = parameter("all", "the relation by its name; all adds up those of the data")
    neighbours: int = parameter(
        10,
        "how many related documents of each one count, the strongest; 0 is all",
        lowest=0,
        highest=MOST_NEIGHBOURS,
    )
    gap: float = parameter(
        1e-9, "training ends this near to the minimum of the objective", lowest=1e-12
    )
    rounds: int = parameter(200, "Newton steps at most", lowest=1)

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Smoothed, dict[str, Any]]:
        refuse_unrelated(train, self.relation, self.name)
        PreferencePairs.of(train, self.name)
        field = self.field_of(train)
        found = projected_newton(
            partial(field.at, regularization=self.regularization),
            np.ones(train.n_features + 1),
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            watch=watch,
        )
        weights = _rounded(found.weights)
        told = replace(found, objective=_rounded(found.objective), gap=max(found.gap, self.gap))
        return self._scorer(weights), {**told.facts(), "beta": float(weights[-1])}

    def field_of(self, dataset: Dataset) -> GaussianField:
        """The likelihood of the labels of a data set."""
        labels = dataset.labels / max(float(dataset.labels.max()), 1.0)
        related = RelationMatrix.of(dataset, self.relation, self.neighbours)
        return GaussianField.of(query_level_norm(dataset), labels, related)

    def _scorer(self, weights: NDArray[np.float64]) -> Smoothed:
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
