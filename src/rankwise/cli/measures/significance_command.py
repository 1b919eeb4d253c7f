"""`rankwise significance`: is one system better than another by more than luck?

It prints one flat record a comparison, or one table a measure.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import click

from rankwise.cli.options import (
    format_option,
    measures_option,
    seed_option,
    shape_options,
    table_options,
    tool_option,
)
from rankwise.cli.output import (
    note,
    print_json,
    print_report_tables,
    print_table,
    say,
    shown_stages,
    terminal_width,
)
from rankwise.comparison import (
    CORRECTIONS,
    FAMILIES,
    INTERVALS,
    TESTS,
    Procedure,
    Significance,
    SystemComparison,
    print_as_script,
)
from rankwise.comparison import significance as test_systems
from rankwise.errors import RankwiseError
from rankwise.reports import make_significance_tables
from rankwise.sanitize import plain_cell
from rankwise.tables import shape_table, shown

DEFAULT_MEASURE = "NDCG@10"


@click.command()
@click.argument("data", type=click.Path(), metavar="DATA|STORE")
@click.argument("scores", nargs=-1, type=click.Path(), metavar="[A.scores B.scores...|METHOD...]")
@measures_option(
    "A measure, as in evaluate; may be repeated.  [default: NDCG@10; with --format tool all that "
    "the script prints]"
)
@tool_option("Whose conventions compute the measures, as in evaluate.")
@click.option("--test", type=click.Choice(list(TESTS)), default="t", show_default=True)
@click.option(
    "--correction",
    type=click.Choice(list(CORRECTIONS)),
    default="holm",
    show_default=True,
    help="How p-values are adjusted for several comparisons.",
)
@click.option(
    "--family",
    type=click.Choice(FAMILIES),
    default="measure",
    show_default=True,
    help="What is corrected together: each measure's comparisons, or all of the run.",
)
@click.option("--all-pairs", is_flag=True, help="Compare every system with every other.")
@click.option(
    "--dataset", help="Which data set of a store, or NAME/VERSION; needed where it holds several."
)
@click.option("--trec", is_flag=True, help="DATA is TREC qrels and the scores are TREC runs.")
@click.option("--interval", type=click.Choice(INTERVALS), default="t", show_default=True)
@click.option("--confidence", type=float, default=0.95, show_default=True)
@click.option("--level", type=float, default=0.05, show_default=True, help="Marked below this p.")
@click.option(
    "--samples",
    type=int,
    help="Resamples drawn.  [default: randomization 100000, bootstrap 10000]",
)
@seed_option()
@shape_options
@format_option("tool", own=("csv", "latex", "markdown"))
@table_options("data")
def significance(
    data: str,
    scores: tuple[str, ...],
    measures: tuple[str, ...],
    tool: str | None,
    columns: str | None,
    transpose: bool,
    output_format: str,
    **how: Any,
) -> None:
    """Test whether systems differ, from their scores for the documents of DATA.

    The first score file is the baseline; differences are the other system minus the baseline.
    Score files hold one score a line, in the order of DATA; of a folder of folds they are named
    by a pattern, 'fold{fold}.scores', and the queries of all folds are taken together. With --trec
    DATA is qrels, the systems are runs. DATA may also be values per query, as 'evaluate --per-query
    --format csv' writes them; the systems are then the score files named there.

    DATA may also be the store of an experiment; the systems are then its methods, by name: all of
    them where only the baseline or none is named, and without a name the first method of the plan
    is the baseline. Methods that lack folds or seeds of the others are left out, and said.

    \b
    Examples:
      rankwise significance test.txt bm25.scores mine.scores
      rankwise significance test.txt a.scores b.scores c.scores --all-pairs -m MAP -m NDCG@5
      rankwise significance test.txt a.scores b.scores --test randomization --format json
      rankwise significance test.txt a.scores b.scores --tool letor3 --format tool
      rankwise significance --trec qrels.txt baseline.run mine.run -m MAP --tool trec_eval
      rankwise significance MQ2008 'bm25/{fold}.scores' 'mine/{fold}.scores'
      rankwise significance results.sqlite ridge-regression -m MAP
      rankwise significance results.sqlite -m MAP --format latex --columns system,mean,change
    """
    with shown_stages() as stage:
        if output_format == "tool" and how["trec"]:
            raise RankwiseError("the scripts read no TREC files; leave out --format tool or --trec")
        if output_format == "tool":
            say(print_as_script(data, scores, measures, tool, stage), nl=False)
            return
        wanted = measures or (DEFAULT_MEASURE,)
        found = test_systems(data, scores, wanted, tool, stage=stage, **how)
    for remark in found.remarks:
        note(remark)
    shaped = transpose or columns is not None
    if output_format == "json":
        print_json(found.records())
    elif output_format == "table" and not shaped:
        print_comparisons(found)
    elif output_format == "csv" and not shaped:
        say(as_csv(found.records()), nl=False)
    else:
        made = make_significance_tables(found)
        parts = [part for one in made for part in shape_table(one, columns, transpose)]
        print_report_tables(parts, output_format)


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
        cells = [
            _comparison_cells(one, found.procedure, found.level, all_pairs, wide) for one in rows
        ]
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


def _comparison_cells(
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
