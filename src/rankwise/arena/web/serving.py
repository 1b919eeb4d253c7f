"""Serving: an arena that is there, one that is made of data at once, a demo, or a store.

The server is one process that answers until it is told to stop.
"""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from rankwise.arena.arena import Arena
from rankwise.arena.participation import OPERATOR
from rankwise.arena.task_creation import create_task
from rankwise.arena.web.addresses import SiteLinks
from rankwise.arena.web.application import make_application
from rankwise.arena.web.demo_arena import fill_demo
from rankwise.arena.web.security import WebSettings
from rankwise.arena.web.store_view import make_store_application
from rankwise.errors import Advice, RankwiseError

DATA_FOLDER = "arena"
DEMO_FOLDER = "rankwise-demo/arena"
DEMO_TEAM = "Your team"


@dataclass(frozen=True)
class Served:
    """What is served, and where: the address, and invitations by role where the arena is new."""

    address: str
    invitations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Offer:
    """An application, and the paths of invitations to it."""

    application: ASGIApp
    invitations: Mapping[str, str] = field(default_factory=dict)


def serve(
    arena: str | Path | None = None,
    *,
    data: str | Path | None = None,
    store: str | Path | None = None,
    demo: bool = False,
    folder: str | Path | None = None,
    listening: Listening | None = None,
    told: Callable[[Served], None] = lambda served: None,
    stage: Callable[[str], None] = lambda sentence: None,
) -> None:
    """Serve one of an arena, data, a store or the demo until the process is told to stop.

    Args:
        arena: an `arena.toml`, or the folder that holds one.
        data: a folder of folds, or the name of a data set: an arena is made in `folder` with one
            task of it, whose labels are hidden. What is there already is served as it is.
        store: a store of results; its live view is read-only.
        demo: a filled arena of made-up data, in `folder`.
        folder: for an arena that is made; by default `arena`, of the demo `rankwise-demo/arena`.
        listening: where.
        told: is told the address, and for arenas that were made here the invitations.
        stage: is told what is being done before that.
    """
    given = [arena is not None, data is not None, store is not None, demo]
    if sum(given) != 1:
        raise RankwiseError(
            "one thing is served: an arena.toml, data, a store or the demo; "
            f"found {sum(given) or 'none'}"
        )
    chosen = listening or Listening()
    root = chosen.web.root_path
    place = Path(folder or (DEMO_FOLDER if demo else DATA_FOLDER))
    with _offer(arena, data, store, place, chosen.web, stage) as offer:

        def tell(origin: str) -> None:
            invited = {role: f"{origin}{path}" for role, path in offer.invitations.items()}
            told(Served(f"{origin}{root}/", invited))

        run_server(offer.application, chosen, tell)


@contextlib.contextmanager
def _offer(
    arena: str | Path | None,
    data: str | Path | None,
    store: str | Path | None,
    folder: Path,
    web: WebSettings,
    stage: Callable[[str], None],
) -> Iterator[_Offer]:
    if store is not None:
        yield _Offer(make_store_application(store, web))
        return
    if arena is None and data is not None:
        _make_of_data(folder, data, stage)
    elif arena is None:
        fill_demo(folder, told=stage)
    with Arena.open(arena if arena is not None else folder) as opened:
        links = SiteLinks(web.root_path)
        invited = {} if arena is not None else _invite(opened, links)
        yield _Offer(make_application(opened, web), invited)


def _make_of_data(folder: Path, data: str | Path, stage: Callable[[str], None]) -> None:
    """A task of the data in an arena; not again where the arena has tasks."""
    if (folder / "arena.toml").exists():
        with Arena.open(folder) as opened:
            if opened.tasks():
                return
    stage(f"hiding labels of {data} and writing the participants' package")
    create_task(folder, data)


def _invite(arena: Arena, links: SiteLinks) -> dict[str, str]:
    """Paths of invitations for who has just begun: one to organise, one to take part."""
    organiser = arena.invite("organiser", "", OPERATOR)
    participant = arena.invite("participant", DEMO_TEAM, OPERATOR)
    return {
        "organiser": links.invitation(organiser),
        "participant": links.invitation(participant),
    }


_MOST_CONNECTIONS = 2000
_IDLE_SECONDS = 15
_LAST_SECONDS = 30
_TURN_SECONDS = 0.0005


@dataclass(frozen=True)
class Listening:
    """Where a server listens, and whose word it takes for who asks.

    Attributes:
        host: the address; 127.0.0.1 is this machine only.
        port: 0 takes any that is free.
        proxies: addresses of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed;
            from anybody else these headers mean nothing.
        web: limits and paths.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    proxies: tuple[str, ...] = ()
    web: WebSettings = field(default_factory=WebSettings)


def run_server(
    application: ASGIApp,
    listening: Listening,
    told: Callable[[str], None],
    *,
    started: Callable[[uvicorn.Server], None] = lambda server: None,
) -> None:
    """Answer requests until a signal, or `should_exit` of the server, ends it.

    `started` is given the server; `told` is told the origin (`http://127.0.0.1:8000`) once
    requests are answered there.
    """
    config = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(listening.proxies),
        forwarded_allow_ips=list(listening.proxies),
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_LAST_SECONDS,
        lifespan="off",
    )
    # Threads that submit and threads that answer share one interpreter: it is handed on sooner, so
    # that a page does not wait its turn behind each submission.
    sys.setswitchinterval(_TURN_SECONDS)
    with _listen(listening) as bound:
        host, port = bound.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        server = _TellingServer(config, lambda: told(f"http://{shown}:{port}"))
        started(server)
        server.run(sockets=[bound])


def _listen(listening: Listening) -> socket.socket:
    family = socket.AF_INET6 if ":" in listening.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((listening.host, listening.port))
        bound.listen(_MOST_CONNECTIONS)
    except (OSError, OverflowError) as error:
        bound.close()
        raise RankwiseError(
            f"cannot listen on {listening.host}, port {listening.port}: {error}",
            Advice("name another with {}", "port"),
        ) from error
    return bound


class _TellingServer(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn does, then the word."""
        await super().startup(sockets)
        if self.started:
            self._ready()
