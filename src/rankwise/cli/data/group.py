"""`rankwise data`: everything about data sets as files."""

from __future__ import annotations

import click

from rankwise.cli.loading import LoadingGroup

HOMES = {
    "describe": "rankwise.cli.data.files:describe_command",
    "check": "rankwise.cli.data.files:check_command",
    "convert": "rankwise.cli.data.files:convert_command",
    "add-feature": "rankwise.cli.data.add_feature:add_feature_command",
    "filter": "rankwise.cli.data.filter:filter_command",
    "normalize": "rankwise.cli.data.transform:normalize_command",
    "split": "rankwise.cli.data.transform:split_command",
    "list": "rankwise.cli.data.catalogue:list_command",
    "fetch": "rankwise.cli.data.catalogue:fetch_command",
    "import": "rankwise.cli.data.catalogue:import_command",
}


@click.command(cls=LoadingGroup, homes=HOMES)
def data() -> None:
    """Describe, check, convert, filter, normalize, split and fetch data sets; add features."""
