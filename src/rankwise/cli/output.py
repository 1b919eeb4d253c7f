"""What commands print: tables for people, JSON for programs, progress only on a terminal.

Everything leaves through here, and nothing that stands in a file is obeyed by the terminal: names
and messages may hold anything (`rankwise.sanitize`).

Work in stages has a progress bar for each, which takes the place of the one before it. What
somebody's own ranker prints while it is trained is kept apart from the result.

Tables of results in every format: for people, for programs and for papers.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

import click

from rankwise.cli.options import MADE_FORMAT
from rankwise.sanitize import visible, visible_json
from rankwise.tables import WRITERS, Table, find_numeric, format_cell, format_csv

if TYPE_CHECKING:
    from rankwise.tables import Look


def print_json(value: object) -> None:
    """One JSON document on standard output, stable in order.

    JSON has no NaN and no infinity: what is not a number is null, infinity the text "inf".
    """
    text = json.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False)
    click.echo(visible_json(text))


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(float(value))
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    title: str | None = None,
    numeric: Sequence[int] = (),
    unbroken: Sequence[int] = (),
    best: Collection[tuple[int, int]] = (),
    second: Collection[tuple[int, int]] = (),
) -> None:
    """A table that is readable at 80 columns; cells are text, never markup.

    Columns in `numeric` stand to the right and keep their width; those in `unbroken` (names to
    copy) are not folded, but cut where even so there is no room. Where no column has a title there
    is no line for them. The fields (row, column) in `best` are bold, those in `second` underlined
    on a terminal that can show it. In another format (`--format`) it is a table of that.
    """
    texts = [[str(cell) for cell in row] for row in rows]
    made = find_made_format()
    if made is not None:
        from rankwise.tables import format_printed_cells

        click.echo(
            visible(format_printed_cells(made, columns, texts, title, numeric, best, second)),
            nl=False,
        )
        return
    from rankwise.tables import Column, lay_out

    named = [
        Column(title, place in numeric, place in unbroken) for place, title in enumerate(columns)
    ]
    look = _look()
    marks = {**dict.fromkeys(second, look.mark_second), **dict.fromkeys(best, look.mark_heading)}
    # What is marked here is meant to stay so, even in a pipe.
    click.echo("\n".join(lay_out(named, texts, title, look, marks)), color=True)


def make_tables_of(output_format: str) -> None:
    """From here on print tables in this format, as `--format` of most commands does."""
    click.get_current_context().meta[MADE_FORMAT] = output_format


def find_made_format() -> str | None:
    """The format that tables are turned into; None where they are for people."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(MADE_FORMAT)


def terminal_width() -> int:
    """As wide as the terminal is; 100 columns where output is piped into a file."""
    if not sys.stdout.isatty():
        return 100
    if os.environ.get("COLUMNS", "").isdigit():
        return int(os.environ["COLUMNS"])
    for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(AttributeError, ValueError, OSError):
            if stream is not None:
                return os.get_terminal_size(stream.fileno()).columns or 80
    return 80


def _look() -> Look:
    """Titles stand out on a terminal that can show it, or where FORCE_COLOR asks for it."""
    from rankwise.tables import Look

    plain = os.environ.get("TERM", "") in ("dumb", "unknown")
    marked = bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and not plain)
    rule = "─" if (sys.stdout.encoding or "").lower().startswith("utf") else "-"
    if not marked:
        return Look(terminal_width(), rule)
    italic, bold, under = (
        (lambda text, code=code: f"\x1b[{code}m{text}\x1b[0m") for code in (3, 1, 4)
    )
    return Look(terminal_width(), rule, italic, bold, under)


def say(text: str = "", *, nl: bool = True) -> None:
    """Text on standard output; on standard error where tables are made in another format."""
    click.echo(visible(text), nl=nl, err=find_made_format() is not None)


def note(message: str) -> None:
    """A remark beside the result, on standard error."""
    click.echo(visible(message), err=True)


@contextlib.contextmanager
def progress(description: str, total: float | None = None) -> Iterator[Callable[[float], None]]:
    """A progress bar on a terminal that appears after a second; silence when piped.

    Yields a function that takes the amount done so far.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rankwise.cli.progress_bar import terminal_progress

    with terminal_progress(visible(description), total) as advance:
        yield advance


@contextlib.contextmanager
def shown_stages() -> Iterator[Callable[[str, float | None], Callable[[float], None]]]:
    """Yield what begins a stage; on a terminal its bar appears after a second."""
    with contextlib.ExitStack() as stack:

        def begin(description: str, total: float | None = None) -> Callable[[float], None]:
            stack.close()
            return stack.enter_context(progress(description, total))

        yield begin


@contextmanager
def redirect_prints() -> Iterator[None]:
    """Lines that a ranker prints go to standard error."""
    with redirect_stdout(sys.stderr):
        yield


def print_report_tables(tables: Sequence[Table], output_format: str) -> None:
    """Print tables one after another, each with the best bold and the second underlined."""
    if output_format in ("latex", "markdown"):  # These write the notes into the table.
        say("\n".join(WRITERS[output_format](one) for one in tables), nl=False)
        return
    if output_format == "csv":
        say("\n".join(map(format_csv, tables)), nl=False)
    for one in tables if output_format == "table" else ():
        rows = [[format_cell(cell) for cell in row] for row in one.rows]
        right = [place for place, is_number in enumerate(find_numeric(one)) if is_number]
        print_table(
            one.titles, rows, title=one.title or None, numeric=right, unbroken=(0,),
            best=one.best, second=one.second,
        )  # fmt: skip
    for sentence in dict.fromkeys(said for one in tables for said in one.notes):
        note(sentence)
