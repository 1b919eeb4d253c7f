"""Tables of results that commands are given by name, and the options of comparing them."""

from __future__ import annotations

from collections.abc import Collection
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


def named_table(name: str, measures: Collection[str] = (), *, beside: bool = False) -> ResultTable:
    """A file of results, the store of an experiment, or a shipped table.

    Where `measures` are named, only their figures of a store must be complete to be compared. What
    stands `beside` other tables must have all folds of the store, as theirs are over all folds.
    """
    from rankwise.literature.shipped import SHIPPED, shipped
    from rankwise.results.formats import read_results
    from rankwise.results.store import is_store

    if name in {table.name for table in SHIPPED} and not Path(name).exists():
        return shipped(name)
    return _stored(name, measures, beside) if is_store(name) else read_results(name)


def _stored(store: str, measures: Collection[str], beside: bool) -> ResultTable:
    """The figures of a store that can be compared; what cannot is said."""
    from rankwise.measures.names import result_name
    from rankwise.results.completeness import complete
    from rankwise.results.store import Store
    from rankwise.results.store_values import make_table

    wanted = set(map(result_name, measures))
    with Store.read(store) as opened, opened.snapshot():
        stored, left_out = opened.values(), opened.explain_left_out()
    means = [
        one for one in stored if one.tool == one.name.tool and (not wanted or one.measure in wanted)
    ]
    kept, sentences = complete(means, "all folds" if beside else "most")
    for sentence in (*left_out, *sentences):
        note(sentence)
    return make_table(kept)
