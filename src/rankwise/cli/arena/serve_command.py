"""`rankwise serve` and `submit`: an arena in a browser, and sending scores or a run to one.

`serve` shows an arena, or the live view of a store.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankwise.arena import Submission, parse_declaration, read_files, send_submission, to_json
from rankwise.cli.options import format_option, writable_folder
from rankwise.cli.output import note, print_json, say
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.arena import Served


@click.command()
@click.argument("arena", required=False, type=click.Path(path_type=Path), metavar="[ARENA]")
@click.option("--data", metavar="DIR", help="Make an arena of these data at once, and serve it.")
@click.option("--demo", is_flag=True, help="A filled arena of made-up data.")
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="STORE",
    help="The live view of a store of results, read-only.",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where --data and --demo make their arena.  [default: arena, rankwise-demo/arena]",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="0 takes any that is free.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Believe the X-Forwarded headers of the proxy at this address; may be repeated.",
)
@click.option(
    "--root-path", default="", metavar="PATH", help="The path at which the proxy puts the site."
)
@click.option("--secure", is_flag=True, help="The site is reached by HTTPS: cookies only there.")
@click.option(
    "--export",
    type=click.Path(path_type=Path),
    metavar="DIR",
    callback=writable_folder,
    help="Serve nothing: write the whole site of ARENA as files.",
)
def serve(
    arena: Path | None,
    data: str | None,
    demo: bool,
    store: Path | None,
    folder: Path | None,
    host: str,
    port: int,
    proxies: tuple[str, ...],
    root_path: str,
    secure: bool,
    export: Path | None,
) -> None:
    """Serve ARENA (an arena.toml, or the folder that holds one) until Ctrl-C.

    One process and one database, no queue: scores that are submitted are checked, evaluated and on
    the board in seconds. Nothing but this machine can reach it unless --host says so.

    \b
    Examples:
      rankwise serve arena/arena.toml
      rankwise serve --data MQ2008
      rankwise serve --demo
      rankwise serve --store results.sqlite
      rankwise serve arena.toml --proxy 127.0.0.1 --root-path /arena --secure
      rankwise serve arena.toml --export site
    """
    from rankwise.arena import Listening, WebSettings, write_site
    from rankwise.arena import serve as run_serve

    if export is not None:
        if arena is None:
            raise click.UsageError("--export writes the site of an ARENA; name one")
        written = write_site(arena, export)
        note(f"{written.first_page}: {written.files} files")
        return
    web = WebSettings(root_path=root_path, secure=secure)
    run_serve(
        arena, data=data, store=store, demo=demo, folder=folder,
        listening=Listening(host, port, proxies, web), told=_tell_addresses, stage=note,
    )  # fmt: skip


def _tell_addresses(served: Served) -> None:
    say(f"Open {served.address} in a browser; Ctrl-C ends it.")
    if served.invitations:
        say("Invitations, each for one person and one time:")
    for role, address in served.invitations.items():
        say(f"  {role:<12} {address}")


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
        parse_declaration(_make_declaration(said)),
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


def _make_declaration(said: dict[str, Any]) -> dict[str, Any]:
    names = ("training_seconds", "scoring_seconds", "model_bytes", "hardware")
    cost = {name: said.pop(name) for name in names}
    return {**said, "cost": cost, "parameters": dict(_split_parameters(said.pop("parameters")))}


def _split_parameters(parameters: tuple[str, ...]) -> list[tuple[str, str]]:
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
