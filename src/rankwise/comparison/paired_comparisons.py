"""Is a method better than each of its rivals, by more than luck? Paired tests with a stated level.

Only a table whose methods were all run under one protocol can be asked that: published figures
differ by more than the method. Where the values of queries are known the tests are over queries,
and tell of these data sets; the stratified test lets each of several data sets count alike. Else
they are over the means of data sets, at least `LEAST_DATASETS` of them. The values are those of own
methods and of the rivals in dense tables and stores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.comparing import Results, find_dense
from rankwise.comparison.significance_tests.paired_tests import (
    alike_p_value,
    checked,
    student_p_value,
)
from rankwise.comparison.significance_tests.procedure import holm
from rankwise.data.catalog.entries import find_published_version, list_collections
from rankwise.errors import RankwiseError
from rankwise.measures.measure import lower_is_better, result_name
from rankwise.native.distributions import student_quantile
from rankwise.results.benchmark_runs import QUERY_MEASURES, QUERY_TOOL, DenseQueries
from rankwise.results.result_table import ResultTable
from rankwise.results.store.database_file import is_store
from rankwise.results.store_summary import read_store_queries
from rankwise.results.task_records import Subject
from rankwise.tables.notebook import Rows, Tabular, shortened

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
        strata = [_subtract_by_query(own[one], values[one], sign) for one in own if one in values]
        strata = [one for one in strata if len(one) > 1]
        if strata:
            tests[name] = len(strata), stratified_t_test(strata)
    return _conclude_verdicts(
        method, measure, "queries", tuple(one.dataset for one in own), level, tests
    )


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
    return _conclude_verdicts(method, measure, "data sets", tuple(own), level, tests)


def _subtract_by_query(
    own: Mapping[QueryKey, float], rival: Mapping[QueryKey, float], sign: float
) -> Values:
    differences = [
        sign * (value - rival[query])
        for query, value in own.items()
        if query in rival and value == value and rival[query] == rival[query]
    ]
    return np.asarray(np.round(differences, DECIMALS), dtype=np.float64)


def _conclude_verdicts(
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
            test.upper, test.p_value, p_value, _find_direction(test.difference, p_value, level),
        )
        for (name, (number, test)), p_value in zip(tests.items(), adjusted, strict=True)
    ]  # fmt: skip
    found.sort(key=lambda one: (one.difference, one.rival))
    return Verdicts(method, measure, unit, datasets, level, tuple(found))


def _find_direction(difference: float, p_value: float, level: float) -> Finding:
    if p_value >= level:
        return "not separable"
    return "better" if difference > 0 else "worse"


FIRST_MEASURE = "NDCG@10"
"""The measure of verdicts where none is named."""
Known = dict[str, dict[Subject, dict[QueryKey, float]]]
"""By method, data set, and fold and id of the query."""


def find_queries(*sources: Results) -> tuple[DenseQueries, ...]:
    """The values query by query of dense tables and stores; none of other results."""
    found: list[DenseQueries] = []
    for one in sources:
        dense = find_dense(one)
        if dense is not None:
            found += dense.queries
        elif isinstance(one, str | Path) and is_store(one):
            found += read_store_queries(one)
    return tuple(found)


def judge_methods(
    methods: Sequence[str],
    own: Sequence[DenseQueries],
    rivals: Sequence[DenseQueries],
    table: ResultTable,
    measures: Sequence[str] = (),
    level: float = 0.05,
) -> tuple[tuple[Verdicts, ...], list[str]]:
    """Verdicts on own methods against the methods of one protocol, and why some have none.

    Args:
        methods: those to judge.
        own: their values query by query, where these are known.
        rivals: the same of the methods of one protocol.
        table: the results of all methods, own ones and rivals, for those without such values.
        measures: the first of these with values is taken; else NDCG@10, else MAP.
        level: the probability of any wrong finding about a method.
    """
    wanted = [result_name(one) for one in measures] or [FIRST_MEASURE, *QUERY_MEASURES]
    found: list[Verdicts] = []
    said: list[str] = []
    names = dict.fromkeys(name for one in rivals for name in one.methods)
    for method in methods:
        verdicts = _judge_queries(method, own, rivals, wanted, level, said)
        if verdicts is None or not len(verdicts):
            verdicts = _judge_means(method, table, list(names), wanted, level)
        if len(verdicts):
            found.append(verdicts)
        else:
            said.append(
                f"no verdict on {method}: it has neither values of the queries of the table by the "
                f"tool {QUERY_TOOL} nor means on {LEAST_DATASETS} of its data sets; place a store, "
                "or scores with their data"
            )
    return tuple(found), said


def _judge_queries(
    method: str,
    own: Sequence[DenseQueries],
    rivals: Sequence[DenseQueries],
    wanted: Sequence[str],
    level: float,
    said: list[str],
) -> Verdicts | None:
    for measure in wanted:
        theirs = _index_queries(rivals, measure)
        mine = _index_queries(own, measure).get(method, {})
        whole = {
            subject: values
            for subject, values in mine.items()
            if _covers_queries(method, subject, values, theirs, said)
        }
        if whole:
            return judge_by_queries(method, whole, theirs, measure, level)
    return None


def _covers_queries(
    method: str,
    subject: Subject,
    values: Mapping[QueryKey, float],
    theirs: Known,
    said: list[str],
) -> bool:
    """Whether a method has all queries of the rivals on a data set, or it could choose them."""
    there = {query for known in theirs.values() for query in known.get(subject, ())}
    lacking = len(there - values.keys())
    if there and lacking:
        said.append(
            f"no verdict on {method} by {subject.dataset}: it lacks {lacking:,} of "
            f"{len(there):,} queries, by fold and id"
        )
    return bool(there) and not lacking


def _index_queries(queries: Iterable[DenseQueries], measure: str) -> Known:
    found: Known = {}
    for one in queries:
        subject = _name_version(one.subject)
        keys = list(zip(one.folds.tolist(), one.queries, strict=True))
        for method, values in zip(one.methods, one.values.get(measure, ()), strict=False):
            own = found.setdefault(method, {}).setdefault(subject, {})
            own.update(zip(keys, values.tolist(), strict=True))
    return found


def _name_version(subject: Subject) -> Subject:
    """The data set in the version that is meant where none is named: that of published figures."""
    published = find_published_version(subject.collection, subject.dataset)
    known = subject.collection in list_collections()
    return subject._replace(version=subject.version or (published if known else None))


def _judge_means(
    method: str, table: ResultTable, rivals: Sequence[str], wanted: Sequence[str], level: float
) -> Verdicts:
    there = set(table.measures())
    measure = next((one for one in wanted if one in there), wanted[0])
    means: dict[str, dict[str, float]] = {}
    rows = table.where(measure=measure)
    for name, dataset, value in zip(rows.method, rows.dataset_names, rows.value, strict=True):
        means.setdefault(name, {})[dataset] = float(value)
    known = {name: means[name] for name in rivals if name in means and name != method}
    return judge_by_datasets(method, means.get(method, {}), known, measure, level)


class StratifiedTest(NamedTuple):
    """The mean over data sets of the mean difference, its interval and p-value, two-sided."""

    difference: float
    lower: float
    upper: float
    p_value: float
    queries: int


def stratified_t_test(differences: Sequence[ArrayLike], confidence: float = 0.95) -> StratifiedTest:
    """Student's paired t-test with a stratum for each data set.

    With the differences d of m_k queries in each of K data sets, their means d̄_k and variances
    s_k², t = D / E, where D = Σ d̄_k / K and E² = Σ s_k² / m_k / K². The degrees of freedom are
    ν = E⁴ / Σ (s_k² / m_k / K²)² / (m_k - 1), rounded down. For one data set this is the paired
    t-test. The queries are a sample; the data sets are the ones that are meant.

    Satterthwaite (1946), An approximate distribution of estimates of variance components,
    Biometrics Bulletin 2; Welch (1947), The generalization of Student's problem, Biometrika 34.
    """
    strata = [checked(one) for one in differences]
    if not strata or any(len(one) < 2 for one in strata):
        raise RankwiseError("a paired t-test needs at least two queries in each data set")
    mean = float(np.mean([one.mean() for one in strata]))
    queries = sum(map(len, strata))
    parts = [float(one.var(ddof=1)) / len(one) / len(strata) ** 2 for one in strata]
    error = math.sqrt(sum(parts))
    if error <= 1e-12:
        # All alike: nothing is known of how queries vary, and signs alone decide.
        p_value = alike_p_value(mean if abs(mean) > 1e-12 else 0.0, queries)
        return StratifiedTest(mean, mean, mean, p_value, queries)
    freedom = error**4 / sum(
        part**2 / (len(one) - 1) for part, one in zip(parts, strata, strict=True)
    )
    whole = max(1, math.floor(freedom * (1 + 1e-12)))
    reach = student_quantile(whole, 0.5 + confidence / 2) * error
    p_value = student_p_value(whole, mean / error)
    return StratifiedTest(mean, mean - reach, mean + reach, p_value, queries)
