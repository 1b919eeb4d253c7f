"""Methods by another estimator than NWN, and how well estimators recover a dense order."""

from __future__ import annotations

from rankwise.comparison.estimated_ranking import EstimatedMethod, EstimatedRanking
from rankwise.comparison.estimators.registry import ESTIMATORS
from rankwise.comparison.hole_study import KINDS, HoleStudy
from rankwise.comparison.recovery_summary import Recovery
from rankwise.reports.figures import (
    FRONT,
    OTHER,
    Axis,
    Bar,
    Bars,
    BarSeries,
    Figure,
    GroupedBars,
)

MOST_BARS = 60
_KIND_NAMES = {"laid": "the pattern", "random": "random patterns with its margins"}
_KIND_WORDS = {"laid": "pattern", "random": "random"}
_KIND_MARKS = {"laid": FRONT, "random": OTHER}


def make_estimate_bars(found: EstimatedRanking) -> Bars:
    """The scores of the best methods with their intervals, best first."""
    rows = found.rows[:MOST_BARS]
    ends = [end for one in rows for end in (one.score, one.lower, one.upper) if end is not None]
    few = len(rows) < len(found.rows)
    part = f" The {len(rows)} best of {len(found.rows)} methods." if few else ""
    said = "".join(f" {text[:1].upper()}{text[1:]}." for text in found.remarks)
    return Bars(
        f"ranking-by-{found.estimator}",
        f"Methods by {found.title}",
        f"{found.title} of each method with {100 * found.confidence:g} % intervals.{said}{part}",
        Axis(found.title, min(ends, default=0.0), max(ends, default=1.0)),
        tuple(_bar(one) for one in rows),
        meanings=(),
    )


def _bar(one: EstimatedMethod) -> Bar:
    interval = "" if one.lower is None else f", {one.lower:.4f} to {one.upper:.4f}"
    return Bar(
        one.method, one.score, one.lower, one.upper, OTHER,
        f"{one.score:.4f}{interval}, {one.results} results on {one.datasets} data sets",
    )  # fmt: skip


def make_hole_figures(found: HoleStudy) -> tuple[Figure, ...]:
    """Kendall's tau of every estimator, and the error of ranks by the number of results."""
    return make_recovery_bars(found), make_error_bars(found)


def make_recovery_bars(found: HoleStudy) -> Bars:
    """τ with the dense order by estimator and kind of pattern; whiskers hold 95 % of the draws."""
    bars = tuple(_recovery_bar(one) for kind in KINDS for one in found.of_kind(kind))
    low = min(0.0, *(one.kendall_low for one in found.recoveries))
    return Bars(
        "holes-kendall",
        "How well the dense order is recovered",
        f"Kendall's τ between the order of {len(found.truth)} methods from a table with holes and "
        f"their order by NWN in the whole table ({len(found.datasets)} data sets, "
        f"{', '.join(found.measures)}), the mean over draws; whiskers hold the middle 95 % of the "
        f"draws. The pattern {found.pattern} fills {found.filled:.0%} of the cells.",
        Axis("Kendall's τ with the dense order", low, 1.0),
        bars,
        meanings=tuple((_KIND_MARKS[kind], _KIND_NAMES[kind]) for kind in KINDS),
    )


def _recovery_bar(one: Recovery) -> Bar:
    return Bar(
        f"{one.estimator}, {_KIND_WORDS[one.pattern]}",
        one.kendall, one.kendall_low, one.kendall_high, _KIND_MARKS[one.pattern],
        f"τ {one.kendall:.3f}, 95 % of {one.draws} draws from {one.kendall_low:.3f} to "
        f"{one.kendall_high:.3f}",
    )  # fmt: skip


def make_error_bars(found: HoleStudy) -> GroupedBars:
    """The mean distance from the true rank under random patterns, by number of results."""
    steps = [one for one in found.steps if one.pattern == "random" and one.rank_error is not None]
    groups = tuple(dict.fromkeys(one.sizes for one in steps))
    errors = {(one.estimator, one.sizes): one.rank_error for one in steps}
    series = tuple(
        BarSeries(one.title, tuple(errors.get((name, group)) for group in groups))
        for name, one in ESTIMATORS.items()
    )
    highest = max((one.rank_error or 0.0 for one in steps), default=0.0) or 1.0
    return GroupedBars(
        "holes-rank-error",
        "Error of ranks by number of results",
        "The mean distance between the rank of a method from a table with holes and its rank in "
        "the whole table, by the number of results that it has; random patterns with the margins "
        f"of {found.pattern}. Ranks are among the methods that have results; in a random order of "
        "n methods the distance is about n / 3.",
        Axis("Distance from the true rank", 0.0, highest),
        groups,
        series,
    )
