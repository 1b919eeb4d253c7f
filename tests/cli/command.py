"""Commands run in this process, as tests of output and errors need them."""

from __future__ import annotations

import click
from click.testing import CliRunner, Result

from rankwise.errors import RankwiseError


def run(command: click.Command, *arguments: object) -> Result:
    """Invoke a command; what a user can cause comes out as the RankwiseError it is."""
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    if isinstance(result.exception, RankwiseError):
        raise result.exception
    return result
