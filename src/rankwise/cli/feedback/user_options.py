"""The options that say who the simulated users are."""

from __future__ import annotations

import click

from rankwise.feedback import CLICK_MODELS, DEFAULT_SHOWN, DEFAULT_USER

user_option = click.option(
    "--user",
    default=DEFAULT_USER,
    show_default=True,
    metavar="MODEL[:SETTING]",
    help=f"The click model: {', '.join(CLICK_MODELS)}. Settings: perfect, navigational, "
    "informational, almost-random; of position-based mild, usual, severe, clean, labels.",
)
position_user_option = click.option(
    "--user",
    default="position-based:usual",
    show_default=True,
    metavar="position-based[:SETTING]",
    help="The click model, whose propensities are known.",
)
noise_option = click.option(
    "--noise",
    type=click.FloatRange(0.0, 1.0),
    metavar="SHARE",
    help="The share of clicks that no label decides.  [default: as the setting has it]",
)
shown_option = click.option(
    "--shown",
    type=click.IntRange(min=0),
    default=DEFAULT_SHOWN,
    show_default=True,
    metavar="N",
    help="Documents to a list at most; 0: all.",
)
