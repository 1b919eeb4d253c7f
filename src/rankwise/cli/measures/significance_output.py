"""What `rankwise significance` prints: one flat record a comparison, or one table a measure."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rankwise.cli.output import print_table, say, terminal_width
from rankwise.comparison import Procedure, SystemComparison
from rankwise.evaluation import Significance
from rankwise.shown import plain_cell
from rankwise.tables import shown

BETTER, WORSE = "▲ ", "▼ "
WIDE = 100
_TESTS = {
    "t": "paired t-test, two-sided",
    "wilcoxon": "Wilcoxon's signed-rank test, two-sided",
    "sign": "sign test, two-sided",
    "randomization": "Fisher's randomization test, two-sided",
    "bootstrap": "paired bootstrap test, two-sided",
    "letor": "LETOR's t-test, one-sided: is the system better?",
}
_CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "BH",
}


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """The records as CSV with a header; None is an empty cell."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: plain_cell(one) for name, one in row.items()} for row in rows)
    return text.getvalue()


def print_comparisons(found: Significance) -> None:
    """One table a measure; wins, ties and losses only where there is room for them."""
    all_pairs = found.all_pairs
    wide = terminal_width() >= WIDE and not all_pairs
    for measure, group in groupby(found.comparisons, key=lambda one: one.measure):
        rows = list(group)
        cells = [_cells(one, found.procedure, found.level, all_pairs, wide) for one in rows]
        names = 2 if all_pairs else 1
        title = _title(rows[0], found.tool, found.procedure, all_pairs)
        columns = list(cells[0])
        print_table(
            columns,
            [list(row.values()) for row in cells],
            title=f"{measure} {title}",
            numeric=range(names, len(columns)),
        )
        for line in _warnings(rows, all_pairs):
            say(line)


def _warnings(rows: Sequence[SystemComparison], all_pairs: bool) -> list[str]:
    """What the comparisons of a measure warn of; those that warn of the same share a line."""
    warned: dict[str, list[str]] = {}
    for one in rows:
        name = f"{one.system} against {one.baseline}" if all_pairs else one.system
        for sentence in one.warnings:
            warned.setdefault(sentence, []).append(shown(name))
    return [f"Warning: {', '.join(names)}: {sentence}." for sentence, names in warned.items()]


def _title(first: SystemComparison, tool: str, procedure: Procedure, all_pairs: bool) -> str:
    against = "" if all_pairs else f" against {first.baseline} ({first.baseline_mean:.4f})"
    return f"({tool}){against}, {first.queries} queries; {_TESTS[procedure.test]}"


def _cells(
    one: SystemComparison, procedure: Procedure, level: float, all_pairs: bool, wide: bool
) -> dict[str, str]:
    """One row, by the headings of its columns."""
    effect, interval, mark = one.effect, one.interval, _mark(one, level)
    cells = {"baseline": one.baseline} if all_pairs else {}
    cells |= {
        "system": one.system,
        "mean": f"{one.system_mean:.4f}",
        "change": f"{one.difference:+.4f}",
        f"{100 * interval.confidence:g} % interval": _interval(interval.low, interval.high),
        "d": "–" if math.isnan(effect.cohen_d) else f"{effect.cohen_d:.2f}",
    }
    if wide:
        cells["w/t/l"] = f"{effect.wins}/{effect.ties}/{effect.losses}"
    if procedure.correction == "none":
        return cells | {"p": f"{mark}{_p_value(one.result.p_value)}"}
    adjusted = f"{mark}{_p_value(one.adjusted_p_value)}"
    return cells | {
        "p": _p_value(one.result.p_value),
        f"p, {_CORRECTIONS[procedure.correction]}": adjusted,
    }


def _interval(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{low:+.4f}…{high:+.4f}"


def _p_value(p_value: float) -> str:
    return "<.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def _mark(one: SystemComparison, level: float) -> str:
    if not one.significant(level):
        return ""
    return BETTER if one.difference > 0.0 else WORSE
