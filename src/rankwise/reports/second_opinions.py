"""Second opinions on a ranking: rank tests where the table is dense enough, and strengths."""

from __future__ import annotations

from dataclasses import replace

from rankwise.comparison.agreement import compute_agreement
from rankwise.comparison.friedman import FriedmanTest, friedman_test
from rankwise.comparison.ranking import Comparison
from rankwise.comparison.strengths import Strength, Strengths, fit_bradley_terry
from rankwise.errors import RankwiseError
from rankwise.reports.figures import Axis, Bar, Bars, CriticalDifference
from rankwise.reports.grids import choose_best_tested
from rankwise.reports.own_methods import find_own_methods
from rankwise.reports.planes import find_front_number

MOST_BARS = 60
MOST_METHODS = 500
NORMAL_QUANTILE = 1.96


def make_critical_difference(comparison: Comparison) -> CriticalDifference:
    """Average ranks in the measure with the largest complete part, with Nemenyi's difference.

    Raises RankwiseError, in the test's own words, where no measure is dense enough.
    """
    measure, test = _densest(comparison)
    place = {name: number for number, name in enumerate(test.methods)}
    return CriticalDifference(
        "critical-difference",
        f"Average ranks in {measure}",
        f"Average ranks in {measure} of the {len(test.methods)} methods with results on all of "
        f"{len(test.blocks)} data sets, the largest complete part of the table. A bar joins "
        "methods whose ranks differ by no more than Nemenyi's critical difference at "
        f"α = {test.alpha:g}. Friedman χ² = {test.chi_square:.2f}, p = {test.p_value:.2g}; "
        f"Iman and Davenport F = {test.iman_davenport:.2f}, p = {test.iman_davenport_p_value:.2g}.",
        test.critical_difference,
        test.methods,
        test.average_ranks,
        tuple((place[group[0]], place[group[-1]]) for group in test.groups),
    )


def make_strength_bars(comparison: Comparison) -> Bars:
    """Bradley-Terry strengths beside the fronts of the winning numbers, strongest first.

    Refused for very many methods: finding the strengths costs the cube of their number.
    """
    if len(comparison.rows) > MOST_METHODS:
        raise RankwiseError(
            f"Bradley-Terry strengths are drawn for at most {MOST_METHODS} methods, "
            f"this table has {len(comparison.rows)}"
        )
    found = fit_bradley_terry(comparison)
    kept = set(choose_best_tested(comparison, MOST_BARS))
    own = find_own_methods(comparison.table)
    bars = tuple(
        replace(_bar(comparison, one), own=one.method in own)
        for one in found.strengths
        if one.method in kept
    )
    part = f" The {len(bars)} best tested methods." if len(bars) < len(comparison.rows) else ""
    ends = [end for bar in bars for end in (bar.value, bar.low, bar.high) if end is not None]
    return Bars(
        "strengths",
        "Bradley-Terry strengths",
        "Log-strength with 1.96 standard errors, which take data sets and measures as independent "
        "and are too small; a win over a strong rival counts for more."
        f"{_agreed(comparison, found)}{part}{f' {found.remark}' if found.remark else ''}",
        Axis("Log-strength (Bradley and Terry)", min(ends, default=0.0), max(ends, default=1.0)),
        bars,
    )


def _densest(comparison: Comparison) -> tuple[str, FriedmanTest]:
    """The measure whose test has the most results, methods × data sets; of equals the first."""
    tests: list[tuple[str, FriedmanTest]] = []
    refusals = []
    for measure in comparison.measures:
        try:
            tests.append((measure, friedman_test(comparison, measure)))
        except RankwiseError as refusal:
            refusals.append(refusal)
    if not tests:
        raise refusals[0]
    return max(tests, key=lambda pair: len(pair[1].methods) * len(pair[1].blocks))


def _bar(comparison: Comparison, one: Strength) -> Bar:
    error = one.standard_error
    margin = None if error is None else NORMAL_QUANTILE * error
    return Bar(
        one.method,
        one.strength,
        None if margin is None else one.strength - margin,
        None if margin is None else one.strength + margin,
        find_front_number(comparison.by_method[one.method]),
        f"log-strength {one.strength:.3f}" + ("" if margin is None else f" ± {margin:.3f}"),
    )


def _agreed(comparison: Comparison, found: Strengths) -> str:
    """How far the two orders agree, in a sentence."""
    numbers = {row.method: row.nwn for row in comparison.rows}
    tau = compute_agreement(numbers, found.by_method()).kendall
    return "" if tau is None else f" Kendall's τ with the winning numbers is {tau:.2f}."
