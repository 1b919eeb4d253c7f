"""The discussion of the DEARank paper as computed facts: sections 4.3, 5.1 and 5.2.

Jiang and Lin (2014). DEARank: a data-envelopment-analysis-based ranking method. Machine
Learning 96.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.boosting.performance import Pool, performance_matrix
from rankwise.rankers.dea.pool import Candidates, candidates
from rankwise.rankers.listwise.dearank import WEIGHTINGS
from rankwise.rankers.ranker import never_stop
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]

VARIANTS = ("dearank-i-map", "dearank-i-ndcg", "dearank-o-map", "dearank-o-ndcg")
# What Figure 1 of the paper averages.
FIGURE_1_MEASURES = (*(f"NDCG@{cut}" for cut in range(1, 11)), "MAP")

_CANDIDATES_IN_A_BLOCK = 4096


@dataclass(frozen=True)
class PoolFacts:
    """How the candidates of one pool behave: Figure 2 and section 5.1.

    Attributes:
        model: the data envelopment model of the pool.
        candidates: distinct weights, each counted once for every query it comes from.
        programs: linear programs solved for them.
        biased: the share of candidates with a higher average precision on their home query than on
            the average of all queries: local overfitting.
        at_home: mean average precision of the candidates on their home queries.
        everywhere: mean average precision of the candidates on all queries.
        correlation: the mean over pairs of candidates of the correlation of their errors 1 - AP
            over the queries: the lower, the more diverse; None for fewer than two candidates.
        spread: the mean over queries of the standard deviation of AP over the candidates.
    """

    model: str
    candidates: int
    programs: int
    biased: float
    at_home: float
    everywhere: float
    correlation: float | None
    spread: float


@dataclass(frozen=True)
class FeatureSpread:
    """How the raw features do as rankers in NDCG@10 (section 4.3), constant ones left out."""

    features: int
    mean: float
    deviation: float


@dataclass(frozen=True)
class VariantFacts:
    """One trained variant under one weighting: `program` is Eq. 9 alone, `feature` Eq. 15.

    `figure_1` is the mean of NDCG@1 … NDCG@10 and MAP.
    """

    variant: str
    model: str
    weighting: str
    map: float
    ndcg_at_10: float
    figure_1: float


def measure_pool(
    train: Dataset, model: str, tool: str = "definition", solver: str = "compiled"
) -> PoolFacts:
    """Local overfitting and error diversity of the pool of `model`, measured by MAP."""
    found = candidates(train, model, solver)
    sums = _Sums.over(found, train, TrainingMeasure.of(train, "MAP", tool))
    return PoolFacts(
        model=model,
        candidates=len(found),
        programs=found.programs,
        biased=sums.biased / len(found),
        at_home=sums.at_home / len(found),
        everywhere=float(sums.values.mean()) / len(found),
        correlation=sums.correlation(),
        spread=sums.spread(len(found)),
    )


def measure_features(dataset: Dataset, tool: str = "definition") -> FeatureSpread:
    """The spread of NDCG@10 over the features that order at least one query."""
    measure = TrainingMeasure.of(dataset, "NDCG@10", tool)
    values = Pool.of(np.eye(dataset.n_features), dataset, measure).performance.mean(axis=1)
    return FeatureSpread(len(values), float(values.mean()), float(values.std()))


def train_variants(
    train: Dataset,
    validation: Dataset | None,
    test: Dataset,
    tool: str = "definition",
    solver: str = "compiled",
) -> Iterator[VariantFacts]:
    """Train the four variants with both weightings and judge them on `test`, one at a time."""
    found: dict[str, Candidates] = {}
    for name in VARIANTS:
        kind: Any = find_ranker(name)
        model = kind().model
        if model not in found:
            found[model] = candidates(train, model, solver).distinct()
        measure = TrainingMeasure.of(train, kind().measure, tool)
        pool = Pool.of(found[model].weights, train, measure)
        for weighting in WEIGHTINGS:
            ranker = kind(weighting=weighting, tool=tool, solver=solver)
            learned = ranker.boosted(pool, found[model], train, validation, measure, never_stop)
            yield _judge_variant(name, model, weighting, learned[0], test, tool)


def compare_roles(facts: list[VariantFacts]) -> tuple[float, float]:
    """(DEARank-I, DEARank-O): the bars of Figure 1, with the weights of Eq. 9."""
    return _average_figure_1(facts, "ccr-i"), _average_figure_1(facts, "ccr-o")


@dataclass(frozen=True)
class _Sums:
    """Sums over the candidates, so that no whole performance matrix is ever held."""

    biased: int
    at_home: float
    values: Floats
    squares: Floats
    directions: Floats
    varying: int

    @classmethod
    def over(cls, found: Candidates, train: Dataset, measure: TrainingMeasure) -> _Sums:
        biased, at_home, varying = 0, 0.0, 0
        values, squares, directions = np.zeros((3, train.n_queries))
        for first in range(0, len(found), _CANDIDATES_IN_A_BLOCK):
            block = slice(first, first + _CANDIDATES_IN_A_BLOCK)
            matrix = performance_matrix(found.weights[block], train, measure)
            home = matrix[np.arange(len(matrix)), found.homes[block]]
            biased += int(np.count_nonzero(home > matrix.mean(axis=1)))
            at_home += float(home.sum())
            values += matrix.sum(axis=0)
            squares += np.square(matrix).sum(axis=0)
            unit = _center_rows(matrix)
            directions += unit.sum(axis=0)
            varying += len(unit)
        return cls(biased, at_home, values, squares, directions, varying)

    def correlation(self) -> float | None:
        """Σ over pairs of z_a · z_b = (|Σ z|² - n) / 2 for unit vectors z."""
        n = self.varying
        if n < 2:
            return None
        return (float(np.square(self.directions).sum()) - n) / (n * (n - 1))

    def spread(self, n: int) -> float:
        variances = self.squares / n - np.square(self.values / n)
        return float(np.sqrt(np.maximum(variances, 0.0)).mean())


def _center_rows(matrix: Floats) -> Floats:
    """Rows centred and of length 1; rows that do not vary have no direction."""
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    lengths = np.sqrt(np.square(centred).sum(axis=1, keepdims=True))
    varies = lengths[:, 0] > 1e-12
    unit: Floats = centred[varies] / lengths[varies]
    return unit


def _judge_variant(
    variant: str, model: str, weighting: str, scorer: Scorer, test: Dataset, tool: str
) -> VariantFacts:
    scores = scorer.score(test.features)
    figures = {
        name: TrainingMeasure.of(test, name, tool).mean(scores) for name in FIGURE_1_MEASURES
    }
    mean = sum(figures.values()) / len(figures)
    return VariantFacts(variant, model, weighting, figures["MAP"], figures["NDCG@10"], mean)


def _average_figure_1(facts: list[VariantFacts], model: str) -> float:
    chosen = [
        one.figure_1 for one in facts if one.model == model and one.weighting == WEIGHTINGS[0]
    ]
    if not chosen:
        raise RankwiseError(f"Figure 1 needs variants over {model}, found none")
    return sum(chosen) / len(chosen)
