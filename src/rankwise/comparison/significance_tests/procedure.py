"""Several systems on the same queries: each comparison with test, interval and effect sizes.

P-values of several comparisons at once are adjusted by Bonferroni, Holm or Benjamini-Hochberg. An
adjusted p-value below α means that the comparison is significant at level α with the family's
errors kept in check: any false finding at all (Bonferroni, Holm), or the expected
share of false ones among the findings (Benjamini-Hochberg).

Where a p-value or an interval of few queries should not be taken at its word, sentences say so. The
limits come from benchmarks/interval_coverage.py, whose table is in docs/significance.md: at and
above them an interval that claims 95 % covers the mean difference in at least 90 % of cases, be the
differences normal, skewed or those of a measure with few values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.arguments import check_seed
from rankwise.comparison.significance_tests.intervals import (
    EffectSizes,
    Interval,
    confidence_interval,
    effect_sizes,
)
from rankwise.comparison.significance_tests.letor_scripts import one_sided_t_test
from rankwise.comparison.significance_tests.paired_tests import (
    BOOTSTRAP_SAMPLES,
    RANDOMIZATION_SAMPLES,
    TIE_DECIMALS,
    PairedTestResult,
    PairedValues,
    bootstrap_test,
    check_samples,
    checked,
    find_common_value,
    mean_difference,
    pair,
    randomization_test,
    sign_test,
    t_test,
    wilcoxon_test,
    without_rounding_noise,
)
from rankwise.errors import RankwiseError

FAMILIES = ("measure", "run")


@dataclass(frozen=True)
class Procedure:
    """How systems are compared: the test, the interval, the correction, the seed.

    Attributes:
        test: a name in `TESTS`.
        correction: a name in `corrections.CORRECTIONS`.
        family: which p-values are corrected together: those of each `measure`, or all of the `run`.
        interval: `t`, `bootstrap-t`, `percentile` or `bca`.
        confidence: of the interval.
        samples: resamples of randomization and bootstrap; None takes each one's own default.
        seed: of everything drawn; every comparison starts from it, so that adding a system does not
            change the figures of the others.
    """

    test: str = "t"
    correction: str = "holm"
    family: str = "measure"
    interval: str = "t"
    confidence: float = 0.95
    samples: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for what, value, choices in (
            ("test", self.test, TESTS),
            ("correction", self.correction, CORRECTIONS),
            ("family", self.family, FAMILIES),
        ):
            if value not in choices:
                raise RankwiseError(
                    f"the {what} must be one of {', '.join(choices)}, found '{value}'"
                )
        if self.samples is not None:
            check_samples(self.samples)
        check_seed(self.seed)


@dataclass(frozen=True)
class SystemComparison:
    """One system against another by one measure; differences are `system` minus `baseline`.

    `warnings` are sentences about why its interval or its p-value may mislead.
    """

    measure: str
    baseline: str
    system: str
    queries: int
    baseline_mean: float
    system_mean: float
    difference: float
    interval: Interval
    effect: EffectSizes
    result: PairedTestResult
    adjusted_p_value: float
    warnings: tuple[str, ...] = ()

    def significant(self, level: float = 0.05) -> bool:
        """Whether the adjusted p-value is below `level`."""
        return self.adjusted_p_value < level


def compare_systems(
    figures: Mapping[str, Mapping[str, ArrayLike]],
    procedure: Procedure | None = None,
    *,
    all_pairs: bool = False,
) -> list[SystemComparison]:
    """Compare systems by their figures per query: `figures[measure][system]` is one row.

    The first system of a measure is the baseline of all others; with `all_pairs` every system is
    compared with every one before it. Query i is the same query in every row.
    """
    chosen = procedure or Procedure()
    compared = [
        _compare_pair(measure, *names, systems, chosen)
        for measure, systems in figures.items()
        for names in _pairs_of_names(list(systems), all_pairs)
    ]
    return _adjusted(compared, chosen)


def _pairs_of_names(systems: list[str], all_pairs: bool) -> list[tuple[str, str]]:
    if len(systems) < 2:
        raise RankwiseError(f"a comparison needs at least two systems, found {len(systems)}")
    every = list(combinations(systems, 2))
    return every if all_pairs else every[: len(systems) - 1]


def _compare_pair(
    measure: str,
    baseline: str,
    system: str,
    systems: Mapping[str, ArrayLike],
    procedure: Procedure,
) -> SystemComparison:
    try:
        pairs = pair(systems[baseline], systems[system])
        differences = pairs.differences
        result = TESTS[procedure.test](differences, procedure)
    except RankwiseError as error:
        raise RankwiseError(f"{measure}, {baseline} and {system}: {error}") from error
    interval = confidence_interval(
        differences,
        procedure.interval,
        confidence=procedure.confidence,
        samples=procedure.samples or BOOTSTRAP_SAMPLES,
        seed=procedure.seed,
    )
    means = float(pairs.first.mean()), float(pairs.second.mean())
    return SystemComparison(
        measure=measure,
        baseline=baseline,
        system=system,
        queries=len(differences),
        baseline_mean=means[0],
        system_mean=means[1],
        difference=mean_difference(differences),
        interval=interval,
        effect=effect_sizes(differences),
        result=result,
        adjusted_p_value=result.p_value,
        warnings=(
            *describe_small_figures(pairs),
            *describe_reliability(differences, interval, procedure.test),
        ),
    )


TESTS: dict[str, Callable[[NDArray[np.float64], Procedure], PairedTestResult]] = {
    "t": lambda differences, procedure: t_test(differences),
    "wilcoxon": lambda differences, procedure: wilcoxon_test(differences),
    "sign": lambda differences, procedure: sign_test(differences),
    "randomization": lambda differences, procedure: randomization_test(
        differences, samples=procedure.samples or RANDOMIZATION_SAMPLES, seed=procedure.seed
    ),
    "bootstrap": lambda differences, procedure: bootstrap_test(
        differences, samples=procedure.samples or BOOTSTRAP_SAMPLES, seed=procedure.seed
    ),
    "letor": lambda differences, procedure: one_sided_t_test(differences),
}


def _adjusted(compared: list[SystemComparison], procedure: Procedure) -> list[SystemComparison]:
    p_values = np.array([one.result.p_value for one in compared])
    adjusted = p_values.copy()
    for rows in _group_by_family(compared, procedure.family):
        adjusted[rows] = adjust(p_values[rows], procedure.correction)
    return [
        replace(one, adjusted_p_value=float(value))
        for one, value in zip(compared, adjusted, strict=True)
    ]


def _group_by_family(compared: list[SystemComparison], family: str) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for row, one in enumerate(compared):
        groups.setdefault(one.measure if family == "measure" else "", []).append(row)
    return list(groups.values())


def adjust(p_values: ArrayLike, correction: str) -> NDArray[np.float64]:
    """The p-values adjusted by the named correction, in the order given."""
    if correction not in CORRECTIONS:
        raise RankwiseError(
            f"the correction must be one of {', '.join(CORRECTIONS)}, found '{correction}'"
        )
    return CORRECTIONS[correction](p_values)


def bonferroni(p_values: ArrayLike) -> NDArray[np.float64]:
    """min(1, n · p) for each of n p-values."""
    values = _check_p_values(p_values)
    return np.minimum(1.0, len(values) * values)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """max over j ≤ i of min(1, (n - j + 1) · p₍ⱼ₎), the p-values taken in ascending order.

    Never larger than Bonferroni's, with the same guarantee. Holm (1979), A simple sequentially
    rejective multiple test procedure, Scandinavian Journal of Statistics 6.
    """
    values = _check_p_values(p_values)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    stepped = np.maximum.accumulate(np.minimum(1.0, factors * values[order]))
    return _in_given_order(stepped, order)


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """min over j ≥ i of min(1, n · p₍ⱼ₎ / j), the p-values taken in ascending order.

    Benjamini & Hochberg (1995), Controlling the false discovery rate, JRSS B 57.
    """
    values = _check_p_values(p_values)
    order = np.argsort(values, kind="stable")
    raised = np.minimum(1.0, values[order] * (len(values) / np.arange(1, len(values) + 1)))
    stepped = np.minimum.accumulate(raised[::-1])[::-1]
    return _in_given_order(stepped, order)


def unadjusted(p_values: ArrayLike) -> NDArray[np.float64]:
    """The p-values as they are."""
    return _check_p_values(p_values).copy()


CORRECTIONS: dict[str, Callable[[ArrayLike], NDArray[np.float64]]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": unadjusted,
}


def _check_p_values(p_values: ArrayLike) -> NDArray[np.float64]:
    values = np.atleast_1d(np.asarray(p_values, dtype=np.float64))
    if not np.all((values >= 0.0) & (values <= 1.0)):
        raise RankwiseError("a p-value to adjust must lie between 0 and 1")
    return values


def _in_given_order(stepped: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.float64]:
    adjusted = np.empty_like(stepped)
    adjusted[order] = stepped
    return adjusted


FEWEST_DIFFERING = {"t": 20, "bootstrap-t": 10, "percentile": 50, "bca": 50}
"""For each interval, with how many queries that differ it holds what it says."""

SMALLEST_FIGURES = 1e-6


def describe_reliability(differences: ArrayLike, interval: Interval, test: str) -> tuple[str, ...]:
    """A sentence about why the interval and the p-value of these differences may mislead."""
    values = checked(differences)
    common = find_common_value(values)
    if common is not None:
        return (_describe_equal_differences(common, len(values), test),)
    differing = int((without_rounding_noise(values) != 0.0).sum())
    limit = FEWEST_DIFFERING[interval.kind]
    return (
        (_describe_few_queries(differing, len(values), limit, interval),)
        if differing < limit
        else ()
    )


def describe_small_figures(pairs: PairedValues) -> tuple[str, ...]:
    """A sentence where figures are so small that real differences may be taken for none."""
    if not 0.0 < pairs.largest < SMALLEST_FIGURES:
        return ()
    return (
        f"the figures are at most {pairs.largest:.1g}, and differences below 1e-{TIE_DECIMALS} "
        "count as none: scale the measure up",
    )


def _describe_equal_differences(common: float, queries: int, test: str) -> str:
    if queries == 1:
        return "one query tells nothing of how queries vary: there is no interval"
    if common == 0.0:
        return f"the systems have the same figures on all {queries} queries: there is no interval"
    alone = "; p is that of their signs alone" if test in ("t", "bootstrap") else ""
    return (
        f"all {queries} differences are alike ({common:+.4g}), which tells nothing of how queries "
        f"vary: there is no interval{alone}"
    )


def _describe_few_queries(differing: int, queries: int, limit: int, interval: Interval) -> str:
    there = f"only {differing} of {queries} queries differ"
    if differing == queries:
        there = f"there are only {queries} queries"
    return (
        f"{there}; with fewer than {limit} the {_percent(interval)} interval ({interval.kind}) may "
        "cover the mean in less than 90 % of cases, and p is rough"
    )


def _percent(interval: Interval) -> str:
    return f"{100 * interval.confidence:g} %"
