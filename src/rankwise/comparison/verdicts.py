"""Is a method better than each of its rivals, by more than luck? Paired tests with a stated level.

Only a table whose methods were all run under one protocol can be asked that: published figures
differ by more than the method. Where the values of queries are known the tests are over queries,
and tell of these data sets; else over the means of data sets, at least `LEAST_DATASETS` of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance.corrections import holm
from rankwise.comparison.significance.stratified import StratifiedTest, stratified_t_test
from rankwise.errors import RankwiseError
from rankwise.measures.names import lower_is_better
from rankwise.results.task_records import Subject
from rankwise.tabular import Rows, Tabular, shortened

LEAST_DATASETS = 5
DECIMALS = 6
"""Of differences: values of queries are kept with seven digits."""

Finding = Literal["better", "worse", "not separable"]
Unit = Literal["queries", "data sets"]
QueryKey = tuple[int, str]
"""The fold and the id of a query."""
Values = NDArray[np.float64]


@dataclass(frozen=True)
class RivalVerdict:
    """A method against one rival: positive differences speak for the method.

    `queries` and `datasets` are those that both have. The interval of 95 % is of this rival alone;
    `adjusted_p_value` is Holm's over all rivals.
    """

    rival: str
    datasets: int
    queries: int
    difference: float
    lower: float
    upper: float
    p_value: float
    adjusted_p_value: float
    finding: Finding


@dataclass(frozen=True)
class Verdicts(Tabular):
    """A method against all rivals in one measure, the hardest rival first.

    The probability that any of these findings is wrong is at most `level`, by Holm's correction.
    """

    method: str
    measure: str
    unit: Unit
    datasets: tuple[str, ...]
    level: float
    verdicts: tuple[RivalVerdict, ...]

    def __len__(self) -> int:
        return len(self.verdicts)

    def __iter__(self) -> Iterator[RivalVerdict]:
        return iter(self.verdicts)

    def __getitem__(self, rival: str) -> RivalVerdict:
        """The verdict against a rival."""
        for verdict in self.verdicts:
            if verdict.rival == rival:
                return verdict
        raise KeyError(rival)

    def __repr__(self) -> str:
        return f"Verdicts({shortened(self.method, 40)}: {self.describe()})"

    def list_rivals(self, finding: Finding) -> tuple[str, ...]:
        """The rivals of which this was found."""
        return tuple(one.rival for one in self.verdicts if one.finding == finding)

    @property
    def better_than_all(self) -> bool:
        """Whether the method was found better than every rival."""
        return all(one.finding == "better" for one in self.verdicts)

    def describe(self) -> str:
        """How many rivals it is better than, not separable from, and worse than."""
        found: tuple[Finding, ...] = ("better", "not separable", "worse")
        counts = [len(self.list_rivals(one)) for one in found]
        return (
            f"better than {counts[0]}, not separable from {counts[1]} and worse than {counts[2]} "
            f"of {len(self)} rivals in {self.measure}, paired by {self.unit} "
            f"(level {self.level:g}, Holm)"
        )

    def _table(self) -> Rows:
        columns = ("rival", "datasets", "queries", "difference", "lower", "upper", "p_value",
                   "adjusted_p_value", "finding")  # fmt: skip
        return columns, (tuple(getattr(one, name) for name in columns) for one in self.verdicts)


def judge_by_queries(
    method: str,
    own: Mapping[Subject, Mapping[QueryKey, float]],
    rivals: Mapping[str, Mapping[Subject, Mapping[QueryKey, float]]],
    measure: str,
    level: float = 0.05,
) -> Verdicts:
    """Test a method against every rival over the queries of the data sets that both have.

    Every data set counts alike (`stratified_t_test`). A rival with other queries on a data set is
    compared on the queries that both have a value for.
    """
    sign = -1.0 if lower_is_better(measure) else 1.0
    tests: dict[str, tuple[int, StratifiedTest]] = {}
    for name, values in rivals.items():
        strata = [_subtract(own[one], values[one], sign) for one in own if one in values]
        strata = [one for one in strata if len(one) > 1]
        if strata:
            tests[name] = len(strata), stratified_t_test(strata)
    return _conclude(method, measure, "queries", tuple(one.dataset for one in own), level, tests)


def judge_by_datasets(
    method: str,
    own: Mapping[str, float],
    rivals: Mapping[str, Mapping[str, float]],
    measure: str,
    level: float = 0.05,
) -> Verdicts:
    """Test a method against every rival by the means of the data sets that both have.

    Student's paired t-test with a difference for each data set, of rivals with at least
    `LEAST_DATASETS` of them in common.
    """
    sign = -1.0 if lower_is_better(measure) else 1.0
    tests: dict[str, tuple[int, StratifiedTest]] = {}
    for name, values in rivals.items():
        shared = [one for one in own if one in values]
        if len(shared) >= LEAST_DATASETS:
            differences = np.array([own[one] - values[one] for one in shared])
            tests[name] = len(shared), stratified_t_test([sign * differences])
    return _conclude(method, measure, "data sets", tuple(own), level, tests)


def _subtract(
    own: Mapping[QueryKey, float], rival: Mapping[QueryKey, float], sign: float
) -> Values:
    differences = [
        sign * (value - rival[query])
        for query, value in own.items()
        if query in rival and value == value and rival[query] == rival[query]
    ]
    return np.asarray(np.round(differences, DECIMALS), dtype=np.float64)


def _conclude(
    method: str,
    measure: str,
    unit: Unit,
    datasets: tuple[str, ...],
    level: float,
    tests: Mapping[str, tuple[int, StratifiedTest]],
) -> Verdicts:
    if not 0.0 < level < 1.0:
        raise RankwiseError(f"the level must lie between 0 and 1, found {level}")
    p_values = [test.p_value for _, test in tests.values()]
    adjusted = holm(p_values).tolist() if p_values else []
    found = [
        RivalVerdict(
            name, number, test.queries if unit == "queries" else 0, test.difference, test.lower,
            test.upper, test.p_value, p_value, _find(test.difference, p_value, level),
        )
        for (name, (number, test)), p_value in zip(tests.items(), adjusted, strict=True)
    ]  # fmt: skip
    found.sort(key=lambda one: (one.difference, one.rival))
    return Verdicts(method, measure, unit, datasets, level, tuple(found))


def _find(difference: float, p_value: float, level: float) -> Finding:
    if p_value >= level:
        return "not separable"
    return "better" if difference > 0 else "worse"
