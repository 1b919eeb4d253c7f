"""The server: one process that answers until it is told to stop."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import uvicorn
from starlette.types import ASGIApp

from rankwise.arena.web.settings import WebSettings
from rankwise.errors import Advice, RankwiseError

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
