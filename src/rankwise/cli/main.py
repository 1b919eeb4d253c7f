"""The entry point: every command in one list, imported lazily; user errors end in exit code 2.

What the user can cause is one sentence. `COMMANDS` has the name of a command, its group on the
first screen, one line about it, and its home. A home is imported only when its command runs, which
keeps `rankwise --help` quick. `LoadingGroup` does the same for the commands below a command.

Messages advise the flag that a command has for an argument of Python's functions. What a command
says before its work, such as guesses, goes to standard error, each sentence once. `completion`
prints the script that makes a shell complete commands and options. `typed_command` is the line as
it was typed, which a report names as the way to make it again.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import math
import os
import shlex
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.shell_completion import get_completion_class

from rankwise import __version__
from rankwise.cli.output import note
from rankwise.errors import EarlyRemark, Flags, RankwiseError
from rankwise.registry import look_in
from rankwise.sanitize import bounded, visible


class Entry(NamedTuple):
    """One command: where it is shown, what it says, and `module:attribute` of its click command."""

    name: str
    group: str
    summary: str
    home: str


COMMANDS = (
    Entry(
        "demo",
        "Start here",
        "The whole story on a small data set made here.",
        "rankwise.cli.experiments.demo_command:demo",
    ),
    Entry(
        "build",
        "Data",
        "From a corpus, queries and judgements to a LETOR data set.",
        "rankwise.cli.data.build_commands:build",
    ),
    Entry(
        "data",
        "Data",
        "Describe, check, convert, normalize, split, fetch data.",
        "rankwise.cli.data.file_commands:data",
    ),
    Entry(
        "evaluate",
        "Measures",
        "The figures of rankings, as any tool computes them.",
        "rankwise.cli.measures.evaluate_command:evaluate",
    ),
    Entry(
        "explain",
        "Measures",
        "Why tools differ on the same scores.",
        "rankwise.cli.measures.convention_commands:explain",
    ),
    Entry(
        "identify",
        "Measures",
        "Which tools give a printed figure?",
        "rankwise.cli.measures.convention_commands:identify",
    ),
    Entry(
        "reconcile",
        "Measures",
        "A figure of one tool as that of another.",
        "rankwise.cli.measures.convention_commands:reconcile",
    ),
    Entry(
        "measures",
        "Measures",
        "List all measures and tools.",
        "rankwise.cli.measures.convention_commands:measures",
    ),
    Entry(
        "significance",
        "Measures",
        "Is one system better than another by more than luck?",
        "rankwise.cli.measures.significance_command:significance",
    ),
    Entry(
        "rankers",
        "Rankers",
        "The methods: families, papers, parameters.",
        "rankwise.cli.rankers.ranker_commands:rankers",
    ),
    Entry(
        "train",
        "Rankers",
        "Train a ranker and save its model.",
        "rankwise.cli.rankers.training_commands:train",
    ),
    Entry(
        "tune",
        "Rankers",
        "Choose a ranker's parameters within a budget, resumable.",
        "rankwise.cli.rankers.training_commands:tune",
    ),
    Entry(
        "score",
        "Rankers",
        "Score documents with a model.",
        "rankwise.cli.rankers.training_commands:score",
    ),
    Entry(
        "model",
        "Rankers",
        "Look into a model, export it.",
        "rankwise.cli.rankers.model_commands:model",
    ),
    Entry(
        "features",
        "Rankers",
        "Select and reduce features.",
        "rankwise.cli.rankers.feature_commands:features",
    ),
    Entry(
        "recommend",
        "Experiments",
        "Which methods to try first on your data, and how sure that is.",
        "rankwise.cli.rankers.ranker_commands:recommend",
    ),
    Entry(
        "bench",
        "Experiments",
        "Run an experiment: tuned on validation, judged on test, resumable.",
        "rankwise.cli.experiments.bench_command:bench",
    ),
    Entry(
        "clicks",
        "Experiments",
        "Simulated users and click logs: learn and evaluate from feedback.",
        "rankwise.cli.clicks_commands:clicks",
    ),
    Entry(
        "compare",
        "Comparison",
        "Rank methods across benchmarks; fronts, figures, a report page.",
        "rankwise.cli.comparison.compare_command:compare",
    ),
    Entry(
        "place",
        "Comparison",
        "Where your method lands among published ones.",
        "rankwise.cli.comparison.place_command:place",
    ),
    Entry(
        "results",
        "Comparison",
        "Tables of results, and what experiments stored.",
        "rankwise.cli.comparison.result_commands:results",
    ),
    Entry(
        "literature",
        "Comparison",
        "Published results: list, show, cite, check.",
        "rankwise.cli.comparison.literature_commands:literature",
    ),
    Entry(
        "arena",
        "Arena",
        "Organise a leaderboard with hidden labels.",
        "rankwise.cli.arena.organise_commands:arena",
    ),
    Entry(
        "serve",
        "Arena",
        "An arena, or a running bench, in a browser.",
        "rankwise.cli.arena.serve_command:serve",
    ),
    Entry(
        "submit",
        "Arena",
        "Send scores or a run to an arena.",
        "rankwise.cli.arena.serve_command:submit",
    ),
    Entry(
        "completion",
        "Other",
        "Print the shell completion script.",
        "rankwise.cli.main:completion",
    ),
)


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


@contextlib.contextmanager
def said_remarks() -> Iterator[None]:
    """Let every `EarlyRemark` be a line on standard error; other warnings stay what they are."""
    said: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", EarlyRemark)
        others = warnings.showwarning

        def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, EarlyRemark):
                others(message, category, *place, **more)
            elif str(message) not in said:
                said.add(str(message))
                note(str(message))

        warnings.showwarning = show
        yield


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    Examples:
      eval "$(rankwise completion bash)"          # in ~/.bashrc
      eval "$(rankwise completion zsh)"           # in ~/.zshrc
      rankwise completion fish > ~/.config/fish/completions/rankwise.fish
    """

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion is known for the shell {shell}")
    click.echo(found(main, {}, "rankwise", "_RANKWISE_COMPLETE").source())


def typed_command() -> str | None:
    """The words after the program's name; None where something else started the program."""
    program = Path(sys.argv[0])
    as_module = program.name == "__main__.py" and program.parent.name == "rankwise"
    if program.name != "rankwise" and not as_module:
        return None
    return shlex.join(["rankwise", *sys.argv[1:]])
