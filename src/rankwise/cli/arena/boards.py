"""`rankwise arena board|duplicates`: what stands on a board, and what stands there twice."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.arena import OPERATOR, Board, board_csv, to_json
from rankwise.cli.arena.arena_options import arena_argument, task_argument
from rankwise.cli.options import format_option, measure_option, tool_option
from rankwise.cli.output import note, print_json, print_table, say


@click.command("board")
@arena_argument
@task_argument
@measure_option("Once TASK is closed any, before what its rules list.  [default: the task's]")
@tool_option("Once TASK is closed any.  [default: the task's]")
@click.option(
    "--half",
    type=click.Choice(["public", "private"]),
    help="Which queries.  [default: public until the private ones are revealed]",
)
@format_option(own=("csv",))
def board_command(
    arena: Path,
    task: str,
    measure: str | None,
    tool: str | None,
    half: str | None,
    output_format: str,
) -> None:
    """The board of TASK; methods that share a letter are not separated by the paired tests.

    \b
    Examples:
      rankwise arena board myarena mq2008
      rankwise arena board myarena mq2008 --format csv
      rankwise arena board myarena closed -m MAP --tool trec_eval
    """
    from rankwise.arena import Arena

    with Arena.open(arena) as opened:
        board = opened.board(task, measure, tool, half=half)  # type: ignore[arg-type]
    if output_format == "json":
        print_json(to_json(board))
    elif output_format == "csv":
        say(board_csv(board), nl=False)
    else:
        _print_board(board)


def _print_board(board: Board) -> None:
    rows = [
        (
            f"{row.value:.4f}",
            "" if row.low != row.low else f"{row.low:.3f}–{row.high:.3f}",
            " ".join(row.groups),
            row.name,
            row.team,
            "" if row.kind == "entry" else row.kind,
            row.entry,
        )
        for row in board.rows
    ]
    columns = (board.measure, "95 %", "groups", "method", "team", "", "entry")
    print_table(
        columns,
        rows,
        title=f"{board.task}, {board.half} half, {board.tool}",
        numeric=(0,),
        unbroken=(6,),
    )
    if board.hidden:
        hidden = "1 entry is" if board.hidden == 1 else f"{board.hidden} entries are"
        note(f"{hidden} not shown: no better than their team's best by more than the noise")


@click.command("duplicates")
@arena_argument
@task_argument
@format_option()
def duplicates_command(arena: Path, task: str, output_format: str) -> None:
    """Entries of TASK that rank nearly alike, by the mean over queries of Spearman's correlation.

    \b
    Examples:
      rankwise arena duplicates myarena mq2008
    """
    from rankwise.arena import Arena

    with Arena.open(arena) as opened:
        pairs = opened.near_duplicates(task, OPERATOR)
    if output_format == "json":
        print_json(to_json(pairs))
        return
    for pair in pairs:
        teams = "one team" if pair.same_team else "two teams"
        say(f"{pair.correlation:.4f}  {pair.first}  {pair.second}  {teams}")
    note(f"{len(pairs)} pair{'s' if len(pairs) != 1 else ''} of entries rank nearly alike")
