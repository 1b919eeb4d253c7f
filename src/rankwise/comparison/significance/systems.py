"""Several systems on the same queries: each comparison with test, interval and effect sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.significance.corrections import CORRECTIONS, adjust
from rankwise.comparison.significance.differences import mean_difference, pair
from rankwise.comparison.significance.effect_sizes import EffectSizes, effect_sizes
from rankwise.comparison.significance.intervals import Interval, confidence_interval
from rankwise.comparison.significance.letor import one_sided_t_test
from rankwise.comparison.significance.paired_tests import sign_test, t_test, wilcoxon_test
from rankwise.comparison.significance.reliability import (
    describe_reliability,
    describe_small_figures,
)
from rankwise.comparison.significance.resampling import (
    BOOTSTRAP_SAMPLES,
    RANDOMIZATION_SAMPLES,
    bootstrap_test,
    check_samples,
    randomization_test,
)
from rankwise.comparison.significance.result import PairedTestResult
from rankwise.errors import RankwiseError
from rankwise.seeds import check_seed

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
        _compare(measure, *names, systems, chosen)
        for measure, systems in figures.items()
        for names in _pairs_of_names(list(systems), all_pairs)
    ]
    return _adjusted(compared, chosen)


def _pairs_of_names(systems: list[str], all_pairs: bool) -> list[tuple[str, str]]:
    if len(systems) < 2:
        raise RankwiseError(f"a comparison needs at least two systems, found {len(systems)}")
    every = list(combinations(systems, 2))
    return every if all_pairs else every[: len(systems) - 1]


def _compare(
    measure: str,
    baseline: str,
    system: str,
    systems: Mapping[str, ArrayLike],
    procedure: Procedure,
) -> SystemComparison:
    try:
        pairs = pair(systems[baseline], systems[system])
        differences = pairs.differences
        result = _run(differences, procedure)
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


def _run(differences: NDArray[np.float64], procedure: Procedure) -> PairedTestResult:
    return TESTS[procedure.test](differences, procedure)


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
    for rows in _families(compared, procedure.family):
        adjusted[rows] = adjust(p_values[rows], procedure.correction)
    return [
        replace(one, adjusted_p_value=float(value))
        for one, value in zip(compared, adjusted, strict=True)
    ]


def _families(compared: list[SystemComparison], family: str) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for row, one in enumerate(compared):
        groups.setdefault(one.measure if family == "measure" else "", []).append(row)
    return list(groups.values())
