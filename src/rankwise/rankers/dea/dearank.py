"""DEARank: boosting the optimal weights of data envelopment analysis, in four variants.

Every document of a training set gives optimal weights, which are candidates for weak rankers. One
set of candidates makes several pools: all of them, or the best so many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats, Integers
from rankwise.processes import processors
from rankwise.rankers.boosting.weak_rankers import (
    DOMINATIONS,
    Boosted,
    BoostingRules,
    Pool,
    RoundSelection,
    boost,
    performance_matrix,
    reweighting,
)
from rankwise.rankers.dea.programs import (
    LABEL_MODELS,
    LOGARITHMIC,
    MODELS,
    NO_PROGRAM,
    PHIS,
    SOLVERS,
    optimal_weights,
)
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import (
    Family,
    Learned,
    Ranker,
    Training,
    Watch,
    never_stop,
    prepare_once,
)
from rankwise.rankers.round_measures import objective_facts, objective_tool, selection_measures
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure

WEIGHTINGS = ("program", "feature")

_MODEL = "the data envelopment model whose optimal weights are the weak rankers"
_MEASURE = "the measure E that is boosted"


@dataclass(frozen=True)
class DEARankIMAP(Ranker):
    """F = Σ_t β_t h_t, each h_t(x) = w · x with w the optimal weights of some training document.

    The weights of document k of a query solve `ccr-i` (Eq. 5), max μ·x_k subject to μ·x_i <= 1 and
    μ >= 0, or `ccr-o` (Eq. 6), min v·x_k subject to v·x_i >= ln(1 + y_i) and v >= 0, over the
    documents i of its query (`rankwise.rankers.dea.programs`, with two further models). Boosting is
    Algorithm 1 with Eqs. 8 and 9 (`rankwise.rankers.boosting.weak_rankers`):
    h_t = argmax_h Σ_i P_t(i) E(x_i, y_i, h), β_t = ½ ln((1 + r_t) / (1 − r_t)) with r_t the sum
    for h_t. The round is chosen on validation, or on the training data where there is none,
    by the mean of MAP and NDCG@1, or another `selection`; of several measures those count that the
    tool computes. Where it computes no E, that is the definition's.

    Defaults are the paper's and, where it is silent, its authors' runs: all candidates whose
    weights sum to 0.5 or more, 200 rounds, P_{t+1}(i) ∝ exp(−E(x_i, y_i, F_t)), the queue against
    domination, and a halt where the training measure drops by 0.002. `reweighting=multiplicative`
    is not the paper's; neither queue nor halt belong to it, so they hold for `published` only.
    `weighting=feature` is the scheme that section 5.2 proposes (Eq. 15).

    Not AdaRank, whose weak rankers are single features; the boosting is the same code.

    Jiang and Lin (2014). DEARank: a data-envelopment-analysis-based ranking method. Machine
    Learning 96.
    """

    name: ClassVar[str] = "dearank-i-map"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Jiang and Lin (2014), Machine Learning 96"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    keeps_measure: ClassVar[bool] = True

    model: str = parameter("ccr-i", _MODEL, choices=MODELS)
    best: int = parameter(
        0,
        "keep the best so many candidates by the training measure; 0: all",
        grid=(0, 100),
        lowest=0,
    )
    rounds: int = parameter(200, "rounds at most; the best one is chosen on validation", lowest=1)
    reweighting: str = reweighting()
    domination: str = parameter(
        "queue",
        "what becomes of a weak ranker chosen twice running, with the published re-weighting",
        choices=DOMINATIONS,
    )
    stop_at_drop: float = parameter(
        0.002,
        "the drop of the training measure that halts the published re-weighting; 0: none does",
        lowest=0.0,
    )
    weighting: str = parameter(
        "program",
        "a weak ranker joins with the weights of its program, or of each feature's worth (Eq. 15)",
        choices=WEIGHTINGS,
    )
    solver: str = parameter(
        "compiled", "who solves the programs; optima agree, corners may not", choices=SOLVERS
    )
    measure: str = parameter("MAP", _MEASURE)
    selection: str = parameter(
        "MAP,NDCG@1", "the measure that chooses the round, of several the mean; same: E"
    )
    tool: str = convention("measures")

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        measure = self.objective(train)
        pools = prepare_once(
            "pools of data envelopment analysis",
            train,
            (self.model, self.solver, self.label_output(), str(measure.measure), measure.tool.name),
            lambda: Pools(train, self.model, self.solver, self.label_output(), measure),
        )
        pool = pools.best(self.best)
        return self.boosted(pool, pools.candidates, training, measure)

    def label_output(self) -> str:
        """The name of φ, for models that look at labels."""
        return LOGARITHMIC

    def objective(self, train: Dataset) -> TrainingMeasure:
        """E, of the definition where the tool does not compute it."""
        return TrainingMeasure.of(train, self.measure, objective_tool(self.measure, self.tool))

    def boosted(
        self, pool: Pool, found: Candidates, training: Training, measure: TrainingMeasure
    ) -> Learned[Linear]:
        """Boost a pool that is already there: several settings can share its programs."""
        boosted = self.combine(pool, training.train, training.validation, measure, training.watch)
        facts = {
            "candidates": len(pool),
            "programs": found.programs,
            "documents_without_program": found.without_program,
            "constraints_left_out": found.left_out,
            **objective_facts(measure.tool.name, self.tool),
        }
        return Learned(Linear(boosted.weights), facts | boosted.facts())

    def combine(
        self,
        pool: Pool,
        train: Dataset,
        validation: Dataset | None,
        measure: TrainingMeasure,
        watch: Watch = never_stop,
    ) -> Boosted:
        """The ensemble of a pool, with the weak rankers that make it."""
        judged = train if validation is None else validation
        joining = feature_weighted(pool, train, measure) if self.weighting == "feature" else pool
        chosen_by = selection_measures(self.selection, self.measure, self.tool)
        selection = RoundSelection.of(judged, chosen_by)
        return boost(joining, train, measure, selection, self._rules(), watch)

    def _rules(self) -> BoostingRules:
        if self.reweighting != "published":
            return BoostingRules(rounds=self.rounds, reweighting=self.reweighting)
        return BoostingRules(
            rounds=self.rounds,
            reweighting=self.reweighting,
            domination=self.domination,
            stop_at_drop=self.stop_at_drop or None,
        )


@dataclass(frozen=True)
class DEARankINDCG(DEARankIMAP):
    """DEARank-I with NDCG@5 for E; everything else as in `DEARankIMAP`.

    Jiang and Lin (2014). DEARank: a data-envelopment-analysis-based ranking method. Machine
    Learning 96.
    """

    name: ClassVar[str] = "dearank-i-ndcg"

    measure: str = parameter("NDCG@5", _MEASURE)


@dataclass(frozen=True)
class DEARankOMAP(DEARankIMAP):
    """DEARank over the weights of `ccr-o`, which look at labels; else as `DEARankIMAP`.

    A label y stands for the output φ(y) (`rankwise.rankers.dea.programs`); the paper asks for
    any φ that keeps the order of labels, and takes ln(1 + y).

    Jiang and Lin (2014). DEARank: a data-envelopment-analysis-based ranking method. Machine
    Learning 96.
    """

    name: ClassVar[str] = "dearank-o-map"

    model: str = parameter("ccr-o", _MODEL, choices=MODELS)
    phi: str = parameter(
        LOGARITHMIC, "the output that a label stands for: ln(1 + y), y, √y or 2^y - 1", choices=PHIS
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.phi != LOGARITHMIC and self.model not in LABEL_MODELS:
            raise RankwiseError(
                f"{self.name}: phi is read by the models {' and '.join(LABEL_MODELS)}, found "
                f"phi={self.phi} with model={self.model}, which looks at no label; leave out phi"
            )

    def label_output(self) -> str:
        """See `DEARankIMAP`."""
        return self.phi


@dataclass(frozen=True)
class DEARankONDCG(DEARankOMAP):
    """DEARank over the weights of `ccr-o`, with NDCG@5 for E; else as `DEARankOMAP`.

    Jiang and Lin (2014). DEARank: a data-envelopment-analysis-based ranking method. Machine
    Learning 96.
    """

    name: ClassVar[str] = "dearank-o-ndcg"

    measure: str = parameter("NDCG@5", _MEASURE)


class Pools:
    """Candidates, and their pools under one measure, each made when it is first asked for.

    A reduced pool is taken from the whole one where that is there, and measured without ever
    holding the whole one's figures where it is not; both have the same bits.
    """

    def __init__(
        self, train: Dataset, model: str, solver: str, phi: str, measure: TrainingMeasure
    ) -> None:
        self.candidates: Candidates = candidates(train, model, solver, phi).distinct()
        self._train = train
        self._measure = measure
        self._made: dict[int, Pool] = {}

    def best(self, count: int) -> Pool:
        """The best so many by their mean on the training queries; 0: all."""
        if count not in self._made:
            self._made[count] = self._make(count)
        return self._made[count]

    def _make(self, count: int) -> Pool:
        if count and 0 in self._made:
            return self._made[0].keep_best(count)
        return Pool.of(self.candidates.weights, self._train, self._measure, best=count or None)


# The authors' own runs drop candidates whose weights sum to less (errata of Jiang and Lin 2014).
SMALLEST_SUM = 0.5
# Weights are equal when they agree to so many decimals: solvers stop within about 1e-10.
_EQUAL_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class Candidates:
    """Optimal weights as weak rankers h(x) = w · x.

    Attributes:
        weights: (candidates, features), in units of the features.
        homes: the number of the query whose documents a candidate comes from.
        documents: the row of the document whose program gave it.
        programs: how many linear programs were solved.
        without_program: documents that asked nothing, as all their features are 0.
        left_out: documents of positive label whose constraint is left out of `ccr-o`.
    """

    weights: Floats
    homes: Integers
    documents: Integers
    programs: int
    without_program: int
    left_out: int

    def __len__(self) -> int:
        return len(self.weights)

    def distinct(self) -> Candidates:
        """The first of equal candidates, in their order; homes of the others are forgotten."""
        chosen = _first_of_equals(self.weights)
        return Candidates(
            self.weights[chosen],
            self.homes[chosen],
            self.documents[chosen],
            self.programs,
            self.without_program,
            self.left_out,
        )


def candidates(
    train: Dataset, model: str = "ccr-i", solver: str = "compiled", phi: str = LOGARITHMIC
) -> Candidates:
    """Solve the programs of all documents, query by query on all processors.

    Features are brought to [0, 1] within each query first, as LETOR's QueryLevelNorm is, on which
    the paper's figures rest and which this leaves as it is: with a feature that is constant and
    positive, every document would be efficient by that feature alone, and a negative one has no
    place in the models. Weights come back in units of the features. Of the weights of one query,
    those that sum to less than 0.5 in units of the range are left out, as are equal ones.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(processors()) as executor:
        found = list(
            executor.map(
                lambda q: _candidates_of_query(train, q, model, solver, phi), range(train.n_queries)
            )
        )
    if not any(len(one) for one in found):
        raise RankwiseError(
            "data envelopment analysis needs a query whose documents differ in some feature"
            + (" and have a positive label" if model in LABEL_MODELS else "")
            + f", found none in {train.n_queries}"
        )
    return _joined_candidates(found)


def feature_weighted(pool: Pool, train: Dataset, measure: TrainingMeasure) -> Pool:
    """The same weak rankers, combined feature by feature: Eq. 15 of Jiang and Lin (2014).

    A weak ranker h_t that uses the features k in K_t is chosen and counts as before, but joins as
    Σ_k β_tk f_k with β_tk ∝ Σ_i E(x_i, y_i, f_k) for k in K_t. The paper leaves the factor open:
    here Σ_k β_tk = β_t, with every feature in units of its range in the training data.
    """
    worth = performance_matrix(np.eye(train.n_features), train, measure).mean(axis=1)
    ranges = np.ptp(train.features, axis=0)
    shares = np.where(pool.weights > 0.0, worth, 0.0)
    totals = shares.sum(axis=1, keepdims=True)
    units = np.where(ranges > 0.0, ranges, 1.0)
    # Where no feature of a candidate earns anything, its own weights are all there is.
    weights = np.where(totals > 0.0, shares / np.where(totals > 0.0, totals, 1.0), pool.weights)
    return Pool(weights / units, pool.performance, pool.numbers)


def _candidates_of_query(
    train: Dataset, number: int, model: str, solver: str, phi: str
) -> Candidates:
    query = train.query(number)
    lowest, ranges = query.features.min(axis=0), np.ptp(query.features, axis=0)
    units = np.where(ranges > 0.0, ranges, 1.0)
    brought = (query.features - lowest) / units
    solved = optimal_weights(brought, query.labels, model, solver, phi)
    tried = np.flatnonzero(solved.weights.sum(axis=1) >= SMALLEST_SUM)
    chosen = tried[_first_of_equals(solved.weights[tried])]
    return Candidates(
        weights=solved.weights[chosen] / units,
        homes=np.full(len(chosen), number),
        documents=train.query_offsets[number] + solved.homes[chosen],
        programs=solved.programs,
        without_program=int(np.count_nonzero(solved.homes == NO_PROGRAM)),
        left_out=solved.left_out,
    )


def _joined_candidates(parts: Sequence[Candidates]) -> Candidates:
    return Candidates(
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.homes for part in parts]),
        np.concatenate([part.documents for part in parts]),
        sum(part.programs for part in parts),
        sum(part.without_program for part in parts),
        sum(part.left_out for part in parts),
    )


def _first_of_equals(weights: Floats) -> Integers:
    """Rows that equal no earlier one, relative to their largest weight."""
    largest = weights.max(axis=1, keepdims=True, initial=0.0)
    scale = np.where(largest > 0.0, largest, 1.0)
    keys = np.round(np.hstack([weights / scale, np.log(scale)]), _EQUAL_DECIMALS) + 0.0
    seen: dict[bytes, int] = {}
    for number, key in enumerate(np.ascontiguousarray(keys)):
        seen.setdefault(key.tobytes(), number)
    return np.array(list(seen.values()), dtype=np.int64)
