"""Methods ranked by another estimator than NWN, with its intervals: `rankwise compare --by`.

The estimators by name are what `--by` takes; what each computes
stands in `rankwise.comparison.estimates` and `rankwise.comparison.mixed_model`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.comparison.estimates import (
    Estimates,
    Estimator,
    ResultSample,
    estimate_bradley_terry,
    estimate_mean_rank,
    estimate_plackett_luce,
    estimate_winning_number,
)
from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.mixed_model import (
    UNEQUAL_SCALES,
    UNKNOWN_SCALES,
    estimate_mixed_model,
    estimate_scaled_mixed_model,
)
from rankwise.comparison.resampling import (
    FEW_DATASETS,
    FEW_RESULTS,
    LEAST_DATASETS,
    LEAST_FREEDOM,
    NO_SCATTER,
    ONE_DATASET,
    PLACED,
)
from rankwise.errors import Advice, RankwiseError
from rankwise.registry import Registry
from rankwise.tables.notebook import Rows, Tabular, shortened


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
    rows = _rank_estimates(sample, estimator.estimate(sample))
    return EstimatedRanking(
        by, estimator.title, confidence, rows, _describe_intervals(estimator, rows)
    )


def _rank_estimates(sample: ResultSample, found: Estimates) -> tuple[EstimatedMethod, ...]:
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
        lower, upper = (_known_end(float(end[one])) for end in (found.lower, found.upper))
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


def _known_end(end: float) -> float | None:
    return None if np.isnan(end) else end


def _describe_intervals(estimator: Estimator, rows: Sequence[EstimatedMethod]) -> tuple[str, ...]:
    said = [f"intervals of {estimator.name} come {estimator.intervals}", PLACED]
    for warning, sentence in _INTERVAL_SENTENCES.items():
        count = sum(one.warning == warning for one in rows)
        if count:
            methods = "1 method" if count == 1 else f"{count} methods"
            said.append(sentence.format(methods=methods))
    return tuple(said)


_INTERVAL_SENTENCES = {
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


_SCATTER = "from the scatter over data sets, pooled over methods"
_EXCESS = "from the curvature of the likelihood, widened by the scatter over data sets"
_ERRORS = "from the prediction errors of the model"

# fmt: off
_ALL_ESTIMATORS = (
    Estimator("nwn", "Normalized Winning Number", False, _SCATTER, estimate_winning_number),
    Estimator("mean-rank", "Mean rank", False, _SCATTER, estimate_mean_rank),
    Estimator("bradley-terry", "Bradley-Terry", True, _SCATTER, estimate_bradley_terry),
    Estimator("plackett-luce", "Plackett-Luce", True, _EXCESS, estimate_plackett_luce),
    Estimator("mixed-model", "Mixed model of values", True, _ERRORS, estimate_mixed_model),
    Estimator(
        "scaled-mixed-model", "Mixed model of scaled values", True, _ERRORS,
        estimate_scaled_mixed_model,
    ),
)
# fmt: on

ESTIMATORS: Registry[Estimator] = Registry(
    "way to rank methods", {one.name: one for one in _ALL_ESTIMATORS}
)
DEFAULT_ESTIMATOR = "nwn"


def find_estimator(name: str) -> Estimator:
    """The estimator of this name; an unknown one is an error that names those there are."""
    return ESTIMATORS[name]
