"""The options that commands which compare results share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rankwise.cli.options import measures_option
from rankwise.comparison import PARTS, WEIGHTS

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
