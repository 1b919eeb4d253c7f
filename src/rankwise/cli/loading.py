"""Groups of commands that import the file of a command when the command is named."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LoadingGroup(click.Group):
    """A group that knows where its commands live: `module:attribute` below `rankwise.cli`."""

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
        command = getattr(importlib.import_module(f"rankwise.cli.{module}"), attribute)
        return command if isinstance(command, click.Command) else None

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
