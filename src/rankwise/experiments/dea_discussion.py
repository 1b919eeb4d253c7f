"""The discussion of the DEARank paper as computed facts: sections 4.3, 4.4, 5.1 and 5.2.

Jiang and Lin (2014). DEARank: a data-envelopment-analysis-based ranking method. Machine
Learning 96.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.experiments.ensemble_diversity import Diversity, measure_diversity
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.boosting.weak_rankers import Boosted, Pool, performance_matrix
from rankwise.rankers.dea.dearank import WEIGHTINGS, Candidates, DEARankIMAP, candidates
from rankwise.rankers.dea.programs import LOGARITHMIC
from rankwise.rankers.registry import find_ranker
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

    Attributes:
        variant: the name of the ranker.
        model: its data envelopment model.
        weighting: how weak rankers join.
        map: MAP of the ensemble.
        ndcg_at_10: its NDCG@10.
        figure_1: the mean of NDCG@1 … NDCG@10 and MAP.
        best: the size of the reduced pool; 0 for all candidates.
        figures: NDCG@1 … NDCG@10 and MAP.
        members_map: MAP of the ensemble's members, on average over them.
        biased: the share of members that do better on their home query than on the average of all
            training queries, by the measure that is boosted.
        diversity: of the members, as each orders documents by the weights of its program.
    """

    variant: str
    model: str
    weighting: str
    map: float
    ndcg_at_10: float
    figure_1: float
    best: int = 0
    figures: tuple[float, ...] = ()
    members_map: float | None = None
    biased: float | None = None
    diversity: Diversity | None = None


def measure_pool(
    train: Dataset,
    model: str,
    tool: str = "definition",
    solver: str = "compiled",
    phi: str = LOGARITHMIC,
) -> PoolFacts:
    """Local overfitting and error diversity of the pool of `model`, measured by MAP."""
    found = candidates(train, model, solver, phi)
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
    phi: str = LOGARITHMIC,
    best: int = 0,
) -> Iterator[VariantFacts]:
    """Train the four variants with both weightings and judge them on `test`, one at a time.

    With `best`, a third time with the reduced pool of so many candidates (section 4.4).
    """
    found: dict[str, Candidates] = {}
    for name in VARIANTS:
        kind: Any = find_ranker(name)
        model = kind().model
        if model not in found:
            found[model] = candidates(train, model, solver, phi).distinct()
        measure = TrainingMeasure.of(train, kind().measure, tool)
        pool = Pool.of(found[model].weights, train, measure)
        settings = [(weighting, 0) for weighting in WEIGHTINGS] + [(WEIGHTINGS[0], best)]
        for weighting, kept in settings if best else settings[:-1]:
            ranker = kind(weighting=weighting, best=kept, tool=tool, solver=solver)
            used = pool.keep_best(kept) if kept else pool
            ensemble = ranker.combine(used, train, validation, measure)
            yield _judge_variant(ranker, ensemble, used, found[model], test)


def measure_changes(facts: Sequence[VariantFacts]) -> dict[str, float] | None:
    """Table 8's row of percentages: what the reduced pool changes, by measure.

    100 (Σ E of the four variants with the reduced pool / Σ E of the four with all candidates - 1).
    The paper gives no formula. This one, the change of the mean, agrees with all its rows to what
    rounding leaves open, and by a little better than the mean of the four relative changes does, so
    it is a guess. None where no reduced pool was tried.
    """
    reduced = np.array([one.figures for one in facts if one.best])
    whole = np.array(
        [one.figures for one in facts if not one.best and one.weighting == WEIGHTINGS[0]]
    )
    if not len(reduced):
        return None
    before, after = whole.sum(axis=0), reduced.sum(axis=0)
    changes = 100.0 * (after / np.where(before > 0.0, before, np.nan) - 1.0)
    return dict(zip(FIGURE_1_MEASURES, changes.tolist(), strict=True))


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
    ranker: DEARankIMAP, ensemble: Boosted, pool: Pool, found: Candidates, test: Dataset
) -> VariantFacts:
    scores = Linear(ensemble.weights).score(test.features)
    figures = {
        name: TrainingMeasure.of(test, name, ranker.tool).mean(scores) for name in FIGURE_1_MEASURES
    }
    members = np.array(sorted(set(ensemble.chosen)))
    weights = pool.weights[members]
    values = performance_matrix(weights, test, TrainingMeasure.of(test, "MAP", ranker.tool))
    at_home = pool.performance[members, found.homes[pool.numbers[members]]]
    return VariantFacts(
        variant=ranker.name,
        model=ranker.model,
        weighting=ranker.weighting,
        map=figures["MAP"],
        ndcg_at_10=figures["NDCG@10"],
        figure_1=sum(figures.values()) / len(figures),
        best=ranker.best,
        figures=tuple(figures.values()),
        members_map=float(values.mean()),
        biased=float((at_home > pool.performance[members].mean(axis=1)).mean()),
        diversity=measure_diversity(weights, test),
    )


def _average_figure_1(facts: list[VariantFacts], model: str) -> float:
    chosen = [
        one.figure_1
        for one in facts
        if one.model == model and one.weighting == WEIGHTINGS[0] and not one.best
    ]
    if not chosen:
        raise RankwiseError(f"Figure 1 needs variants over {model}, found none")
    return sum(chosen) / len(chosen)
