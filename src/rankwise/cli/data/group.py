"""`rankwise data`: everything about data sets as files."""

from __future__ import annotations

import click

from rankwise.cli.loading import LoadingGroup

HOMES = {
    "describe": "data.files:describe_command",
    "check": "data.files:check_command",
    "convert": "data.files:convert_command",
    "add-feature": "data.add_feature:add_feature_command",
    "filter": "data.filter:filter_command",
    "normalize": "data.transform:normalize_command",
    "split": "data.transform:split_command",
    "list": "data.catalogue:list_command",
    "fetch": "data.catalogue:fetch_command",
    "import": "data.catalogue:import_command",
}


@click.command(cls=LoadingGroup, homes=HOMES)
def data() -> None:
    """Describe, check, convert, filter, normalize, split and fetch data sets; add features."""
