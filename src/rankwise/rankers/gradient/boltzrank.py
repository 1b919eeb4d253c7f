"""BoltzRank and KL-CRF fit distributions over rankings that are drawn once for each query.

BoltzRank with single-document potentials is a Boltzmann distribution over sampled rankings; with
potentials of pairs, trained together with its linear function by Adam, a document is scored beside
the others of its query. KL-CRF is a random field over sampled rankings, fitted to a distribution
made of a loss.

Volkovs, Zemel (2009). BoltzRank: learning to maximize expected ranking gain. ICML.
Volkovs, Larochelle, Zemel (2011). Loss-sensitive training of probabilistic conditional random
fields. arXiv:1107.1805.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.measure import Measure
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.networks import PairPotentials
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.gradient.gradient_ranker import BestStepRanker, GradientRanker
from rankwise.rankers.losses.listwise import DiscountedGains, Loss, find_gain_measure
from rankwise.rankers.optimizers.first_order import AdamSteps
from rankwise.rankers.optimizers.lbfgs import quasi_newton
from rankwise.rankers.parameters import convention, parameter, regularization
from rankwise.rankers.ranker import Family, Learned, Ranker, Training, never_stop
from rankwise.rankers.training.model_selection import Judge, best_round
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.relative_features import (
    RelativeFeatures,
    draw_weights,
    find_standard,
)


@dataclass(frozen=True)
class BoltzRankSingle(BestStepRanker):
    """Maximise 1/|Q| Σ_q [μ Σ_R p(R) NDCG(R) − (1 − μ) Σ_R t(R) log(t(R) / p(R))] − λ/2 ‖w‖².

    R runs over rankings of the query that were drawn once, p(R) ∝ exp(−E(R|s)), and

        E(R|s) = 2 / (n (n − 1)) Σ_{j<k} (k − j) (s_{R_k} − s_{R_j}),

    R_j the document at rank j of n, s_i = w · x_i. The target t(R) ∝ exp(−τ E(R|y)) has the labels
    in place of the scores. The best step of L-BFGS is chosen on validation.

    The form is the paper's; that rankings are drawn from Plackett-Luce models of ever stronger
    labels (`SampledRankings.draw`), τ, and μ by validation are guesses, as the paper's figures
    hang on such details; the slope α_q of the energy is 1, which w absorbs. The paper's network is
    one choice of `hidden_layers`. Not `boltzrank-pair`, in which the score of a document also
    depends on the other documents of its query, and not `kl-crf`, whose target is a loss.

    Volkovs, Zemel (2009). BoltzRank: learning to maximize expected ranking gain. ICML.
    """

    name: ClassVar[str] = "boltzrank-single"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Volkovs and Zemel (2009), ICML"
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "how rankings are drawn",
        "the sharpness of the target",
        "a linear function instead of a network",
    )

    regularization: float = regularization(
        1e-2, "the mean over queries", grid=(1e-3, 1e-2, 1e-1), highest=None
    )
    share: float = parameter(
        0.5, "μ, what the expected NDCG counts", grid=(0.5, 1.0), lowest=0.0, highest=1.0
    )
    sharpness: float = parameter(
        1.0, "τ, how sharply the target prefers the order of the labels", lowest=0.0
    )
    samples: int = parameter(100, "rankings drawn for every query", lowest=2, highest=100000)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> RankingDistribution:
        measure = find_gain_measure(self.tool)
        return RankingDistribution.towards_labels(
            dataset, measure, self.samples, self.sharpness, self.share, rng
        )


# The start needs no more than to be good.
_START_GAP = 1e-6
_START_STEPS = 200


@dataclass(frozen=True)
class BoltzRankPair(Ranker):
    """Maximise 1/|Q| Σ_q [μ Σ_R p(R) NDCG(R) − (1 − μ) Σ_R t(R) log(t(R) / p(R))] − λ/2 ‖weights‖².

    Rankings R, their chances p and the target t are those of `boltzrank-single`, but a score also
    depends on the other documents of the query, in training and afterwards:

        s_i = w · x_i + 1/(n − 1) Σ_{k ≠ i} ψ(x_i, x_k),    ψ(x, y) = Σ_h a_h tanh(v_h · (x − y)),

    for the n documents of a query; ψ(x, y) = −ψ(y, x). Features are standardised. Training begins
    at the minimum of BoltzRank-Single's objective with a = 0; Adam follows the slopes, and the best
    round is chosen on validation.

    The form is the paper's. Guesses beyond those of `boltzrank-single`: the network of ψ, the mean
    over the other documents in place of the sum, which gives lists of all lengths one scale, and
    the start.

    Volkovs, Zemel (2009). BoltzRank: learning to maximize expected ranking gain. ICML.
    """

    name: ClassVar[str] = "boltzrank-pair"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Volkovs and Zemel (2009), ICML"
    follows_tool: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "how rankings are drawn",
        "the sharpness of the target",
        "the network of the pairs",
        "the mean over pairs in place of the sum",
        "the start at BoltzRank-Single",
    )

    hidden: int = parameter(5, "hidden units of ψ", lowest=1, highest=4096)
    regularization: float = parameter(
        1e-3, "λ, the weight of ‖weights‖²/2 beside the mean over queries", lowest=0.0
    )
    share: float = parameter(0.5, "μ, what the expected NDCG counts", lowest=0.0, highest=1.0)
    sharpness: float = parameter(
        1.0, "τ, how sharply the target prefers the order of the labels", lowest=0.0
    )
    samples: int = parameter(100, "rankings drawn for every query", lowest=2, highest=100000)
    learning_rate: float = parameter(0.005, "length of Adam's steps", lowest=1e-9, highest=10.0)
    rounds: int = parameter(100, "steps at most", lowest=1)
    patience: int = parameter(20, "rounds without a better one after which training ends", lowest=1)
    start_regularization: float = parameter(
        1e-2, "λ of the objective whose minimum is the start", grid=(1e-2, 1e-1), lowest=1e-9
    )
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[PairPotentials]:
        train = training.train
        refuse_equal_labels(train, self.name)
        find_tool(self.tool).measure(self.measure)
        measure = find_gain_measure(self.tool)
        loss = RankingDistribution.towards_labels(
            train, measure, self.samples, self.sharpness, self.share, training.rng
        )
        features = RelativeFeatures.of(train, scale_large=True)
        start = quasi_newton(
            loss,
            features,
            self.start_regularization,
            gap=_START_GAP,
            rounds=_START_STEPS,
            watch=never_stop,
        )
        steps = PairPotentialsTraining(
            train,
            loss,
            features.plain_weights(start.weights),
            self.hidden,
            rate=self.learning_rate,
            regularization=self.regularization,
            rng=training.rng,
        )
        judge = Judge.of(training, self.measure, self.tool)
        return best_round(
            steps, judge, rounds=self.rounds, patience=self.patience, watch=training.watch
        )


@dataclass(frozen=True)
class KLCRF(GradientRanker):
    """Minimise λ/2 ‖w‖² + 1/|Q| Σ_q Σ_R t(R) log(t(R) / p(R)), t(R) ∝ exp(−ℓ(R) / T).

    R runs over rankings of the query that were drawn once, ℓ(R) = 1 − NDCG(R), and p(R) ∝
    exp(−E(R)) with the energy of BoltzRank, −E(R) = Σ_i (1 − 2 r_i / (n − 1)) w · x_i for ranks r_i
    from 0 of n documents, which is linear in w: the objective is convex, and L-BFGS goes to its one
    minimum.

    This is the paper's loss-inspired divergence, the best of its five objectives. The energy and
    how rankings are drawn (`SampledRankings.draw`) are guesses. Not `boltzrank-single`, which also
    raises the expected NDCG and whose target is made of labels.

    Volkovs, Larochelle, Zemel (2011). Loss-sensitive training of probabilistic conditional random
    fields. arXiv:1107.1805.
    """

    name: ClassVar[str] = "kl-crf"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Volkovs, Larochelle and Zemel (2011), arXiv:1107.1805"
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("how rankings are drawn", "the energy is BoltzRank's")

    regularization: float = regularization(
        1e-1, "the mean over queries", grid=(1e-2, 1e-1, 1.0), highest=None
    )
    temperature: float = parameter(
        0.1, "T, how evenly the target is spread", grid=(0.03, 0.1, 0.3), lowest=1e-3
    )
    samples: int = parameter(100, "rankings drawn for every query", lowest=2, highest=100000)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> RankingDistribution:
        rankings = SampledRankings.draw(dataset, self.samples, rng)
        values = rankings.values(DiscountedGains.of(dataset, find_gain_measure(self.tool)))
        targets = logarithms_of_shares((values - 1.0) / self.temperature)
        return RankingDistribution(rankings, targets, values, 0.0)


# How strongly labels shape the last of the drawn rankings; the first are drawn regardless of them.
_STRONGEST = 6.0


@dataclass(frozen=True, eq=False)
class SampledRankings:
    """Rankings R of the documents of each query, weighed by exp(−E(R|s)).

    −E(R|s) = 2α / (n (n − 1)) Σ_{j<k} (k − j) (s_{R_j} − s_{R_k}) = α Σ_i (1 − 2 r_i / (n − 1)) s_i

    for the n documents of a query, r_i the rank of i in R from 0, R_j the document at rank j, and
    α = 1: a larger one is a larger s.

    Attributes:
        ranks: (samples, documents): r_i within the query.
        places: (samples, documents): 1 − 2 r_i / (n − 1); 0 in a query of one document.
        query_offsets: as in the data set.
    """

    ranks: Integers
    places: Floats
    query_offsets: Integers

    @classmethod
    def draw(cls, dataset: Dataset, samples: int, rng: np.random.Generator) -> SampledRankings:
        """From any order to orders near to that of the labels.

        Sample m of M ranks by t_m y_i plus noise of Gumbel's distribution, t_m growing from 0 to 6
        in equal steps: a Plackett-Luce model of the labels.
        """
        lengths, starts = dataset.query_lengths, dataset.query_offsets[:-1]
        firsts = np.repeat(starts, lengths)
        ranks = np.empty((samples, dataset.n_documents), dtype=np.int64)
        for number, strength in enumerate(np.linspace(0.0, _STRONGEST, samples)):
            keys = strength * dataset.labels + rng.gumbel(size=dataset.n_documents)
            order = np.lexsort((-keys, dataset.query_of_rows))
            ranks[number, order] = np.arange(dataset.n_documents) - firsts
        last = np.repeat(np.maximum(lengths - 1, 1), lengths)
        places = np.where(np.repeat(lengths > 1, lengths), 1.0 - 2.0 * ranks / last, 0.0)
        return cls(ranks, places, dataset.query_offsets)

    def logarithms(self, scores: Floats) -> Floats:
        """(samples, queries): the logarithm of the probability of every ranking among the drawn."""
        energies = np.add.reduceat(self.places * scores, self.query_offsets[:-1], axis=1)
        return logarithms_of_shares(energies)

    def back(self, slopes: Floats) -> Floats:
        """Slopes in the scores from slopes (samples, queries) in −E."""
        spread = np.repeat(slopes, np.diff(self.query_offsets), axis=1)
        moved: Floats = np.einsum("sd,sd->d", spread, self.places)
        return moved

    def values(self, gains: DiscountedGains) -> Floats:
        """(samples, queries): NDCG of every ranking."""
        reached = gains.gains * gains.discounts[self.ranks]
        return np.add.reduceat(reached, self.query_offsets[:-1], axis=1)


@dataclass(frozen=True, eq=False)
class RankingDistribution:
    """1/|Q| Σ_q [(1 − λ) Σ_R t(R) log(t(R) / p(R)) − λ Σ_R p(R) M(R)], p(R) ∝ exp(−E(R|s)).

    Attributes:
        rankings: the drawn rankings R of every query.
        targets: (samples, queries): log t(R), the wanted distribution over them.
        values: (samples, queries): M(R), a measure of every ranking.
        share: λ; 0 leaves the divergence alone, which is convex.
    """

    rankings: SampledRankings
    targets: Floats
    values: Floats
    share: float

    @classmethod
    def towards_labels(
        cls,
        dataset: Dataset,
        measure: Measure,
        samples: int,
        sharpness: float,
        share: float,
        rng: np.random.Generator,
    ) -> RankingDistribution:
        """BoltzRank's: t(R) ∝ exp(−τ E(R|y)), τ the sharpness, and M a kind of NDCG."""
        rankings = SampledRankings.draw(dataset, samples, rng)
        gains = DiscountedGains.of(dataset, measure)
        targets = rankings.logarithms(sharpness * dataset.labels)
        return cls(rankings, targets, rankings.values(gains), share)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        logarithms = self.rankings.logarithms(scores)
        chances, wanted = np.exp(logarithms), np.exp(self.targets)
        queries = logarithms.shape[1]
        divergence = (wanted * (self.targets - logarithms)).sum()
        expected = (chances * self.values).sum(axis=0)
        cost = (1.0 - self.share) * divergence - self.share * expected.sum()
        slopes = (1.0 - self.share) * (chances - wanted)
        slopes -= self.share * chances * (self.values - expected)
        return float(cost) / queries, self.rankings.back(slopes / queries)


def logarithms_of_shares(values: Floats) -> Floats:
    """log(exp(v) / Σ exp(v)) of every column."""
    away = values - values.max(axis=0)
    shares: Floats = away - np.log(np.exp(away).sum(axis=0))
    return shares


_PAIRS = (DOUBLES, INT64, INT64S, INT64)
_add_potentials = function("rankwise_add_potentials", *_PAIRS, DOUBLES_OUT)
_add_slopes = function("rankwise_add_potential_slopes", *_PAIRS, DOUBLES, DOUBLES_OUT)


class PairPotentialsTraining:
    """Adam on w, v and a of `PairPotentials`: a round is one step over all queries.

    It begins with the linear function it is given, and with potentials of weight 0.
    """

    def __init__(
        self,
        train: Dataset,
        loss: Loss,
        linear: Floats,
        units: int,
        *,
        rate: float,
        regularization: float,
        rng: np.random.Generator,
    ) -> None:
        self._loss, self._regularization = loss, regularization
        self._offsets = train.query_offsets
        self._means, self._scales = find_standard(train)
        self._rows = (train.features - self._means) / self._scales
        drawn = draw_weights(train.n_features, units, rng)
        parts = (linear * self._scales, drawn.ravel(), np.zeros(units))
        self._weights = np.concatenate(parts)
        self._units = units
        self._adam = AdamSteps(len(self._weights), rate)

    def step(self) -> float:
        """One step; the objective before it."""
        value, slopes = self.objective(self._weights)
        self._weights = self._adam.move(self._weights, slopes)
        return value

    def scorer(self) -> PairPotentials:
        """The function as it stands."""
        return PairPotentials(*self._cut(self._weights), self._means, self._scales)

    def objective(self, weights: Floats) -> tuple[float, Floats]:
        """The loss with λ/2 ‖weights‖², and its slope in every weight."""
        linear, units, outer = self._cut(weights)
        hidden = self._rows @ units.T
        potentials, in_hidden = np.zeros(hidden.shape), np.zeros(hidden.shape)
        pairs = (hidden, self._units, self._offsets, len(self._offsets) - 1)
        _add_potentials(*pairs, potentials)
        value, in_scores = self._loss.at(self._rows @ linear + potentials @ outer)
        _add_slopes(*pairs, in_scores, in_hidden)
        in_units = (in_hidden * outer).T @ self._rows
        parts = (in_scores @ self._rows, in_units.ravel(), in_scores @ potentials)
        shrunk = self._regularization * weights
        return value + float(shrunk @ weights) / 2.0, np.concatenate(parts) + shrunk

    def _cut(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        width = self._rows.shape[1]
        linear, units, outer = np.split(weights, [width, width * (1 + self._units)])
        return linear, units.reshape(self._units, width), outer
