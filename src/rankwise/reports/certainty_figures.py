"""Figures of how sure a ranking is.

Bootstrap intervals, one data set left out, rank tests where the table is dense enough, strengths,
and publication bias: the funnel, and results by who published them.
"""

from __future__ import annotations

from dataclasses import replace

from rankwise.comparison.bagplot import DatasetBagplot, make_dataset_bagplots
from rankwise.comparison.bias import MethodOrigins, PublicationBias
from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.rank_tests import FriedmanTest, compute_agreement, friedman_test
from rankwise.comparison.resampling import Bootstrap, BootstrapInterval
from rankwise.comparison.sensitivity import Part, leave_out
from rankwise.comparison.strengths import Strength, Strengths, fit_bradley_terry
from rankwise.errors import RankwiseError
from rankwise.reports.figures import (
    OTHER,
    Axis,
    BagplotFigure,
    Bagplots,
    Bar,
    Bars,
    CriticalDifference,
    GridCell,
    GridColumn,
    HeatMap,
    LeftOut,
    PlottedPoint,
    Scatter,
)
from rankwise.reports.ranking_figures import choose_best_tested, find_front_number, find_own_methods

MOST_PANELS = 12
MOST_BARS = 60
MOST_LEFT_OUT = 24
MOST_COMPARED = 2_000_000
"""Results times parts that are left out: about ten seconds."""


def make_bagplots(comparison: Comparison) -> Bagplots | None:
    """The methods on the front with each data set left out in turn (Figure 6).

    None where no method on the front has results on more than one data set.
    """
    front = set(comparison.front())
    chosen = [name for name in choose_best_tested(comparison, MOST_PANELS) if name in front]
    short = comparison.table.display_names()
    panels = tuple(
        _make_bagplot_panel(one, short) for one in make_dataset_bagplots(comparison, chosen)
    )
    if not panels:
        return None
    return Bagplots(
        "leave-one-data-set-out",
        "Bagplots without one data set",
        "Where the methods on the Pareto front stand when one of their data sets is left out, as "
        "bagplots: + is the depth median, the dark bag lies between the depth regions that hold "
        "just up to and just over half of the points, and the light loop holds the rest but the "
        "outliers, which lie outside the bag magnified three times. Of few points the bag need not "
        f"hold half: the bags here hold {_held_by_bags(panels)}.",
        "Ideal Winning Number",
        "Normalized Winning Number",
        panels,
    )


def make_left_out_grid(comparison: Comparison, part: Part) -> HeatMap:
    """NWN of the methods on the front with each measure, data set or study left out in turn.

    For measures this is Table 4 of Tax, Bockting and Hiemstra (2015). Of many parts those are shown
    that move a method most.
    """
    refuse_many(comparison, part)
    front = set(comparison.front())
    rows = tuple(name for name in choose_best_tested(comparison, MOST_PANELS) if name in front)
    found = leave_out(comparison, part, rows)
    moves: dict[str, float] = {}
    for one in found.numbers:
        if one.left_out is not None:
            moves[one.left_out] = max(moves.get(one.left_out, 0.0), abs(one.change or 0.0))
    most = set(sorted(moves, key=lambda name: -moves[name])[:MOST_LEFT_OUT])
    columns = [None, *(name for name in found.fronts if name in most)]
    short = comparison.table.display_names() if part == "dataset" else {}
    named = ["nothing" if name is None else short.get(name, name) for name in columns]
    part_shown = "data set" if part == "dataset" else part
    return HeatMap(
        f"without-one-{part}",
        f"Without one {part_shown}",
        "Normalized Winning Number of the methods on the Pareto front when what heads the column "
        f"is left out; hatched where that {part_shown} does not concern the method."
        + (f" The {len(most)} that move a method most." if len(most) < len(found.fronts) else ""),
        "NWN",
        rows,
        tuple(GridColumn(f"Left out: {part_shown}", name) for name in named),
        tuple(
            GridCell(
                rows.index(one.method),
                columns.index(one.left_out),
                one.nwn,
                f"{one.nwn:.3f}".replace("0.", "."),
            )
            for one in found.numbers
            if one.left_out in columns and one.nwn is not None
        ),
    )


def refuse_many(comparison: Comparison, part: Part) -> None:
    """Refuse to compare a large table anew without each of many parts: that takes minutes."""
    parts = {
        "measure": len(comparison.measures),
        "dataset": len(comparison.cells.datasets),
        "study": len(set(comparison.table.source.tolist())),
    }[part]
    if parts * len(comparison.cells) > MOST_COMPARED:
        kinds = {"measure": "measures", "dataset": "data sets", "study": "studies"}
        raise RankwiseError(
            f"leaving out each of {parts:,} {kinds[part]} in turn is not drawn of "
            f"{len(comparison.cells):,} results; 'rankwise compare --leave-out {part}' does it"
        )


def make_interval_bars(comparison: Comparison, bootstrap: Bootstrap) -> Bars:
    """NWN with its interval, best first; of a large table the best tested methods."""
    kept = set(choose_best_tested(comparison, MOST_BARS))
    part = f" The {len(kept)} best tested methods." if len(kept) < len(comparison.rows) else ""
    remarks = "".join(f" {remark[:1].upper()}{remark[1:]}." for remark in bootstrap.remarks)
    own = find_own_methods(comparison.table)
    return Bars(
        "bootstrap-intervals",
        "How sure the ranking is",
        f"Normalized Winning Number with its {100 * bootstrap.confidence:g} % interval "
        f"{_KINDS[bootstrap.kind]}. A method with one data set has no interval: it cannot vary "
        f"here, which is ignorance, not certainty.{part} How often a method is on the "
        f"front is told of {bootstrap.resamples:,} draws of the data sets with replacement."
        f"{remarks}",
        Axis("Normalized Winning Number", 0.0, 1.0),
        tuple(
            _make_interval_bar(comparison, one, one.method in own)
            for one in bootstrap.intervals
            if one.method in kept
        ),
    )


_KINDS = {
    "spread": "by the scatter of shares of wins from one data set to another",
    "percentile": "of percentiles over draws of the data sets",
}


def _held_by_bags(panels: tuple[BagplotFigure, ...]) -> str:
    held = sum(panel.held for panel in panels)
    return f"{held} of {sum(len(panel.points) for panel in panels)}"


def _make_bagplot_panel(one: DatasetBagplot, short: dict[str, str]) -> BagplotFigure:
    outliers = set(one.bagplot.outliers)
    points = tuple(
        LeftOut(short[name], x, y, number in outliers)
        for number, (name, (x, y)) in enumerate(zip(one.left_out, one.bagplot.points, strict=True))
    )
    plot = one.bagplot
    return BagplotFigure(one.method, points, plot.median, plot.bag, plot.loop, plot.held)


def _make_interval_bar(comparison: Comparison, one: BootstrapInterval, own: bool) -> Bar:
    known = one.lower is not None and one.upper is not None
    spread = f"{one.lower:.3f} to {one.upper:.3f}" if known else "one data set only"
    if known and one.warning is not None:
        spread += f" ({one.warning})"
    detail = f"NWN {one.nwn:.4f}, {spread}"
    if one.front_share is not None:
        detail += f", on the front in {one.front_share:.0%} of draws"
    front = find_front_number(comparison.by_method[one.method])
    return Bar(one.method, one.nwn, one.lower, one.upper, front, detail, own)


MOST_METHODS_WITH_STRENGTHS = 500
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
    if len(comparison.rows) > MOST_METHODS_WITH_STRENGTHS:
        raise RankwiseError(
            f"Bradley-Terry strengths are drawn for at most {MOST_METHODS_WITH_STRENGTHS} methods, "
            f"this table has {len(comparison.rows)}"
        )
    found = fit_bradley_terry(comparison)
    kept = set(choose_best_tested(comparison, MOST_BARS))
    own = find_own_methods(comparison.table)
    bars = tuple(
        replace(_make_strength_bar(comparison, one), own=one.method in own)
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


def _make_strength_bar(comparison: Comparison, one: Strength) -> Bar:
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


MOST_LABELS = 12
_ORIGINS = {"own": "The authors of the method", "others": "Others", "unclear": "Both or not named"}


def make_funnel(found: PublicationBias) -> Scatter:
    """NWN of every method against the number of its results; the farthest outside are named."""
    far = sorted(found.methods, key=lambda one: (-_distance_from_funnel(one), one.method))[
        :MOST_LABELS
    ]
    named = {one.method for one in far if _distance_from_funnel(one) > 0}
    steps = "; ".join(
        f"{step.first}{f' to {step.last}' if step.last else ' or more'} results: "
        f"{step.above} above, {step.below} below"
        for step in found.funnel
    )
    return Scatter(
        "funnel",
        "Publication bias: the funnel",
        "Normalized Winning Number against the number of results. Without bias, methods with few "
        f"results lie on both sides of the centre, {found.centre:.2f}, alike. Outside of the "
        f"funnel of 1.96 standard errors lie, of methods with {steps}; named are the farthest.",
        Axis("Number of results", 0.0, float(max(one.results for one in found.methods)), True),
        Axis("Normalized Winning Number", 0.0, 1.0),
        tuple(_make_funnel_point(one, one.method in named) for one in found.methods),
    )


def make_origin_bars(found: PublicationBias) -> Bars | None:
    """What share of its comparisons each kind of result wins; None where no source is named."""
    known = [one for one in found.groups if one.nwn is not None]
    if not any(one.results for one in known if one.origin != "unclear"):
        return None
    return Bars(
        "own-and-others",
        "Publication bias: own results and others'",
        "Normalized Winning Number over all results that the authors of the method published, that "
        "others published, and of which both or no study is named. Authors publish methods that "
        "win, others use them as baselines: a gap is expected, its size is a warning."
        + "".join(f" {text[:1].upper()}{text[1:]}." for text in found.describe()[-1:]),
        Axis("Normalized Winning Number", 0.0, 1.0),
        tuple(
            Bar(
                _ORIGINS[one.origin],
                one.nwn,
                None,
                None,
                OTHER,
                f"NWN {one.nwn:.4f}, {one.results} results of {one.methods} methods",
            )
            for one in known
            if one.nwn is not None
        ),
        meanings=(),
    )


def _distance_from_funnel(one: MethodOrigins) -> float:
    return max(one.nwn - one.upper, one.lower - one.nwn)


def _make_funnel_point(one: MethodOrigins, named: bool) -> PlottedPoint:
    detail = f"NWN {one.nwn:.4f}, {one.results} results, funnel {one.lower:.2f} to {one.upper:.2f}"
    return PlottedPoint(one.method, float(one.results), one.nwn, OTHER, named, detail)
