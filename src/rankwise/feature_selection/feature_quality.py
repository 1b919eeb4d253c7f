"""How much a feature says, alone and within a model, and what fewer features do to the measures.

The effect of fewer features is that on a ranker learnt with all and with fewer, on each fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_seed
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold
from rankwise.data.normalization.scales import fill_null
from rankwise.errors import Advice, RankwiseError

if TYPE_CHECKING:
    from rankwise.measures.evaluation import MeasureResult


Score = Callable[[Dataset], NDArray[np.float64]]


@dataclass(frozen=True)
class FeatureQuality:
    """What a measure says of ranking by each feature alone.

    Attributes:
        measure: the measure's name.
        values: (features,) its mean over the queries, in the better direction.
        ascending: (features,) whether small values rank first there.
    """

    measure: str
    values: NDArray[np.float64]
    ascending: NDArray[np.bool_]


def single_feature_quality(
    dataset: Dataset, measure: str = "MAP", tool: str = "definition"
) -> FeatureQuality:
    """Rank by each feature alone, once from above and once from below, and keep the better.

    Tied documents count as in the mean over all their orders, so that the order of the file, which
    in LETOR's OHSUMED follows BM25, gives no feature an advantage. NULL is filled with the query's
    minimum first.
    """
    refuse_falling(measure)
    filled = fill_null(dataset)
    above = np.array([_mean(filled, column, measure, tool) for column in filled.features.T])
    below = np.array([_mean(filled, -column, measure, tool) for column in filled.features.T])
    return FeatureQuality(measure, np.maximum(above, below), below > above)


def permutation_importance(
    score: Score,
    dataset: Dataset,
    measure: str = "MAP",
    tool: str = "definition",
    *,
    seed: int = 0,
    repeats: int = 3,
) -> NDArray[np.float64]:
    """(features,) what the measure loses when a feature is shuffled within each query.

        importance(f) = m(score(X)) − mean over repeats of m(score(X with f shuffled))

    Shuffling within the query keeps what is known of the query and destroys only what tells its
    documents apart, so features that depend on the query alone have importance 0. Breiman (2001),
    Random forests, Machine Learning 45, for the idea; within queries it is ours.
    """
    refuse_falling(measure)
    whole = _mean(dataset, score(dataset), measure, tool)
    losses = np.zeros(dataset.n_features)
    for number, changed in _shuffled_features(dataset, seed, repeats):
        losses[number] += whole - _mean(dataset, score(changed), measure, tool)
    return losses / repeats


def permutation_losses(
    score: Score,
    dataset: Dataset,
    measure: str = "MAP",
    tool: str = "definition",
    *,
    seed: int = 0,
    repeats: int = 3,
) -> tuple[list[str], NDArray[np.float64]]:
    """The queries that have a value, and (queries, features) what each loses; see above.

    Features are shuffled as `permutation_importance` shuffles them, so that where the mean of a
    measure is that of its queries, the means of these losses are those importances.
    """
    refuse_falling(measure)
    whole = _result(dataset, score(dataset), measure, tool)
    losses = np.zeros((len(whole.values), dataset.n_features))
    for number, changed in _shuffled_features(dataset, seed, repeats):
        losses[:, number] += whole.values - _result(dataset, score(changed), measure, tool).values
    known = np.flatnonzero(~np.isnan(losses).any(axis=1))
    if not len(known):
        raise RankwiseError(
            f"the data must have queries of which {tool} has a value of {measure} to weigh "
            f"features by, found none among {dataset.n_queries}"
        )
    names = [whole.query_ids[place] for place in known.tolist()]
    return names, losses[known] / repeats


def _shuffled_features(dataset: Dataset, seed: int, repeats: int) -> Iterator[tuple[int, Dataset]]:
    """Each feature in turn with the data in which it alone is shuffled."""
    if repeats < 1:
        raise RankwiseError(f"repeats must be at least 1, found {repeats}")
    first = dataset.query_offsets[:-1][dataset.query_of_rows]
    if bool((dataset.labels == dataset.labels[first]).all()):
        raise RankwiseError(
            "features are weighed on a query whose documents differ in their labels, found none "
            f"among {dataset.n_queries}"
        )
    rng = np.random.default_rng(check_seed(seed))
    features = dataset.features.copy()
    for _ in range(repeats):
        # Random within each query.
        order = np.lexsort((rng.random(dataset.n_documents), dataset.query_of_rows))
        for number in range(dataset.n_features):
            features[:, number] = dataset.features[order, number]
            yield number, dataset.with_features(features)
            features[:, number] = dataset.features[:, number]


def refuse_falling(measure: str) -> None:
    """Refuse a measure whose smaller values are the better ones: what tells most tells least."""
    from rankwise.measures.measure import lower_is_better

    if lower_is_better(measure):
        raise RankwiseError(
            f"features are weighed by what rises as rankings get better, found {measure}, which "
            "falls",
            Advice("give another {}", "measure"),
        )


def _mean(dataset: Dataset, scores: NDArray[np.float64], measure: str, tool: str) -> float:
    return _result(dataset, scores, measure, tool).mean


def _result(
    dataset: Dataset, scores: NDArray[np.float64], measure: str, tool: str
) -> MeasureResult:
    from rankwise.data.scores.scored_qrels import JudgedScores
    from rankwise.measures.evaluation import evaluate_judged

    judged = JudgedScores(dataset.labels, scores, dataset.query_offsets, dataset.query_ids)
    [result] = evaluate_judged(judged, [measure], tool, ties="expected").results.values()
    return result


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
            for measure, values in _values_per_query(version.test, scores, measures, tool).items():
                figures[measure].append(values)
        told(fold.number)
    return [_effect(measure, before[measure], after[measure]) for measure in measures]


def _effect(
    measure: str, before: list[NDArray[np.float64]], after: list[NDArray[np.float64]]
) -> Effect:
    first, second = np.concatenate(before), np.concatenate(after)
    known = ~(np.isnan(first) | np.isnan(second))
    return Effect(measure, first[known], second[known])


def _values_per_query(
    dataset: Dataset, scores: NDArray[np.float64], measures: Sequence[str], tool: str
) -> dict[str, NDArray[np.float64]]:
    from rankwise.data.scores.scored_qrels import JudgedScores
    from rankwise.measures.evaluation import evaluate_judged

    judged = JudgedScores(
        dataset.labels, scores, dataset.query_offsets, dataset.query_ids, dataset.document_ids
    )
    evaluation = evaluate_judged(judged, measures, tool, ties="expected")
    for reason in evaluation.refused.values():
        raise RankwiseError(reason)
    return {measure: evaluation[measure].values for measure in measures}
