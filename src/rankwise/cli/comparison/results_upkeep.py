"""`rankwise results verify|gc`: what of a store is damaged, and what it no longer needs."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.options import format_option
from rankwise.cli.output import find_made_format, note, print_json, print_table, say
from rankwise.errors import RankwiseError
from rankwise.results import Store, verify_store
from rankwise.tables import shown

_LONGEST_SENTENCE = 300

store_argument = click.argument("store", type=click.Path(path_type=Path), metavar="STORE")
"""The store that a command is about."""


@click.command()
@store_argument
@format_option()
@click.pass_context
def verify(context: click.Context, store: Path, output_format: str) -> None:
    """Name everything of STORE that is damaged; exit 1 where there is anything.

    Each value is compared with the digest that was stored beside it, the tasks with their number,
    and the file with what SQLite expects of it.

    \b
    Examples:
      rankwise results verify results.sqlite
      rankwise results verify results.sqlite --format json
    """
    found = verify_store(store)
    if output_format == "json":
        print_json(asdict(found))
    elif find_made_format() is not None:
        rows = [[one.key or "", one.sentence] for one in found.damages]
        print_table(["key", "damage"], rows)
    for damage in found.damages if output_format == "table" else ():
        key = f"{shown(damage.key)}  " if damage.key else ""
        say(key + shown(damage.sentence, _LONGEST_SENTENCE))
    number = len(found.damages)
    damaged = f"damaged in {number:,} place{'s' if number > 1 else ''}"
    note(
        f"{store}: {found.tasks:,} tasks, {found.figures:,} figures, {found.query_values:,} values "
        f"of queries: {damaged if number else 'nothing is damaged'}"
    )
    if number and found.tasks:
        note(
            f"'rankwise results gc {shlex.quote(str(store))} --damaged' removes the damaged tasks; "
            "the same 'rankwise bench' runs them again"
        )
    elif number:
        note("put back a copy of it, or begin a new store")
    context.exit(1 if number else 0)


@click.command()
@store_argument
@click.option("--failed", is_flag=True, help="Also remove tasks that failed.")
@click.option("--damaged", is_flag=True, help="First remove tasks that verify finds damaged.")
@click.option("--dry-run", is_flag=True, help="Only say how many tasks would be removed.")
def gc(store: Path, failed: bool, damaged: bool, dry_run: bool) -> None:
    """Remove what later tasks of the same name superseded, and give the space back.

    \b
    Examples:
      rankwise results gc results.sqlite --dry-run
      rankwise results gc results.sqlite --failed
      rankwise results gc results.sqlite --damaged
    """
    if not store.is_file():
        raise RankwiseError(f"cannot read {store}: there is no such file")
    would = "would be " if dry_run else ""
    with Store.open(store) as opened:
        if damaged:
            tasks = {one.task for one in opened.damages() if one.task is not None}
            count = len(tasks) if dry_run else opened.remove_damaged()
            note(f"{count} damaged tasks {would}removed from {store}")
            if dry_run and tasks:
                return
        found = opened.garbage(failed=failed)
        if not dry_run:
            opened.collect_garbage(failed=failed)
    note(f"{len(found)} tasks {would}removed from {store}")
