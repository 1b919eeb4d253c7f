"""The table of a significance test for a paper: means, changes with intervals, p-values, marks."""

from __future__ import annotations

from itertools import groupby

from rankwise.comparison.significance import SystemComparison
from rankwise.evaluation.systems import Significance
from rankwise.measures.names import lower_is_better
from rankwise.reports.table_formats import Estimate, Table, Value
from rankwise.reports.table_shapes import mark_best

SMALLEST_P = 0.0001
CORRECTED = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "BH"}


def make_significance_tables(found: Significance) -> list[Table]:
    """One table a measure: the baseline first, then every system with its change and p-value.

    Marks + and - stand behind the mean of a system that is better or worse than the baseline at
    the level asked for; with all pairs compared, behind the change.
    """
    groups = groupby(found.comparisons, key=lambda one: one.measure)
    return [_make_table(found, measure, list(rows)) for measure, rows in groups]


def _make_table(found: Significance, measure: str, rows: list[SystemComparison]) -> Table:
    first, pairs = rows[0], found.all_pairs
    adjusted = found.procedure.correction != "none"
    heads = [("baseline", "Baseline")] if pairs else []
    heads += [
        ("system", "System"),
        ("mean", measure),
        ("change", "Change"),
        ("d", "d"),
        ("wins", "Wins"),
        ("ties", "Ties"),
        ("losses", "Losses"),
        ("p", "p"),
    ]
    heads += [("adjusted_p", f"p ({CORRECTED[found.procedure.correction]})")] if adjusted else []
    own = None if pairs else _baseline_row(first, len(heads))
    lines = [] if own is None else [own]
    lines += [_row(found, measure, one, adjusted) for one in rows]
    table = Table(
        tuple(key for key, _ in heads),
        tuple(title for _, title in heads),
        tuple(lines),
        f"{measure} by the tool {found.tool}, {first.queries} queries",
        notes=_explain(found, first),
        right=frozenset(range(2 if pairs else 1, len(heads))),
    )
    return table if pairs else mark_best(table, {"mean": lower_is_better(measure)})


def _baseline_row(first: SystemComparison, width: int) -> tuple[Value, ...]:
    return (first.baseline, Estimate(first.baseline_mean), *[None] * (width - 2))


def _row(
    found: Significance, measure: str, one: SystemComparison, adjusted: bool
) -> tuple[Value, ...]:
    better = (one.difference > 0) != lower_is_better(measure)
    mark = ("+" if better else "-") if one.significant(found.level) else ""
    low, high = one.interval.low, one.interval.high
    margin = (high - low) / 2 if low == low and abs(low) != float("inf") else None
    change = Estimate(one.difference, margin, mark if found.all_pairs else "")
    cells: list[Value] = [one.baseline] if found.all_pairs else []
    cells += [one.system, Estimate(one.system_mean, None, "" if found.all_pairs else mark), change]
    cells += [_finite(one.effect.cohen_d), one.effect.wins, one.effect.ties, one.effect.losses]
    cells.append(_p_value(one.result.p_value))
    return (*cells, _p_value(one.adjusted_p_value)) if adjusted else tuple(cells)


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def _p_value(value: float) -> Value:
    """Four decimals would print a very small p-value as nought."""
    return f"<{SMALLEST_P}" if value < SMALLEST_P else value


def _explain(found: Significance, first: SystemComparison) -> tuple[str, ...]:
    against = "its baseline" if found.all_pairs else first.baseline
    return (
        f"Change is the system less {against}, ± half of its "
        f"{100 * found.procedure.confidence:g} % interval ({found.procedure.interval}); + better "
        f"and - worse at p < {found.level:g} ({found.procedure.test} test, correction "
        f"{found.procedure.correction}).",
    )
