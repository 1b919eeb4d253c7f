"""`rankwise arena reveal|audit|export`: the end of a task, and the trust in it."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from rankwise.arena import OPERATOR, to_json
from rankwise.cli.arena.arena_options import arena_argument, task_argument
from rankwise.cli.options import format_option, output_option
from rankwise.cli.output import note, print_json, say


@click.command("reveal")
@arena_argument
@task_argument
@format_option()
def reveal_command(arena: Path, task: str, output_format: str) -> None:
    """Close TASK for good and show the private half.

    \b
    Examples:
      rankwise arena reveal myarena mq2008
    """
    from rankwise.arena import Arena

    with Arena.open(arena) as opened:
        closed = opened.reveal(task, OPERATOR)
    if output_format == "json":
        print_json(to_json(closed))
    else:
        say(f"{closed.name} was closed at {closed.revealed}")
        note(f"see it with: rankwise arena board {shlex.quote(str(arena))} {task}")


@click.command("audit")
@arena_argument
@click.option(
    "--receipt",
    "receipts",
    multiple=True,
    metavar="SEQUENCE:DIGEST",
    help="A line that must be there; may be repeated.",
)
@format_option()
@click.pass_context
def audit_command(
    context: click.Context, arena: Path, receipts: tuple[str, ...], output_format: str
) -> None:
    """Recompute everything from the log of ARENA; name what differs, exit 1 where anything does.

    The chain of digests, tasks, accounts and entries, every figure, every step of the Ladder. Keep
    the head that it prints elsewhere: with --receipt a later audit finds lines that were taken off
    the end.

    \b
    Examples:
      rankwise arena audit myarena
      rankwise arena audit myarena --receipt 17:5f2d…
    """
    from rankwise.arena import Arena

    with Arena.open(arena) as opened:
        found = opened.audit(receipts)
    if output_format == "json":
        print_json(to_json(found))
    for problem in found.problems if output_format == "table" else ():
        say(problem)
    verdict = f"{len(found.problems)} problems" if found.problems else "nothing differs"
    note(f"{found.lines} lines, {found.entries} entries evaluated again: {verdict}")
    note(f"head: {found.head}")
    context.exit(0 if found.sound else 1)


@click.command("export")
@arena_argument
@output_option("The folder to write.", metavar="DIR", required=True)
def export_command(arena: Path, output: Path) -> None:
    """Write what is public of ARENA as files: tasks, boards, history, use, standings, the log.

    \b
    Examples:
      rankwise arena export myarena -o exported
    """
    from rankwise.arena import Arena

    with Arena.open(arena) as opened:
        written = opened.export(output)
    note(f"{output}: {len(written)} files")
