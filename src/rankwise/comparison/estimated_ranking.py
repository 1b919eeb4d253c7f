"""Methods ranked by another estimator than NWN, with its intervals: `rankwise compare --by`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.comparison.estimators.estimate import Estimates, Estimator, ResultSample
from rankwise.comparison.estimators.mixed_model import UNEQUAL_SCALES, UNKNOWN_SCALES
from rankwise.comparison.estimators.registry import find_estimator
from rankwise.comparison.ranking import Comparison
from rankwise.comparison.resampling_remarks import (
    FEW_DATASETS,
    FEW_RESULTS,
    NO_SCATTER,
    ONE_DATASET,
    PLACED,
)
from rankwise.comparison.spread import LEAST_DATASETS, LEAST_FREEDOM
from rankwise.errors import Advice, RankwiseError
from rankwise.tabular import Rows, Tabular, shortened


@dataclass(frozen=True)
class EstimatedMethod:
    """A method's score by an estimator, and its interval where one can be given.

    `rank` is 1 plus the number of methods with a higher score. `datasets` counts versions of one
    data set once. `warning` says in a few words why the interval, or its absence, should not be
    trusted.
    """

    rank: int
    method: str
    score: float
    lower: float | None
    upper: float | None
    results: int
    datasets: int
    warning: str | None


@dataclass(frozen=True)
class EstimatedRanking(Tabular):
    """All methods by one estimator, best first; `remarks` are sentences about its intervals."""

    estimator: str
    title: str
    confidence: float
    rows: tuple[EstimatedMethod, ...]
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        best = "".join(f"; best: {shortened(one.method, 40)}" for one in self.rows[:1])
        return f"EstimatedRanking({len(self.rows)} methods by {self.estimator}{best})"

    def _table(self) -> Rows:
        columns = tuple(EstimatedMethod.__dataclass_fields__)
        return columns, (tuple(getattr(one, name) for name in columns) for one in self.rows)


def rank_by(comparison: Comparison, by: str, confidence: float = 0.95) -> EstimatedRanking:
    """Rank the methods of a comparison by an estimator of `rankwise.comparison.estimators`.

    Scores are shares from 0 to 1 (`nwn`, `mean-rank`), log-strengths (`bradley-terry`,
    `plackett-luce`) or effects on the value, in its units (`mixed-model`) or in standard deviations
    of the values of a data set and measure (`scaled-mixed-model`); those of the last four have the
    mean 0. Every result counts alike, whatever the weights of the comparison: others are refused.
    """
    estimator = find_estimator(by)
    if not 0 < confidence < 1:
        raise RankwiseError(f"the confidence must lie between 0 and 1; found {confidence}")
    if comparison.weighing is not None:
        raise RankwiseError(
            f"{by} lets every result count alike; found weights {comparison.weights!r}",
            Advice("leave out {}", "weights"),
            Advice("leave out {}", "by"),
        )
    sample = ResultSample(comparison.cells, comparison.unversioned, comparison.ideal, confidence)
    rows = _rank(sample, estimator.estimate(sample))
    return EstimatedRanking(by, estimator.title, confidence, rows, _remarks(estimator, rows))


def _rank(sample: ResultSample, found: Estimates) -> tuple[EstimatedMethod, ...]:
    cells = sample.cells
    results = np.bincount(cells.method, minlength=len(cells.methods))
    size = sample.group_count
    pairs = np.unique(cells.method * size + sample.group)
    datasets = np.bincount(pairs // size, minlength=len(cells.methods))
    placed = np.flatnonzero(~np.isnan(found.score)).tolist()
    placed.sort(key=lambda one: (-found.score[one], cells.methods[one]))
    rows = []
    for one in placed:
        score = float(found.score[one])
        lower, upper = (_known(float(end[one])) for end in (found.lower, found.upper))
        rows.append(
            EstimatedMethod(
                1 + int((found.score > score).sum()), cells.methods[one], score, lower, upper,
                int(results[one]), int(datasets[one]),
                warn_of_estimate(lower, int(datasets[one]), found),
            )
        )  # fmt: skip
    return tuple(rows)


def warn_of_estimate(lower: float | None, datasets: int, found: Estimates) -> str | None:
    """Why the interval of a method should not be trusted; see docs/comparison.md for the limits."""
    if lower is None:
        return ONE_DATASET if datasets < 2 else NO_SCATTER
    if found.freedom < LEAST_FREEDOM:
        return FEW_RESULTS
    return FEW_DATASETS if datasets < found.fewest else found.doubt


def _known(end: float) -> float | None:
    return None if np.isnan(end) else end


def _remarks(estimator: Estimator, rows: Sequence[EstimatedMethod]) -> tuple[str, ...]:
    said = [f"intervals of {estimator.name} come {estimator.intervals}", PLACED]
    for warning, sentence in _SENTENCES.items():
        count = sum(one.warning == warning for one in rows)
        if count:
            methods = "1 method" if count == 1 else f"{count} methods"
            said.append(sentence.format(methods=methods))
    return tuple(said)


_SENTENCES = {
    ONE_DATASET: "{methods} with results on one data set: no interval, which is ignorance and not "
    "certainty",
    NO_SCATTER: "{methods} with no interval, for nothing varies from one data set to another",
    FEW_DATASETS: "{methods} with results on fewer than "
    f"{LEAST_DATASETS} data sets: their intervals may cover less than 90 %",
    FEW_RESULTS: "there are too few methods and data sets to tell how scores vary: the intervals "
    "of {methods} may cover less than 90 %",
    UNEQUAL_SCALES: "values scatter more on some data sets than on others, so that one model of "
    "all is wrong: the intervals of {methods} may cover less than 90 %; scaled-mixed-model is for "
    "such tables",
    UNKNOWN_SCALES: "there are too few data sets to tell whether values scatter alike on all: the "
    "intervals of {methods} may cover less than 90 %; scaled-mixed-model does not rest on it",
}
