"""Rankers that learn from click logs: RankSVM and ListNet by propensities, LightGBM by positions.

They train on labels made of clicks (`training_sets`). Their homes in `LOG_LEARNERS` are what
`rankwise bench --ranker` names. Propensity-weighted RankSVM sets clicked documents against all
others, by their weights; propensity-weighted ListNet takes the likelihood of weighted documents to
be first; LightGBM's own correction is a lambdarank that learns what each position adds to a score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.formats.lightgbm_text import trees_of_text
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.trees import Trees
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.gradient.gradient_ranker import GradientRanker
from rankwise.rankers.losses.listwise import TopOneCrossEntropy
from rankwise.rankers.optimizers.lbfgs import quasi_newton
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training
from rankwise.rankers.registry import make_ranker
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.trees.lightgbm_training import common_settings
from rankwise.registry import Registry

LOG_LEARNERS: Registry[type[Ranker]] = Registry(
    "learner from logs",
    {
        "ranksvm": "rankwise.feedback:PropensityRankSVM",
        "listnet": "rankwise.feedback:PropensityListNet",
        "lightgbm": "rankwise.feedback:LightGBMPositions",
    },
)
PER_SESSION = frozenset({"lightgbm"})
"""Those that learn from sessions as they are, and correct them by themselves."""


def find_log_learner(name: str, **parameters: object) -> Ranker:
    """The ranker of a learner's name; a misspelt one suggests the nearest."""
    return make_ranker(LOG_LEARNERS[name], **parameters)


Floats = NDArray[np.float64]

_weighted_hinge = function(
    "rankwise_weighted_hinge", *(DOUBLES, DOUBLES, INT64S, INT64, DOUBLES_OUT), returns=DOUBLE
)


@dataclass(frozen=True)
class PropensityRankSVM(Ranker):
    """Minimise λ/2 ‖w‖² + 1/U Σ_q Σ_i u_i Σ_{j ≠ i} max(0, 1 − w · (x_i − x_j))².

    The labels are u_i, the weights that clicks gave to document i: Σ click / θ_position, made by
    `rankwise clicks convert`. U = Σ_q (n_q − 1) Σ_i u_i, so that all pairs weigh 1. The inner sum
    bounds the rank of document i from above, so that the weighted sum of ranks is estimated without
    bias (equation 6 of the paper).

    Deviations: the hinge is squared, as in `ranksvm-primal`, so that L-BFGS finds the one minimum.
    With labels that are judgements it learns from them as they are; with clicks that nobody divided
    by propensities it is the naive RankSVM of the paper's figures.

    Joachims, Swaminathan, Schnabel (2017). Unbiased learning-to-rank with biased feedback. WSDM.
    """

    name: ClassVar[str] = "rankwise.feedback:PropensityRankSVM"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Joachims, Swaminathan and Schnabel (2017), WSDM"
    takes_sparse: ClassVar[bool] = True

    regularization: float = parameter(
        1e-2,
        "λ, the weight of ‖w‖²/2 beside the mean over pairs",
        grid=(1e-4, 1e-3, 1e-2, 1e-1),
        lowest=1e-9,
    )
    gap: float = parameter(1e-6, "training ends this near to the minimum", lowest=1e-14)
    rounds: int = parameter(500, "steps at most", lowest=1)
    scale_large: bool = parameter(
        True, "divide features by their spread within queries where it is above 1"
    )

    def _learn(self, training: Training) -> Learned[Linear]:
        features = RelativeFeatures.of(training.train, self.scale_large)
        loss = WeightedHinge.of(training.train, self.name)
        found = quasi_newton(
            loss,
            features,
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            watch=training.watch,
        )
        return Learned(Linear(features.plain_weights(found.weights)), found.facts())


@dataclass(frozen=True, eq=False)
class WeightedHinge:
    """Σ_q Σ_i v_i Σ_{j ≠ i} max(0, 1 − s_i + s_j)² as a loss of the scores."""

    weights: Floats
    query_offsets: NDArray[np.int64]

    @classmethod
    def of(cls, dataset: Dataset, ranker: str) -> WeightedHinge:
        """v_i = u_i / U from labels u_i."""
        refuse_weights(dataset, ranker)
        others = np.repeat(dataset.query_lengths - 1, dataset.query_lengths)
        total = float((others * dataset.labels).sum())
        if total <= 0.0:
            raise RankwiseError(
                f"{ranker} learns from weighted documents beside others, found none"
            )
        return cls(dataset.labels / total, np.ascontiguousarray(dataset.query_offsets))

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        slopes = np.empty(len(scores))
        queries = len(self.query_offsets) - 1
        held = np.ascontiguousarray(scores)
        cost = _weighted_hinge(held, self.weights, self.query_offsets, queries, slopes)
        return float(cost), slopes


def refuse_weights(dataset: Dataset, ranker: str) -> None:
    """Weights made of clicks are at least 0, and some are above."""
    lowest, highest = dataset.labels.min(initial=0.0), dataset.labels.max(initial=0.0)
    if lowest < 0.0 or highest <= 0.0:
        raise RankwiseError(
            f"{ranker} takes labels that are weights of clicks, at least 0 and some above, found "
            f"{lowest:g} to {highest:g}; make them by 'rankwise clicks convert'"
        )


@dataclass(frozen=True)
class PropensityListNet(GradientRanker):
    """Minimise λ/2 ‖w‖² − 1/U Σ_q Σ_i u_i log(exp(s_i) / Σ_k exp(s_k)), s_i = w · x_i.

    The labels are u_i, the weights that clicks gave to document i (`rankwise clicks convert`), U is
    their sum. This is the softmax cross entropy with inverse propensity weights. Not `listnet` with
    shares as targets, in which every query counts alike, however many clicks it had.

    Ai, Bi, Luo, Guo, Croft (2018). Unbiased learning to rank with unbiased propensity estimation.
    SIGIR, equation 10, with propensities that are given; Cao, Qin, Liu, Tsai, Li (2007). ICML.
    """

    name: ClassVar[str] = "rankwise.feedback:PropensityListNet"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Ai, Bi, Luo, Guo and Croft (2018), SIGIR"

    regularization: float = parameter(
        1e-3,
        "λ, the weight of ‖w‖²/2 beside the mean over weights",
        grid=(1e-5, 1e-4, 1e-3, 1e-2, 1e-1),
        lowest=1e-9,
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> TopOneCrossEntropy:
        refuse_weights(dataset, self.name)
        return TopOneCrossEntropy(dataset.labels / dataset.labels.sum(), dataset.query_offsets, 1)


@dataclass(frozen=True)
class LightGBMPositions(Ranker):
    """LambdaMART on sessions, with or without LightGBM's `position`.

    A query is a session, its documents stand in the order shown, and labels are clicks, as
    `rankwise clicks convert --per session` writes them. With `corrected` the score of a document at
    position k is f(x) + b_k while trees grow; f alone ranks afterwards. LightGBM learns b_k by
    Newton steps with `lambdarank_position_bias_regularization`. Without it clicks count as they
    are.

    LightGBM, documentation of `lambdarank` and `position` (since 4.1); the idea of examination as
    an additive factor: Yan, Qin, Zhuang, Wang, Bendersky, Najork (2022). Revisiting two-tower
    models for unbiased learning to rank. SIGIR.
    """

    name: ClassVar[str] = "rankwise.feedback:LightGBMPositions"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "LightGBM 4.1, lambdarank with position"
    handles_null: ClassVar[bool] = True

    corrected: bool = parameter(True, "give LightGBM the positions")
    rounds: int = parameter(100, "trees", lowest=1)
    learning_rate: float = parameter(0.05, "what each tree's output is multiplied by", lowest=1e-9)
    leaves: int = parameter(15, "leaves of a tree at most", lowest=2)
    least_documents: int = parameter(200, "impressions in a leaf at least", lowest=1)
    regularization: float = parameter(
        0.0, "LightGBM's lambdarank_position_bias_regularization", lowest=0.0
    )

    def _learn(self, training: Training) -> Learned[Trees]:
        train = training.train
        try:
            import lightgbm
        except ImportError as error:
            raise MissingExtra(self.name, "trees") from error
        if np.any((train.labels != 0.0) & (train.labels != 1.0)):
            raise RankwiseError(
                f"{self.name} takes sessions labelled by clicks, 0 or 1, found other labels; make "
                "them by 'rankwise clicks convert --per session'"
            )
        starts = np.repeat(train.query_offsets[:-1], train.query_lengths)
        positions = np.arange(train.n_documents) - starts
        settings = common_settings(train) | {
            "objective": "lambdarank",
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.least_documents,
            "lambdarank_position_bias_regularization": self.regularization,
        }
        data = lightgbm.Dataset(
            train.features,
            train.labels,
            group=train.query_lengths,
            position=positions if self.corrected else None,
            params=settings,
        )
        booster = lightgbm.Booster(settings, data)
        for number in range(1, self.rounds + 1):
            finished = booster.update()
            if training.watch(Round(number, self.rounds)) or finished:
                break
        facts = {"rounds": booster.current_iteration(), "sessions": train.n_queries}
        return Learned(trees_of_text(booster.model_to_string(), train.n_features), facts)
