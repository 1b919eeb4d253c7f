"""DEARank: boosting the optimal weights of data envelopment analysis, in four variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.boosting.linear_boosting import (
    DOMINATIONS,
    REWEIGHTINGS,
    Boosted,
    BoostingRules,
    RoundSelection,
    boost,
)
from rankwise.rankers.boosting.performance import Pool
from rankwise.rankers.dea.label_outputs import LOGARITHMIC, PHIS
from rankwise.rankers.dea.pool import Candidates, feature_weighted
from rankwise.rankers.dea.pools import Pools
from rankwise.rankers.dea.programs import LABEL_MODELS, MODELS, SOLVERS
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch, never_stop
from rankwise.rankers.round_measures import (
    objective_facts,
    objective_tool,
    selection_measures,
)
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.shared_preparation import prepare_once
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
    Algorithm 1 with Eqs. 8 and 9 (`rankwise.rankers.boosting.linear_boosting`):
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
    reweighting: str = parameter(
        "published",
        "weights of the queries: exp(-E(F)) anew, or P exp(-b E(F)) from round to round",
        grid=REWEIGHTINGS,
        choices=REWEIGHTINGS,
    )
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
    tool: str = parameter("definition", "whose convention of the measures is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        measure = self.objective(train)
        pools = prepare_once(
            "pools of data envelopment analysis",
            train,
            (self.model, self.solver, self.label_output(), str(measure.measure), measure.tool.name),
            lambda: Pools(train, self.model, self.solver, self.label_output(), measure),
        )
        pool = pools.best(self.best)
        return self.boosted(pool, pools.candidates, train, validation, measure, watch)

    def label_output(self) -> str:
        """The name of φ, for models that look at labels."""
        return LOGARITHMIC

    def objective(self, train: Dataset) -> TrainingMeasure:
        """E, of the definition where the tool does not compute it."""
        return TrainingMeasure.of(train, self.measure, objective_tool(self.measure, self.tool))

    def boosted(
        self,
        pool: Pool,
        found: Candidates,
        train: Dataset,
        validation: Dataset | None,
        measure: TrainingMeasure,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        """Boost a pool that is already there: several settings can share its programs."""
        boosted = self.combine(pool, train, validation, measure, watch)
        facts = {
            "candidates": len(pool),
            "programs": found.programs,
            "documents_without_program": found.without_program,
            "constraints_left_out": found.left_out,
            **objective_facts(measure.tool.name, self.tool),
        }
        return Linear(boosted.weights), facts | boosted.facts()

    def combine(
        self,
        pool: Pool,
        train: Dataset,
        validation: Dataset | None,
        measure: TrainingMeasure,
        watch: Watch = never_stop,
    ) -> Boosted:
        """The ensemble of a pool, with the weak rankers that make it."""
        joining = feature_weighted(pool, train, measure) if self.weighting == "feature" else pool
        judged = train if validation is None else validation
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

    A label y stands for the output φ(y) (`rankwise.rankers.dea.label_outputs`); the paper asks for
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
