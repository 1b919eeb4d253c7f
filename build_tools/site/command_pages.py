"""Pages of commands, made of their --help: one for each command, its subcommands below it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import click

from rankwise.cli.main import COMMANDS, main

FOLDER = "reference/commands"
WIDTH = 100


def make_command_pages() -> Iterator[tuple[str, str]]:
    """Each page's path and its Markdown."""
    yield f"{FOLDER}/index.md", _make_index()
    top = click.Context(main, info_name="rankwise", **main.context_settings)
    for entry in COMMANDS:
        command = main.get_command(top, entry.name)
        if command is None:
            raise click.UsageError(f"a registered command must load, found none for {entry.name}")
        sections = [_make_section(*found) for found in walk(command, top, entry.name)]
        yield f"{FOLDER}/{entry.name}.md", f"# rankwise {entry.name}\n\n" + "\n".join(sections)


def walk(
    command: click.Command, parent: click.Context, name: str
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """A command and everything below it, with the words that call it."""
    context = click.Context(
        command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield context.command_path, command, context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None and not found.hidden:
                yield from walk(found, context, below)


def _make_index() -> str:
    lines = [
        "# Commands",
        "",
        "These pages are `rankwise COMMAND --help`, made anew with every build of the site.",
    ]
    for group, entries in groupby(COMMANDS, key=lambda entry: entry.group):
        lines += ["", f"## {group}", "", "| command | what it does |", "|---|---|"]
        lines += [f"| [`{one.name}`]({one.name}.md) | {one.summary} |" for one in entries]
    return "\n".join(lines) + "\n"


def _make_section(path: str, command: click.Command, context: click.Context) -> str:
    heading = "" if path.count(" ") == 1 else f"## {path}\n\n"
    return f"{heading}```text\n{command.get_help(context)}\n```\n"
