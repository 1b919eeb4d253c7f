"""What commands print: tables for people, JSON for programs, progress only on a terminal."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

_WIDEST_NUMBER = 16


def print_json(value: object) -> None:
    """One JSON document on standard output, stable in order and free of NaN."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    title: str | None = None,
    numeric: Sequence[int] = (),
    unbroken: Sequence[int] = (),
) -> None:
    """A table that is readable at 80 columns; cells are text, never markup.

    Columns in `numeric` stand to the right and keep their width; those in `unbroken` (names to
    copy) are not folded, but cut where even so there is no room. Where no column has a title there
    is no line for them.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=None if title is None else Text(title),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        show_header=any(columns),
    )
    for number, column in enumerate(columns):
        right = number in numeric
        texts = [*column.split(), *(str(row[number]) for row in rows)]
        widest = max(map(len, texts), default=0)
        table.add_column(
            Text(column),
            justify="right" if right else "left",
            overflow="ellipsis" if number in unbroken else "fold",
            no_wrap=number in unbroken,
            min_width=min(widest, _WIDEST_NUMBER) if right else None,
        )
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console().print(table)


def console() -> Any:
    """The terminal, as wide as it is; 100 columns where output is piped into a file."""
    from rich.console import Console

    piped = not sys.stdout.isatty()
    return Console(width=100 if piped else None, highlight=False, soft_wrap=False)


def note(message: str) -> None:
    """A remark beside the result, on standard error."""
    click.echo(message, err=True)


@contextlib.contextmanager
def progress(description: str, total: float | None = None) -> Iterator[Callable[[float], None]]:
    """A progress bar on a terminal that appears after a second; silence when piped.

    Yields a function that takes the amount done so far.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rankwise.cli.progress import terminal_progress

    with terminal_progress(description, total) as advance:
        yield advance
