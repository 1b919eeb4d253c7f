"""The entry point: a group of lazily imported commands; user errors are one sentence, exit 2."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from itertools import groupby
from pathlib import Path

import click

from rankwise import __version__
from rankwise.cli.registry import COMMANDS, Entry
from rankwise.errors import RankwiseError
from rankwise.own_code import look_in


class LazyGroup(click.Group):
    """A group whose commands come from the registry and are imported when they are used."""

    entries: dict[str, Entry]

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.entries = {entry.name: entry for entry in COMMANDS}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the registry."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's file and return its command."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        module, attribute = entry.home.split(":")
        command = getattr(importlib.import_module(f"rankwise.cli.{module}"), attribute)
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name suggested for a misspelt one."""
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.entries, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else "; see 'rankwise --help'"
            raise click.UsageError(f"there is no command '{args[0]}'{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands under their groups, without importing any of them."""
        for group, entries in groupby(self.entries.values(), key=lambda entry: entry.group):
            with formatter.section(group):
                formatter.write_dl([(entry.name, entry.summary) for entry in entries])


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command has --help with examples. Start with: rankwise demo",
)
@click.version_option(__version__, prog_name="rankwise")
def main() -> None:
    """Learning to rank on equal terms: data, every tool's measures, fair comparison."""
    with contextlib.suppress(OSError):
        look_in(Path.cwd())


def run() -> None:
    """Run the command line; what the user can cause ends in a sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal of few characters shows question marks; files must hold what is meant.
        if isinstance(stream, io.TextIOWrapper) and stream.isatty():
            stream.reconfigure(errors="replace")
    try:
        # A command that ends with `context.exit(code)` gives the code back instead of raising.
        code = main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except RankwiseError as error:
        _fail(str(error))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: leave quietly, as other commands do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except UnicodeEncodeError:
        _fail(
            f"output must be in an encoding that has its characters, found {sys.stdout.encoding}; "
            "set PYTHONIOENCODING=utf-8"
        )
    except MemoryError:
        _fail("there is not enough memory for this; use a smaller file or a larger machine")


def _fail(message: str) -> None:
    click.echo(f"rankwise: {message}", err=True)
    sys.exit(2)
