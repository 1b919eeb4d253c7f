"""The option that says how numbers are printed into LETOR text."""

from __future__ import annotations

import click

from rankwise.data import NUMBER_STYLES

numbers_option = click.option(
    "--numbers",
    type=click.Choice(list(NUMBER_STYLES)),
    default="shortest",
    show_default=True,
    help="How values are printed.",
)
