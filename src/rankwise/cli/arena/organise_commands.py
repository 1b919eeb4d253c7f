"""`rankwise arena`: what an organiser does on the machine of an arena.

`new` and `baselines` make tasks and what stands on their boards from the beginning; `invite` and
`revoke` say who takes part; `board` and `duplicates` what stands on a board, and what stands there
twice; `reveal`, `audit` and `export` end a task, and show that it can be trusted.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from rankwise.arena import OPERATOR, ROLES, Board, Rules, board_csv, to_json
from rankwise.cli.main import LoadingGroup
from rankwise.cli.options import (
    format_option,
    jobs_option,
    measure_option,
    output_option,
    seed_option,
    split_commas,
    tool_option,
)
from rankwise.cli.output import note, print_json, print_table, say

ARENA_COMMANDS = {
    "new": "rankwise.cli.arena.organise_commands:new_command",
    "baselines": "rankwise.cli.arena.organise_commands:baselines_command",
    "invite": "rankwise.cli.arena.organise_commands:invite_command",
    "revoke": "rankwise.cli.arena.organise_commands:revoke_command",
    "board": "rankwise.cli.arena.organise_commands:board_command",
    "duplicates": "rankwise.cli.arena.organise_commands:duplicates_command",
    "reveal": "rankwise.cli.arena.organise_commands:reveal_command",
    "audit": "rankwise.cli.arena.organise_commands:audit_command",
    "export": "rankwise.cli.arena.organise_commands:export_command",
}


@click.command(cls=LoadingGroup, homes=ARENA_COMMANDS)
def arena() -> None:
    """Organise an arena: tasks with hidden labels, invitations, boards, the audit of its log."""


arena_argument = click.argument("arena", type=click.Path(path_type=Path), metavar="ARENA")
"""The folder of an arena, or its arena.toml."""
task_argument = click.argument("task", metavar="TASK")
"""The name of a task."""


@click.command("new")
@arena_argument
@click.option("--data", required=True, metavar="DATA", help="A folder of folds, or a data set.")
@click.option("--name", help="The task's name in addresses.  [default: the data set's]")
@click.option("--title", help="The task's name for people.  [default: the data set's]")
@click.option("--description", default="", help="A text for participants.")
@click.option("--version", help="Of a data set that the data home has in several versions.")
@measure_option("What submissions are judged by first.", default="NDCG@10")
@tool_option("Whose convention computes it; 'own' is the data set's.", default="own")
@click.option(
    "--board-measures",
    multiple=True,
    callback=split_commas,
    metavar="MEASURES",
    help="What boards show beside it while the task is open, at most 5; all others when it ends.",
)
@click.option(
    "--hidden-share",
    type=float,
    default=0.5,
    show_default=True,
    help="Of all queries, where folds overlap and queries must be held out.",
)
@click.option(
    "--public-share",
    type=float,
    default=0.5,
    show_default=True,
    help="Of the hidden queries, those of the public half.",
)
@click.option(
    "--daily-limit",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="New entries of a team in a day.",
)
@click.option(
    "--ladder/--no-ladder",
    default=True,
    show_default=True,
    help="Show a figure only where it beats the team's best by more than the noise.",
)
@click.option(
    "--ladder-errors",
    type=float,
    default=Rules.ladder_errors,
    show_default=True,
    help="The noise, in standard errors.",
)
@click.option(
    "--per-query",
    type=click.Choice(["never", "after-reveal"]),
    default="never",
    show_default=True,
    help="When all may see figures of single queries.",
)
@click.option("--baselines", is_flag=True, help="Also train ten rankers and enter them.")
@seed_option("Of all that is drawn; who knows it knows the halves.  [default: random]", None)
@jobs_option("Processes of the baselines.")
@format_option()
def new_command(
    arena: Path,
    data: str,
    name: str | None,
    title: str | None,
    description: str,
    version: str | None,
    hidden_share: float,
    public_share: float,
    seed: int | None,
    baselines: bool,
    jobs: int | None,
    output_format: str,
    **rules: Any,
) -> None:
    """Make a task of DATA in the folder ARENA, which becomes an arena where it is none.

    The test labels are sealed in the arena's database, under a key in ARENA/labels.key; keep a
    copy of both. The test queries are split into a public and a private half, and a package for
    participants is written: features without test labels, data card, checksums, and a script that
    checks a submission.

    \b
    Examples:
      rankwise arena new myarena --data MQ2008 --baselines
      rankwise arena new myarena --data folds/ --name ours -m MAP --daily-limit 2
      rankwise arena new myarena --data folds/ --name open --board-measures MAP,P@10
    """
    from rankwise.arena import Arena, create_task, enter_baselines

    task = create_task(
        arena,
        data,
        name=name,
        title=title,
        description=description,
        version=version,
        rules=Rules(**rules),
        hidden_share=hidden_share,
        public_share=public_share,
        seed=seed,
    )
    with Arena.open(arena) as opened:
        package = opened.package(task.name)
        if len(opened.tasks()) == 1:
            note(f"your invitation as an organiser: {opened.invite('organiser', '', OPERATOR)}")
        if baselines:
            enter_baselines(opened, task.name, jobs=jobs, say=note)
    if output_format == "json":
        print_json(to_json(task))
    else:
        say(f"{task.name}: {task.public_queries} public and {task.private_queries} private queries")
    note(f"the package for participants: {package}")
    note(f"next: rankwise serve {shlex.quote(str(arena))}")


@click.command("baselines")
@arena_argument
@task_argument
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="STORE",
    help="A bench on the unpacked package; without it the bench is run here.",
)
@click.option(
    "--ranker",
    "rankers",
    multiple=True,
    callback=split_commas,
    metavar="RANKER",
    help="What is run.  [default: ten quick ones]",
)
@jobs_option("Processes of the bench.")
@format_option()
def baselines_command(
    arena: Path,
    task: str,
    store: Path | None,
    rankers: tuple[str, ...],
    jobs: int | None,
    output_format: str,
) -> None:
    """Put rankers of Rankwise on the board of TASK, tuned on its package as participants can.

    \b
    Examples:
      rankwise arena baselines myarena mq2008
      rankwise bench --data mq2008 --ranker all --store all.sqlite
      rankwise arena baselines myarena mq2008 --store all.sqlite
    """
    from rankwise.arena import BASELINE_RANKERS, Arena, enter_baselines

    chosen = rankers or BASELINE_RANKERS
    with Arena.open(arena) as opened:
        entries = enter_baselines(opened, task, store, rankers=chosen, jobs=jobs, say=note)
    if output_format == "json":
        print_json(to_json(entries))
        return
    for entry in entries:
        say(f"{entry.id}  {entry.value:.4f}  {entry.declaration.title}")


@click.command("invite")
@arena_argument
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="participant",
    show_default=True,
    help="What the account may do.",
)
@click.option("--team", default="", help="The team of a participant.")
def invite_command(arena: Path, role: str, team: str) -> None:
    """Print an invitation that one person can accept once, on its page or by the API.

    The page is ADDRESS/invitations/INVITATION, where ADDRESS is that of the server.

    \b
    Examples:
      rankwise arena invite myarena --team "Team one"
      rankwise arena invite myarena --role organiser
    """
    from rankwise.arena import Arena

    with Arena.open(arena) as opened:
        invitation = opened.invite(role, team, OPERATOR)
        days = opened.settings.invitation_days
    say(invitation)
    note(f"it can be accepted once, within {days} days, at ADDRESS/invitations/{invitation}")


@click.command("revoke")
@arena_argument
@click.argument("account", metavar="ACCOUNT")
def revoke_command(arena: Path, account: str) -> None:
    """End the token and the open invitations of ACCOUNT, an id of the log; its entries stay.

    \b
    Examples:
      rankwise arena revoke myarena a3f09c2277d1e5b60
    """
    from rankwise.arena import Arena

    with Arena.open(arena) as opened:
        opened.revoke(account, OPERATOR)
    note(f"{account} can do nothing any more")


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
