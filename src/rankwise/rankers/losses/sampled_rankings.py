"""Rankings drawn once for each query, and distributions over them that the scores give.

Volkovs, Zemel (2009). BoltzRank: learning to maximize expected ranking gain. ICML.
Volkovs, Larochelle, Zemel (2011). Loss-sensitive training of probabilistic conditional random
fields. arXiv:1107.1805.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.measures.measure import Measure
from rankwise.rankers.losses.discounted_gains import DiscountedGains

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

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
