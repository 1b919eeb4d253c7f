"""Rows of the command that serves."""

from __future__ import annotations

from typing import Any

import pytest

import rankwise as rw
from tests.front_door.table import Answers, Case, row


@row("serve")
def serve(case: Case) -> Answers:
    """Both serve the same: what would listen is asked instead."""
    pytest.importorskip("starlette", reason="starlette is not installed")
    uvicorn: Any = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    from starlette.testclient import TestClient

    applications: list[Any] = []
    case.patch.setattr(
        uvicorn.Server, "run", lambda self, sockets: applications.append(self.config.app)
    )
    case.run("serve", "--store", case.store, "--port", 0)
    rw.serve(store=case.store, listening=rw.arena.Listening(port=0))
    by_command, by_function = (TestClient(one).get("/api/standing").json() for one in applications)
    return by_command, by_function
