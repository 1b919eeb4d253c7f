"""The options that name the columns of tables, for every command that takes data."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rankwise.cli.options import Decorator, option

_OPTIONS = (
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
    offered = [one for one in _OPTIONS if not unwanted.get(one[1])]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_columns(*context: click.Context, **given: Any) -> None:
            named = {name: given.pop(name) for _, name, _, _ in offered}
            if any(value is not None for value in named.values()):
                _name_columns(given, arguments, named)
            command(*context, **given)

        made: Any = with_columns
        for flag, name, metavar, help_text in reversed(offered):
            made = option(flag, name, metavar=metavar, help=help_text)(made)
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
