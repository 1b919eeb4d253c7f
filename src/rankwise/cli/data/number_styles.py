"""The options that say how numbers are written."""

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

float32_option = click.option(
    "--float32",
    is_flag=True,
    help="Write the features of packed data (.rwd) in single precision: half the size, rounded.",
)
