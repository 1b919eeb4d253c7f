"""Groups of commands that import the file of a command when the command is named."""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import click


def take_values_once(command: click.Command) -> None:
    """Make a command, and those below it, refuse a second value of options that take one, and NaN.

    Otherwise the last one would silently win, and NaN stand for any limit.
    """
    if isinstance(command, click.Group):
        for one in command.commands.values():
            take_values_once(one)
    elif not hasattr(command, "_takes_values_once"):
        command._takes_values_once = True  # type: ignore[attr-defined]
        parse = command.parse_args

        def parse_args(ctx: click.Context, args: list[str]) -> list[str]:
            if not ctx.resilient_parsing:
                _refuse_repeated(command, ctx, args)
            left = parse(ctx, args)
            _refuse_nan(command, ctx)
            return left

        command.parse_args = parse_args  # type: ignore[method-assign]


def _refuse_repeated(command: click.Command, ctx: click.Context, args: list[str]) -> None:
    _, _, given = command.make_parser(ctx).parse_args(args=list(args))
    for parameter, count in Counter(given).items():
        takes_one = isinstance(parameter, click.Option) and not (
            parameter.multiple or parameter.is_flag or parameter.count
        )
        if takes_one and count > 1:
            name = max(parameter.opts, key=len)
            raise click.UsageError(
                f"{ctx.info_name} takes one value of {name}, found {count}", ctx=ctx
            )


def _refuse_nan(command: click.Command, ctx: click.Context) -> None:
    """A number that is none passes every comparison with a limit, and every tolerance."""
    for parameter in command.params:
        value = ctx.params.get(parameter.name or "")
        if isinstance(value, float) and math.isnan(value):
            name = max(parameter.opts, key=len)
            raise click.UsageError(f"{name} must be a number, found nan", ctx=ctx)


class LoadingGroup(click.Group):
    """A group that knows where its commands live: `module:attribute`."""

    def __init__(self, *args: Any, homes: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.homes = homes

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order given."""
        return list(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's file and return its command."""
        home = self.homes.get(cmd_name)
        if home is None:
            return None
        module, attribute = home.split(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            return None
        take_values_once(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name suggested for a misspelt one."""
        if args and args[0] not in self.homes and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.homes, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"see '{ctx.command_path} --help'"
            raise click.UsageError(f"there is no command '{args[0]}'; {hint}")
        return super().resolve_command(ctx, args)
