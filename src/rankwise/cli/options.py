"""The options that commands share: one spelling for one thing.

`table_options` names the columns of tables, for every command that takes data.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

Decorator = Callable[[Any], Any]


def split_commas(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """The callback of options that may be repeated, or have commas between their values."""
    if not given:
        return ()
    from rankwise.measures import split_names

    return tuple(name for text in given for name in split_names(text))


def split_fields(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """As `split_commas`, but fields side by side (`empty=1,gain=linear`) stay together."""
    names: list[str] = []
    for text in given:
        last = ""
        for part in filter(None, (one.strip() for one in text.split(","))):
            if "=" in part and "=" in last:
                names[-1] += f",{part}"
            else:
                names.append(part)
            last = part
    return tuple(names)


def single(context: click.Context, parameter: click.Parameter, given: str | None) -> str | None:
    """The callback of options that take one value, where others take several with commas."""
    if given is None or "," not in given:
        return given
    from rankwise.measures import split_names

    if len(split_names(given)) > 1:
        name = parameter.opts[-1]
        raise click.UsageError(f"{context.info_name} takes one value of {name}, found {given!r}")
    return given


def measures_option(help_text: str) -> Decorator:
    """`-m/--measure`, any number of times, or with commas: `-m NDCG@5,MAP`."""
    return click.option(
        "-m", "--measure", "measures",
        multiple=True, callback=split_commas, metavar="MEASURE", help=help_text,
    )  # fmt: skip


def measure_option(help_text: str, default: str | None = None) -> Decorator:
    """`-m/--measure` of a command that looks at one measure."""
    return click.option(
        "-m", "--measure", default=default, show_default=default is not None, callback=single,
        metavar="MEASURE", help=help_text,
    )  # fmt: skip


def tools_option(help_text: str, default: tuple[str, ...] = ()) -> Decorator:
    """`--tool`, any number of times, or with commas."""
    return click.option(
        "--tool", "tools",
        multiple=True, callback=split_commas, default=default, show_default=bool(default),
        metavar="TOOL", help=help_text,
    )  # fmt: skip


def tool_option(help_text: str, default: str | None = None) -> Decorator:
    """`--tool` of a command that follows one tool."""
    return click.option(
        "--tool",
        default=default,
        show_default=default is not None,
        callback=single,
        metavar="TOOL",
        help=help_text,
    )


def output_option(help_text: str, metavar: str = "FILE", **settings: Any) -> Decorator:
    """`-o/--output`: the file, or with another metavar the folder, to write.

    Where nothing can be written there, the command ends before it works.
    """
    return click.option(
        "-o", "--output",
        type=click.Path(path_type=Path), metavar=metavar, help=help_text,
        callback=writable if metavar == "FILE" else writable_folder, **settings,
    )  # fmt: skip


def writable(context: click.Context, parameter: click.Parameter, given: Path | None) -> Path | None:
    """The callback of files to write."""
    if given is not None:
        from rankwise.files import refuse_unwritable

        refuse_unwritable(given)
    return given


def writable_folder(
    context: click.Context, parameter: click.Parameter, given: Path | None
) -> Path | None:
    """The callback of folders to write."""
    if given is not None:
        from rankwise.files import refuse_unwritable

        refuse_unwritable(given, folder=True)
    return given


def seed_option(help_text: str = "Same seed, same result.", default: int | None = 0) -> Decorator:
    """`--seed`: a whole number from 0."""
    return click.option(
        "--seed", type=click.IntRange(min=0), default=default, show_default=default is not None,
        metavar="N", help=help_text,
    )  # fmt: skip


def jobs_option(help_text: str) -> Decorator:
    """`--jobs`: how many processes work at a time."""
    return click.option("--jobs", type=click.IntRange(min=1), metavar="N", help=help_text)


def wait_option() -> Decorator:
    """`--wait`: how long a Dask cluster without workers is waited for."""
    return click.option(
        "--wait", metavar="TIME",
        help="How long to wait for the first worker of a cluster: 90s, 10m, 2h, 0.  [default: 2m]",
    )  # fmt: skip


FORMATS = ("table", "json", "csv", "latex", "markdown")
"""How every command that prints tables can print them."""
MADE_FORMAT = "rankwise.made_format"
"""Where the context of a command keeps the format that its tables are turned into."""


def format_option(*more: str, own: Iterable[str] = (), default: str = "table") -> Decorator:
    """`--format`: the same choices everywhere, and those in `more` that only one command has.

    A command prints `table`, `json`, `more` and those in `own` itself. The others are made of what
    it prints as tables; its sentences then go to standard error.
    """
    made = set(FORMATS) - {"table", "json", *own}

    def keep(context: click.Context, parameter: click.Parameter, given: str) -> str:
        if given not in made:
            return given
        context.meta[MADE_FORMAT] = given
        return "table"

    return click.option(
        "--format", "output_format",
        type=click.Choice([*FORMATS, *more]), default=default, show_default=True, callback=keep,
        help="How to print the result.",
    )  # fmt: skip


def text_format_option(*choices: str) -> Decorator:
    """`--format` of a command that prints no table, the first choice being the default."""
    return click.option(
        "--format", "output_format",
        type=click.Choice(choices), default=choices[0], show_default=True,
        help="How to print the result.",
    )  # fmt: skip


def shape_options(command: Any) -> Any:
    """`--columns` and `--transpose`: which part of a table is printed, and which way round."""
    command = click.option(
        "--transpose", is_flag=True, help="Turn tables: methods across, measures down."
    )(command)
    return click.option(
        "--columns", metavar="NAMES|N",
        help="Only these columns, separated by commas; or a number: at most so many beside the "
        "first, the others in further tables.",
    )(command)  # fmt: skip


def class_column_option(what: str) -> Decorator:
    """`--class-column`: the feature that holds the class of a query, and what it is for."""
    return click.option(
        "--class-column", metavar="N|NAME", help=f"The feature of the class of a query; it {what}"
    )


def relations_option() -> Decorator:
    """`--relations`: files of relations between documents."""
    return click.option(
        "--relations",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="PATH",
        help="A file or folder of relations between documents (may be repeated); those of a "
        "build are found by themselves.",
    )


def zero_based_option(help_text: str = "Feature indices begin at 0, not 1.") -> Decorator:
    """`--zero-based`: of LETOR text."""
    return click.option("--zero-based", is_flag=True, help=help_text)


_COLUMN_OPTIONS = (
    ("--query-column", "query_column", "NAME", "Of a table: the column of query ids."),
    ("--label-column", "label_column", "NAME", "Of a table: the column of labels."),
    ("--document-column", "document_column", "NAME", "Of a table: the column of document ids."),
    ("--features", "features", "A,B,C",
     "Of a table: the features, in this order; else all other columns with numbers."),
    ("--weight-column", "weight_column", "NAME",
     "Of a table: the column of what a row counts in training."),
)  # fmt: skip


def table_options(*arguments: str, features: bool = True, weights: bool = False) -> Decorator:
    """`--query-column` and its like; `arguments` are the parameters that are paths of data.

    `weights` is for commands that train: nowhere else do weights count. Without `features` there
    is no such option, where it is another one.
    """
    unwanted = {"features": not features, "weight_column": not weights}
    offered = [one for one in _COLUMN_OPTIONS if not unwanted.get(one[1])]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_columns(*context: click.Context, **given: Any) -> None:
            named = {name: given.pop(name) for _, name, _, _ in offered}
            if any(value is not None for value in named.values()):
                _name_columns(given, arguments, named)
            command(*context, **given)

        made: Any = with_columns
        for flag, name, metavar, help_text in reversed(offered):
            made = click.option(flag, name, metavar=metavar, help=help_text)(made)
        return made  # type: ignore[no-any-return]

    return decorate


def _name_columns(given: dict[str, Any], arguments: tuple[str, ...], named: dict[str, Any]) -> None:
    """Put paths that know their columns in the place of those of tables."""
    from rankwise.data import TableColumns, is_table, name_columns_of

    listed = named.get("features")
    features = None if listed is None else tuple(one.strip() for one in listed.split(","))
    columns = TableColumns(
        named["query_column"], named["label_column"], named["document_column"], features,
        named.get("weight_column"),
    )  # fmt: skip
    tables = 0

    def name(path: str | Path | None) -> str | Path | None:
        nonlocal tables
        if path is None or not is_table(path):
            return path
        tables += 1
        return name_columns_of(path, columns)

    for argument in arguments:
        value = given[argument]
        given[argument] = tuple(map(name, value)) if isinstance(value, tuple) else name(value)
    if not tables:
        raise click.UsageError(
            "columns are named of tables (.csv, .tsv, .parquet, .feather), found none among the "
            "data"
        )
