"""An arena behind its real server, in a thread, for tests that speak HTTP."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rankwise.arena.arena import Arena


@contextmanager
def served(arena: Arena) -> Iterator[str]:
    """The address of the arena's server on this machine."""
    for library in ("starlette", "uvicorn"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    from rankwise.arena import Listening, WebSettings, make_application
    from rankwise.arena.web.serving import run_server

    told: queue.Queue[str] = queue.Queue()
    servers: list[Any] = []
    application = make_application(arena, WebSettings())
    thread = threading.Thread(
        target=run_server,
        args=(application, Listening(port=0), told.put),
        kwargs={"started": servers.append},
        daemon=True,
    )
    thread.start()
    try:
        yield told.get(timeout=600)
    finally:
        servers[0].should_exit = True
        thread.join(600)
