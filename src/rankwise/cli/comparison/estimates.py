"""What `rankwise compare` prints with --by and --holes."""

from __future__ import annotations

from dataclasses import asdict

from rankwise.cli.output import note, print_json, print_table, progress, say
from rankwise.cli.report_tables import print_report_tables
from rankwise.comparison import Comparison, EstimatedRanking, HoleStudy, lay_holes
from rankwise.reports import make_error_table, make_estimated_table, make_recovery_table
from rankwise.tables import Table, Value, format_cell, shape_table

DEFAULT_DRAWS = 200

Shape = tuple[str | None, bool]
"""Which columns of a table are printed, and whether it is turned."""


def print_estimated(
    found: EstimatedRanking, remarks: tuple[str, ...], output_format: str, shape: Shape
) -> None:
    """The ranking by an estimator in any format."""
    table = make_estimated_table(found)
    if output_format == "json":
        print_json({**asdict(found), "remarks": [*remarks, *found.remarks]})
    elif output_format == "table" and shape == (None, False):
        doubted = any(one.warning and one.lower is not None for one in found.rows)
        kept = [place for place, key in enumerate(table.keys) if doubted or key != "warning"]
        _print_plain(_take(table, kept), "", ("method", "warning"))
        for remark in found.remarks:
            note(remark)
    else:
        print_report_tables(shape_table(table, *shape), output_format)


def study_holes(comparison: Comparison, pattern: str, draws: int, seed: int) -> HoleStudy:
    """Lay holes and show how far that is."""
    with progress("laying holes", draws) as advance:
        return lay_holes(comparison, pattern, draws=draws, seed=seed, advance=advance)


def print_holes(found: HoleStudy, output_format: str, shape: Shape) -> None:
    """How well estimators recover the dense order, in any format."""
    table = make_recovery_table(found)
    if output_format == "json":
        print_json(asdict(found))
    elif output_format == "table" and shape == (None, False):
        for title, keys in _PARTS.items():
            kept = [table.keys.index(key) for key in ("estimator", "pattern", *keys)]
            _print_plain(_take(table, kept), title.format(_summary(found)), _TEXTS, 3)
        steps = make_error_table(found)
        _print_plain(steps, "Rank error by the number of results, random patterns", _TEXTS, 1)
        for sentence in found.describe():
            say(f"{sentence[:1].upper()}{sentence[1:]}.")
        for remark in found.remarks:
            note(remark)
    else:
        print_report_tables(shape_table(table, *shape), output_format)


_TEXTS = ("estimator", "pattern")
_PARTS = {
    "{}": ("kendall", "kendall_value", "kendall_unseen", "gain", "gain_error", "rank_error"),
    "The best, and intervals": (
        "best_first", "best_on_front", "front_overlap", "coverage", "width", "intervals",
    ),
}  # fmt: skip


def _summary(found: HoleStudy) -> str:
    return (
        f"The order of {len(found.truth)} methods on {len(found.datasets)} data sets, recovered "
        f"from {found.filled:.0%} of {', '.join(found.measures)}"
    )


def _take(table: Table, columns: list[int]) -> Table:
    return Table(
        tuple(table.keys[place] for place in columns),
        tuple(table.titles[place] for place in columns),
        tuple(tuple(row[place] for place in columns) for row in table.rows),
    )


def _print_plain(table: Table, title: str, texts: tuple[str, ...], digits: int = 4) -> None:
    numeric = [place for place, key in enumerate(table.keys) if key not in texts]
    rows = [[_show(cell, digits) for cell in row] for row in table.rows]
    print_table(list(table.titles), rows, title=title or None, numeric=numeric, unbroken=(0,))


def _show(cell: Value, digits: int) -> str:
    return f"{cell:.{digits}f}" if isinstance(cell, float) else format_cell(cell)
