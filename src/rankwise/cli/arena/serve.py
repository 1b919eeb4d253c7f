"""`rankwise serve`: an arena, or the live view of a store, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankwise.cli.options import writable_folder
from rankwise.cli.output import note, say

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
        listening=Listening(host, port, proxies, web), told=_tell, stage=note,
    )  # fmt: skip


def _tell(served: Served) -> None:
    say(f"Open {served.address} in a browser; Ctrl-C ends it.")
    if served.invitations:
        say("Invitations, each for one person and one time:")
    for role, address in served.invitations.items():
        say(f"  {role:<12} {address}")
