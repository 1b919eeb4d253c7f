"""The options that commands which compare results share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.options import measures_option, tool_option
from rankwise.comparison import DEFAULT_ESTIMATOR, ESTIMATORS, PARTS, WEIGHTS
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.results import DenseQueries, ResultTable

compared_measures_option = measures_option("Compare in this measure only; may be repeated.")
ideal_option = click.option(
    "--ideal",
    type=click.Choice(["observed", "definition"]),
    default="observed",
    show_default=True,
    help="The most a method could win: the most anyone won there, or the number of its rivals.",
)
credible_option = click.option(
    "--credible",
    is_flag=True,
    help="Leave out published results that are marked as not comparable, and say which.",
)
weights_option = click.option(
    "--weights",
    type=click.Choice(list(WEIGHTS)),
    default="results",
    show_default=True,
    help="What counts alike: every result as in the paper, or every measure, collection or data "
    "set, or data sets by their queries.",
)
leave_out_option = click.option(
    "--leave-out",
    "left_out",
    type=click.Choice(list(PARTS)),
    help="Leave out each measure, data set or study in turn, and say what that changes.",
)
bias_option = click.option(
    "--bias",
    is_flag=True,
    help="Look for publication bias: few results against many, own results against others'.",
)
by_option = click.option(
    "--by",
    type=click.Choice(list(ESTIMATORS)),
    default=DEFAULT_ESTIMATOR,
    show_default=True,
    help="Rank by the Normalized Winning Number of the paper, or by another estimator.",
)


def choice_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--collection, --dataset and --methods: which results are compared."""
    for option in (
        click.option(
            "--methods",
            "methods",
            multiple=True,
            metavar="NAMES",
            help="Compare these methods only, separated by commas; may be repeated.",
        ),
        click.option(
            "--dataset",
            "datasets",
            multiple=True,
            metavar="NAME",
            help="Compare on this data set only, by short or full name; may be repeated.",
        ),
        click.option(
            "--collection",
            "collections",
            multiple=True,
            metavar="NAME",
            help="Compare on the data sets of this collection only; may be repeated.",
        ),
    ):
        command = option(command)
    return command


def own_scores_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--data, --scores, --name, --tool and --trec: a method that is known by its scores."""
    for option in (
        click.option(
            "--trec", is_flag=True, help="With --scores: --data is TREC qrels, --scores a run."
        ),
        tool_option("With --scores: whose conventions count.  [default: the data set's own tool]"),
        click.option("--name", help="With --scores: your method's name.  [default: mine]"),
        click.option(
            "--scores",
            metavar="PATTERN",
            help="Score files of your method, 'fold{fold}.scores', for the folds of --data.",
        ),
        click.option(
            "--data",
            metavar="DIR",
            help="With --scores: a folder of folds, a NAME of the data home, or one test file.",
        ),
    ):
        command = option(command)
    return command


def tabulate_own(
    data: str | None, scores: str | None, measures: Sequence[str], **how: Any
) -> ResultTable | None:
    """The results of the method that these options describe; None where they describe none."""
    given = [f"--{name}" for name, one in how.items() if one]
    if scores is None and data is None and not given:
        return None
    if scores is None or data is None:
        raise RankwiseError(
            "scores are of the documents of data; give both --data and --scores"
            + (f" with {', '.join(given)}" if given else "")
        )
    from rankwise.comparison import tabulate_scores

    return tabulate_scores(data, scores, measures=measures or None, **_complete(how))


def tabulate_own_queries(
    data: str | None, scores: str | None, tool: str | None, **how: Any
) -> tuple[DenseQueries, ...]:
    """The values of every query of the method that these options describe, if they describe one.

    They are by the definition of the measures, whatever the tool of the results is.
    """
    if scores is None or data is None:
        return ()
    from rankwise.comparison import tabulate_queries

    return tabulate_queries(data, scores, **_complete(how))


def _complete(how: dict[str, Any]) -> dict[str, Any]:
    """The options of a method's scores as functions take them."""
    trec = how.pop("trec")
    how["name"] = how["name"] or "mine"
    # Of a run that lacks judged queries these count as lists without documents, or it would gain.
    return {**how, "trec": True, "missing_queries": "zero"} if trec else how
