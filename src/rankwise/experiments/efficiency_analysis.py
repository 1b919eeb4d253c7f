"""Documents ranked by data envelopment analysis itself: efficiency, super- and cross-efficiency.

The introduction of the DEARank paper sets these rankings of decision making units aside, since they
say nothing about units that are not there yet. Within a query they can rank, without any label:
features are the outputs of each document, the query its one input (CCR-I).

Jiang and Lin (2014). DEARank: a data-envelopment-analysis-based ranking method. Machine
Learning 96.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.progress import Stage, silent_stage
from rankwise.rankers.dea.cross_efficiency import cross_efficiency
from rankwise.rankers.dea.efficiency import ccr
from rankwise.rankers.dea.super_efficiency import super_efficiency
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.tables.notebook import Rows, Tabular, shortened

Floats = NDArray[np.float64]

WAYS = ("efficiency", "super-efficiency", "cross-efficiency")
MEASURES = ("MAP", "NDCG@10")
# Scores that differ by less are those of one efficient document and another.
_DECIMALS = 9


@dataclass(frozen=True)
class EfficiencyRanking:
    """What ranking the documents of every query by one score reaches; ties count as expected."""

    way: str
    map: float
    ndcg_at_10: float


@dataclass(frozen=True, eq=False)
class EfficiencyAnalysis(Tabular):
    """The scores of documents by data envelopment analysis, and the rankings they make.

    Attributes:
        query_ids: of each document.
        labels: of each document.
        scores: by `WAYS`, a score for each document; super-efficiency may be infinite.
        rankings: what each way reaches.
        goal: of cross-efficiency.
    """

    query_ids: tuple[str, ...]
    labels: Floats
    scores: dict[str, Floats]
    rankings: tuple[EfficiencyRanking, ...]
    goal: str

    def __repr__(self) -> str:
        best = max(self.rankings, key=lambda one: one.map)
        return shortened(
            f"{len(self.labels)} documents by efficiency, {self.efficient} of them efficient; "
            f"{best.way} ranks best, MAP {best.map:.4f}"
        )

    @property
    def efficient(self) -> int:
        """Documents with an efficiency of 1."""
        return int(np.count_nonzero(self.scores["efficiency"] >= 1.0))

    @property
    def unbounded(self) -> int:
        """Documents that alone have some feature: an infinite super-efficiency."""
        return int(np.count_nonzero(np.isinf(self.scores["super-efficiency"])))

    def as_dict(self) -> dict[str, Any]:
        """Everything under plain names; an infinite score is None."""
        return {
            "documents": [dict(zip(self._columns(), row, strict=True)) for row in self._rows()],
            "efficient": self.efficient,
            "unbounded": self.unbounded,
            "rankings": [asdict(one) for one in self.rankings],
            "goal": self.goal,
        }

    def _columns(self) -> tuple[str, ...]:
        return ("query", "label", *(way.replace("-", "_") for way in WAYS))

    def _rows(self) -> list[tuple[Any, ...]]:
        columns = [
            [value if np.isfinite(value) else None for value in self.scores[way].tolist()]
            for way in WAYS
        ]
        return list(zip(self.query_ids, self.labels.tolist(), *columns, strict=True))

    def _table(self) -> Rows:
        return self._columns(), self._rows()


def analyse_efficiency(
    data: str | Path | Dataset,
    *,
    query: str | None = None,
    goal: str = "benevolent",
    tool: str = "definition",
    solver: str = "compiled",
    stage: Stage = silent_stage,
) -> EfficiencyAnalysis:
    """Score and rank the documents of every query by data envelopment analysis, without labels.

    Args:
        data: a data set or its file.
        query: look at the query with this id only.
        goal: of cross-efficiency, `benevolent`, `aggressive` or `any`
            (`rankwise.rankers.dea.cross_efficiency`).
        tool: whose measures count.
        solver: who solves the linear programs, `compiled` or `highs`.
        stage: is told how far it is.
    """
    dataset = _choose_query(data if isinstance(data, Dataset) else read(data), query)
    if not np.isfinite(dataset.features).all():
        raise RankwiseError(
            "data envelopment analysis cannot take NULL features, found some; fill them first: "
            "rankwise data normalize IN OUT --to min"
        )
    advance = stage("solving", dataset.n_queries)
    parts: list[Floats] = []
    for number, one in enumerate(dataset.queries(), 1):
        parts.append(_score_query(one.features, goal, solver))
        advance(number)
    found = np.concatenate(parts, axis=1)
    scores = dict(zip(WAYS, found, strict=True))
    return EfficiencyAnalysis(
        query_ids=tuple(np.repeat(np.array(dataset.query_ids), dataset.query_lengths).tolist()),
        labels=dataset.labels,
        scores=scores,
        rankings=tuple(_judge_ranking(way, scores[way], dataset, tool) for way in WAYS),
        goal=goal,
    )


def _choose_query(dataset: Dataset, query: str | None) -> Dataset:
    if query is None:
        return dataset
    ids: Sequence[str] = [str(one) for one in dataset.query_ids]
    if query not in ids:
        raise RankwiseError(f"the data have no query {query!r}; the first one is {ids[0]!r}")
    return dataset.select_queries(np.array([ids.index(query)]))


def _score_query(features: Floats, goal: str, solver: str) -> Floats:
    """(ways, documents), with features brought to [0, 1] within the query as DEARank's are."""
    ranges = np.ptp(features, axis=0)
    outputs = (features - features.min(axis=0)) / np.where(ranges > 0.0, ranges, 1.0)
    inputs = np.ones((len(outputs), 1))
    scores = [
        ccr(inputs, outputs, solver).scores,
        super_efficiency(inputs, outputs, solver),
        cross_efficiency(inputs, outputs, goal, solver).scores,
    ]
    return np.array(scores, dtype=np.float64).round(_DECIMALS)


def _judge_ranking(way: str, scores: Floats, dataset: Dataset, tool: str) -> EfficiencyRanking:
    # Efficient documents tie: the order of the file must not earn anything.
    values = (
        TrainingMeasure.of(dataset, measure, tool, ties="expected").mean(scores)
        for measure in MEASURES
    )
    return EfficiencyRanking(way, *values)
