"""`rankwise significance`: is one system better than another by more than luck?"""

from __future__ import annotations

from typing import Any

import click

from rankwise.cli.measures.significance_output import as_csv, print_comparisons
from rankwise.cli.options import (
    format_option,
    measures_option,
    seed_option,
    shape_options,
    tool_option,
)
from rankwise.cli.output import note, print_json, say
from rankwise.cli.report_tables import print_report_tables
from rankwise.cli.stages import shown_stages
from rankwise.cli.table_options import table_options
from rankwise.comparison import CORRECTIONS, FAMILIES, INTERVALS, TESTS
from rankwise.errors import RankwiseError
from rankwise.evaluation import print_as_script
from rankwise.evaluation import significance as test_systems
from rankwise.reports import make_significance_tables
from rankwise.tables import shape_table

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
