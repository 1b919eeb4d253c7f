"""The entry point: a group of lazily imported commands; user errors are one sentence, exit 2."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from rankwise import __version__
from rankwise.cli.flags import flags_of, named_command
from rankwise.cli.loading import LoadingGroup
from rankwise.cli.output import note
from rankwise.cli.registry import COMMANDS
from rankwise.cli.remarks import said_remarks
from rankwise.errors import RankwiseError
from rankwise.registry import look_in
from rankwise.shown import bounded, visible


class LazyGroup(LoadingGroup):
    """A group whose commands come from the registry."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        homes = {entry.name: entry.home for entry in COMMANDS}
        super().__init__(*args, homes=homes, **settings)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands under their groups, without importing any of them."""
        for group, entries in groupby(COMMANDS, key=lambda entry: entry.group):
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
    click.get_current_context().with_resource(said_remarks())


def run() -> None:
    """Run the command line; what the user can cause ends in a sentence and exit code 2."""
    # Where an output is closed (`>&-`), what would go there goes nowhere.
    sys.stdout, sys.stderr = sys.stdout or io.StringIO(), sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        # A terminal of few characters shows question marks; files must hold what is meant.
        if isinstance(stream, io.TextIOWrapper) and stream.isatty():
            stream.reconfigure(errors="replace")
    try:
        # A command that ends with `context.exit(code)` gives the code back instead of raising.
        code = main(standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except RankwiseError as error:
        _fail(error.in_command(flags_of(named_command(main, sys.argv[1:]))))
    except click.ClickException as error:
        _show(error)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: leave quietly, as other commands do.
        _drop_output()
        sys.exit(141)
    except OSError as error:
        # Nearly all failures of files are told where they happen; what has no name is the output.
        if error.filename is not None:
            _fail(bounded(visible(f"cannot use {error.filename}: {error.strerror}")))
        if error.errno not in _OUTPUT_FAILURES:
            raise
        _drop_output()
        _fail(f"cannot write the output: {error.strerror}; make room there, or write elsewhere")
    except UnicodeEncodeError:
        _fail(
            f"output must be in an encoding that has its characters, found {sys.stdout.encoding}; "
            "set PYTHONIOENCODING=utf-8"
        )
    except MemoryError:
        _fail("there is not enough memory for this; use a smaller file or a larger machine")


_OUTPUT_FAILURES = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def _drop_output() -> None:
    """Let what is still to be written go nowhere, since it cannot go where it should."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show(error: click.ClickException) -> None:
    """What click says of a wrong line, which repeats what stood there."""
    said = io.StringIO()
    error.show(said)
    note("\n".join(bounded(visible(line)) for line in said.getvalue().splitlines()))


def _fail(message: str) -> None:
    with contextlib.suppress(OSError):
        note(f"rankwise: {message}")
    sys.exit(2)
