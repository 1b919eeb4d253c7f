"""What fewer features do to the measures: a ranker learnt with all and with fewer, on each fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold
from rankwise.errors import RankwiseError

Score = Callable[[Dataset], NDArray[np.float64]]
# Learns from training and validation parts; what it returns scores documents.
Learner = Callable[[Dataset, Dataset | None], Score]
Change = Callable[[Fold], Fold]


@dataclass(frozen=True, eq=False)
class Effect:
    """One measure over the test queries of all folds.

    Attributes:
        measure: its name.
        before, after: (queries,) with all features and with fewer; a query has its own row.
    """

    measure: str
    before: NDArray[np.float64]
    after: NDArray[np.float64]

    @property
    def difference(self) -> float:
        """Mean after minus mean before."""
        return float(self.after.mean() - self.before.mean())


def compare_on_folds(
    folds: Iterable[Fold],
    change: Change,
    learn: Learner,
    measures: Sequence[str],
    tool: str = "definition",
    told: Callable[[int], None] = lambda number: None,
) -> list[Effect]:
    """Learn with all features and with those that `change` leaves, and measure both on test parts.

    `told` is called with the number of each fold that is done. Queries for which the tool has no
    figure are left out of both. Ties count as in the mean over their orders: in LETOR's OHSUMED the
    order of the file would rank a model without any useful feature by BM25.
    """
    before: dict[str, list[NDArray[np.float64]]] = {measure: [] for measure in measures}
    after: dict[str, list[NDArray[np.float64]]] = {measure: [] for measure in measures}
    for fold in folds:
        for figures, version in ((before, fold), (after, change(fold))):
            scores = learn(version.train, version.validation)(version.test)
            for measure, values in _per_query(version.test, scores, measures, tool).items():
                figures[measure].append(values)
        told(fold.number)
    return [_effect(measure, before[measure], after[measure]) for measure in measures]


def _effect(
    measure: str, before: list[NDArray[np.float64]], after: list[NDArray[np.float64]]
) -> Effect:
    first, second = np.concatenate(before), np.concatenate(after)
    known = ~(np.isnan(first) | np.isnan(second))
    return Effect(measure, first[known], second[known])


def _per_query(
    dataset: Dataset, scores: NDArray[np.float64], measures: Sequence[str], tool: str
) -> dict[str, NDArray[np.float64]]:
    from rankwise.data.scores.scored_qrels import JudgedScores
    from rankwise.measures.evaluation import evaluate

    judged = JudgedScores(
        dataset.labels, scores, dataset.query_offsets, dataset.query_ids, dataset.document_ids
    )
    evaluation = evaluate(judged, measures, tool, ties="expected")
    for reason in evaluation.refused.values():
        raise RankwiseError(reason)
    return {measure: evaluation[measure].values for measure in measures}
