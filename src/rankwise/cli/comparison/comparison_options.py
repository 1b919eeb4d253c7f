"""The options that commands which compare results share."""

from __future__ import annotations

import click

from rankwise.cli.options import measures_option

compared_measures_option = measures_option("Compare in this measure only; may be repeated.")
ideal_option = click.option(
    "--ideal",
    type=click.Choice(["observed", "definition"]),
    default="observed",
    show_default=True,
    help="The most a method could win: the most anyone won there, or the number of its rivals.",
)
