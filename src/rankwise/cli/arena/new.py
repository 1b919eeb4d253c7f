"""`rankwise arena new|baselines`: tasks, and what stands on their boards from the beginning."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from rankwise.arena import OPERATOR, Rules, to_json
from rankwise.cli.arena.arena_options import arena_argument, task_argument
from rankwise.cli.options import (
    format_option,
    jobs_option,
    measure_option,
    option,
    seed_option,
    split_commas,
    tool_option,
)
from rankwise.cli.output import note, print_json, say


@click.command("new")
@arena_argument
@click.option("--data", required=True, metavar="DATA", help="A folder of folds, or a data set.")
@click.option("--name", help="The task's name in addresses.  [default: the data set's]")
@click.option("--title", help="The task's name for people.  [default: the data set's]")
@click.option("--description", default="", help="A text for participants.")
@click.option("--version", help="Of a data set that the data home has in several versions.")
@measure_option("What submissions are judged by first.", default="NDCG@10")
@tool_option("Whose convention computes it; 'own' is the data set's.", default="own")
@option(
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
@option(
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
