"""What a report found, in a sentence or two: what its page says first."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.comparison.query_table import QueryTable, compare_with, compute_means
from rankwise.comparison.ranking import Comparison
from rankwise.errors import RankwiseError
from rankwise.measures.names import lower_is_better, sort_measures
from rankwise.reports.names import shown
from rankwise.reports.query_figures import LEVEL, PREFERRED, find_main_measure, format_p_value

NAMED = 5


def find_findings(comparison: Comparison, queries: Sequence[QueryTable]) -> tuple[str, ...]:
    """The best method of one data set and whether that is more than luck, or the Pareto front."""
    if count_datasets(comparison) > 1:
        return (_tell_front(comparison), *_tell_tests(queries))
    return _tell_tests(queries) or (_tell_best(comparison),)


def count_datasets(comparison: Comparison) -> int:
    """Data sets with a comparison; versions of one are the same queries and count once."""
    return len(
        {int(comparison.unversioned[code]) for code in set(comparison.cells.dataset.tolist())}
    )


def _tell_front(comparison: Comparison) -> str:
    front = comparison.front()
    named = ", ".join(shown(name) for name in front[:NAMED])
    more = f" and {len(front) - NAMED} more" if len(front) > NAMED else ""
    verb = "are" if len(front) > 1 else "is"
    return (
        f"{named}{more} {verb} on the Pareto front: no other method is both more accurate and "
        "better tested."
    )


def _tell_best(comparison: Comparison) -> str:
    """The best of one data set without values per query, in the measure that comes first."""
    there = sort_measures(comparison.measures)
    measure = next((name for name in PREFERRED if name in there), there[0])
    table = comparison.table.where(measure=measure)
    order = table.value.argsort(kind="stable")
    best = int(order[0] if lower_is_better(measure) else order[-1])
    return (
        f"{shown(str(table.method[best]))} has the best {measure}, {table.value[best]:.4f}. One "
        "data set and no values per query cannot tell whether that is more than luck."
    )


def _tell_tests(queries: Sequence[QueryTable]) -> tuple[str, ...]:
    told = []
    for table in queries:
        try:
            told.append(_tell_test(table))
        except RankwiseError:
            continue
    return tuple(told)


def _tell_test(table: QueryTable) -> str:
    measure, baseline = find_main_measure(table), table.methods[0]
    means = compute_means(table, measure)
    best = means[0]
    compared = compare_with(table, measure)
    told_apart = [one for one in compared if one.significant(LEVEL)]
    worse = lower_is_better(measure)
    better = [one for one in told_apart if (one.difference < 0) == worse]
    start = (
        f"On {shown(table.dataset)}, {shown(best.method)} has the best {measure}, {best.mean:.4f}"
    )
    if best.method == baseline:
        clear = f"{len(told_apart)} of {len(compared)}" if told_apart else "none"
        verb = "are" if len(told_apart) > 1 else "is"
        return (
            f"{start}; of the others, {clear} {verb} worse by more than luck "
            f"(paired t-test over {compared[0].queries:,} queries, Holm)."
        )
    own = next(one for one in compared if one.system == best.method)
    sure = "which is more than luck" if own.significant(LEVEL) else "which may be luck"
    return (
        f"{start}: {abs(own.difference):.4f} {'less' if worse else 'more'} than {shown(baseline)}, "
        f"{sure} ({format_p_value(own.adjusted_p_value)}, paired t-test over {own.queries:,} "
        f"queries, Holm). {_count(len(better))} of {len(compared)} methods "
        f"{'is' if len(better) == 1 else 'are'} better than {shown(baseline)} by more than luck, "
        f"{_count(len(told_apart) - len(better)).lower()} worse."
    )


def _count(number: int) -> str:
    return str(number) if number else "None"
