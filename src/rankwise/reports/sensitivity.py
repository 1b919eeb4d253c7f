"""Figures of how sure a ranking is: one data set left out, bootstrap intervals, rank tests."""

from __future__ import annotations

from rankwise.comparison.bagplot import DatasetBagplot, make_dataset_bagplots
from rankwise.comparison.bootstrap import Bootstrap, BootstrapInterval
from rankwise.comparison.leaving_out import Part, leave_out
from rankwise.comparison.ranking import Comparison
from rankwise.errors import RankwiseError
from rankwise.reports.figures import (
    Axis,
    BagplotFigure,
    Bagplots,
    Bar,
    Bars,
    GridCell,
    GridColumn,
    HeatMap,
    LeftOut,
)
from rankwise.reports.grids import choose_best_tested
from rankwise.reports.own_methods import find_own_methods
from rankwise.reports.planes import find_front_number

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
    panels = tuple(_panel(one, short) for one in make_dataset_bagplots(comparison, chosen))
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
            _bar(comparison, one, one.method in own)
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


def _panel(one: DatasetBagplot, short: dict[str, str]) -> BagplotFigure:
    outliers = set(one.bagplot.outliers)
    points = tuple(
        LeftOut(short[name], x, y, number in outliers)
        for number, (name, (x, y)) in enumerate(zip(one.left_out, one.bagplot.points, strict=True))
    )
    plot = one.bagplot
    return BagplotFigure(one.method, points, plot.median, plot.bag, plot.loop, plot.held)


def _bar(comparison: Comparison, one: BootstrapInterval, own: bool) -> Bar:
    known = one.lower is not None and one.upper is not None
    spread = f"{one.lower:.3f} to {one.upper:.3f}" if known else "one data set only"
    if known and one.warning is not None:
        spread += f" ({one.warning})"
    detail = f"NWN {one.nwn:.4f}, {spread}"
    if one.front_share is not None:
        detail += f", on the front in {one.front_share:.0%} of draws"
    front = find_front_number(comparison.by_method[one.method])
    return Bar(one.method, one.nwn, one.lower, one.upper, front, detail, own)
