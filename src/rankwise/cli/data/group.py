"""`rankwise data`: everything about data sets as files."""

from __future__ import annotations

import click

from rankwise.cli.data.catalogue import fetch_command, import_command, list_command
from rankwise.cli.data.files import check_command, convert_command, describe_command
from rankwise.cli.data.transform import normalize_command, split_command


@click.group()
def data() -> None:
    """Describe, check, convert, normalize, split and fetch data sets."""


for command in (
    describe_command,
    check_command,
    convert_command,
    normalize_command,
    split_command,
    list_command,
    fetch_command,
    import_command,
):
    data.add_command(command)
