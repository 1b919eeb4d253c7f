"""Which flag a command has for an argument of Python's functions: what its messages advise."""

from __future__ import annotations

import click

from rankwise.errors import Flags


def flags_of(command: click.Command) -> Flags:
    """The long spelling of the command's option for an argument; None where it has none."""
    spellings = {
        one.name: max(one.opts, key=len) for one in command.params if isinstance(one, click.Option)
    }
    return spellings.get


def named_command(command: click.Command, arguments: list[str]) -> click.Command:
    """The command that the arguments of the program name; groups are looked into."""
    while isinstance(command, click.Group):
        context = click.Context(command)
        name = next((one for one in arguments if not one.startswith("-")), "")
        found = command.get_command(context, name)
        if found is None:
            default = getattr(command, "default_command", None)
            return command if default is None else command.commands[default]
        arguments = arguments[arguments.index(name) + 1 :]
        command = found
    return command
