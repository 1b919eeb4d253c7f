"""Tables of results that commands are given by name, and the options of comparing them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankwise.cli.output import note

if TYPE_CHECKING:
    from rankwise.results.table import ResultTable

DEFAULT_TABLE = "dearank_tables_2_to_5"

measures_option = click.option(
    "--measure", "measures", multiple=True, help="Compare in this measure only; repeat."
)
ideal_option = click.option(
    "--ideal",
    type=click.Choice(["observed", "definition"]),
    default="observed",
    show_default=True,
    help="The most a method could win: the most anyone won there, or the number of its rivals.",
)


def named_table(name: str) -> ResultTable:
    """A file of results, the store of an experiment, or a shipped table."""
    from rankwise.literature.shipped import SHIPPED, shipped
    from rankwise.results.formats import read_results
    from rankwise.results.store import is_store

    if name in {table.name for table in SHIPPED} and not Path(name).exists():
        return shipped(name)
    return _stored(name) if is_store(name) else read_results(name)


def _stored(store: str) -> ResultTable:
    """The figures of a store without methods that lack folds or seeds, which are said."""
    from rankwise.results.completeness import complete, left_out
    from rankwise.results.store_reading import left_aside, stored_means, table_of

    means = stored_means(store)
    for sentence in (*left_aside(store), *left_out(means)):
        note(sentence)
    return table_of(complete(means))
