"""`rankwise measures`: every measure and every tool, with their conventions."""

from __future__ import annotations

from typing import Any

import click

from rankwise.cli.options import format_option
from rankwise.cli.output import print_json, print_table
from rankwise.measures import FAMILIES, Family, Tool, all_tools, parse


@click.command()
@format_option()
def measures(output_format: str) -> None:
    """List the measures with their fields, and the tools with their conventions.

    \b
    Examples:
      rankwise measures
      rankwise measures --format json
    """
    if output_format == "json":
        print_json({"measures": [_family(family) for family in FAMILIES],
                    "tools": [_tool(tool) for tool in all_tools()]})  # fmt: skip
        return
    rows = [[family.name, family.title, ", ".join(family.aliases)] for family in FAMILIES]
    print_table(["measure", "what it is", "also called"], rows)
    print_table(
        ["tool", "what it is", "measures"],
        [[tool.name, tool.title, ", ".join(tool.conventions)] for tool in all_tools()],
    )


def _family(family: Family) -> dict[str, Any]:
    return {
        "name": family.name,
        "title": family.title,
        "aliases": list(family.aliases),
        "cutoff": family.cutoff,
        "fields": dict(family.fields),
        "citation": family.citation,
    }


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "measures": [str(parse(family, tool.conventions)) for family in tool.conventions],
    }
