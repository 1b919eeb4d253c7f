"""`rankwise submit`: send scores or a run to an arena."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from rankwise.arena import Submission, parse_declaration, read_files, send_submission, to_json
from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, say
from rankwise.errors import RankwiseError

TOKEN_VARIABLE = "RANKWISE_TOKEN"


@click.command()
@click.argument("address", metavar="ADDRESS")
@click.argument("task", metavar="TASK")
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.option("--title", required=True, help="What the board calls the method.")
@click.option("--description", default="", help="What was done.")
@click.option("--paper", default="", help="A citation or an address.")
@click.option("--code", default="", help="The address of the code.")
@click.option("--training-data", default="", help="What the model has seen beside the package.")
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the method; may be repeated.",
)
@click.option("--training-seconds", type=float, help="What training costs.")
@click.option("--scoring-seconds", type=float, help="What scoring the test part costs.")
@click.option("--model-bytes", type=int, help="The size of the model.")
@click.option("--hardware", default="", help="What it ran on.")
@click.option("--run", "is_run", is_flag=True, help="FILE is a TREC run.")
@click.option("--alias", default="", help="What to call the team while an embargo lasts.")
@click.option(
    "--embargo-days",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="How long the team stays behind its alias.",
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file of the token, else the variable RANKWISE_TOKEN has it.",
)
@format_option()
def submit(
    address: str,
    task: str,
    files: tuple[str, ...],
    is_run: bool,
    alias: str,
    embargo_days: int,
    token_file: Path | None,
    output_format: str,
    **said: Any,
) -> None:
    """Send FILE, scores of each fold or a run, to TASK of the arena at ADDRESS.

    The same files may be sent again: they are the same entry and cost no quota.

    \b
    Examples:
      export RANKWISE_TOKEN=rwt_…
      rankwise submit https://arena.example.org mq2008 my.scores --title "My ranker"
      rankwise submit http://127.0.0.1:8000 ours my.run --run --title BM25 --code https://…
    """
    submission = Submission(
        read_files(files),
        parse_declaration(_declare(said)),
        layout="run" if is_run else "scores",
        alias=alias,
        embargo_days=embargo_days,
    )
    entry = send_submission(address, task, submission, token=_find_token(token_file))
    if output_format == "json":
        print_json(to_json(entry))
        return
    say(f"{entry.id}  {entry.value:.4f}")
    if not entry.new:
        note("these scores were there already: the same entry, and no quota was used")
    if not entry.shown:
        note("not better than your team's best by more than the noise: that one's value is shown")
    note(f"receipt: {entry.receipt}")


def _declare(said: dict[str, Any]) -> dict[str, Any]:
    names = ("training_seconds", "scoring_seconds", "model_bytes", "hardware")
    cost = {name: said.pop(name) for name in names}
    return {**said, "cost": cost, "parameters": dict(_split(said.pop("parameters")))}


def _split(parameters: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = []
    for text in parameters:
        name, equals, value = text.partition("=")
        if not equals:
            raise RankwiseError(f"a parameter must be written NAME=VALUE, found {text!r}")
        pairs.append((name, value))
    return pairs


def _find_token(path: Path | None) -> str:
    if path is not None:
        (content,) = read_files([path]).values()
        return content.decode("utf-8", "replace").strip()
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise RankwiseError(
            f"the arena must know who you are, found no token; set {TOKEN_VARIABLE}, or name its "
            "file with --token-file"
        )
    return token
