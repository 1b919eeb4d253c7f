"""The options that commands which compare results share."""

from __future__ import annotations

import click

measures_option = click.option(
    "--measure", "measures", multiple=True, help="Compare in this measure only; repeat."
)
ideal_option = click.option(
    "--ideal",
    type=click.Choice(["observed", "definition"]),
    default="observed",
    show_default=True,
    help="The most a method could win: the most anyone won there, or the number of its rivals.",
)
