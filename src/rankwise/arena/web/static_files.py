"""Style sheets and the script: read once, known by their content, never from a path asked for."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib import resources

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rankwise.reports.page.content import read_colours

TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


@lru_cache(maxsize=1)
def read_static() -> dict[str, str]:
    """All files by name."""
    folder = resources.files("rankwise.arena.web") / "static"
    found = {one.name: one.read_text("utf-8") for one in folder.iterdir()}
    return {"colours.css": read_colours(), **found}


async def send_static(request: Request) -> Response:
    """A file of ours, which browsers may keep and ask after."""
    text = read_static().get(request.path_params["name"])
    if text is None:
        raise HTTPException(404)
    mark = f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
    headers = {"etag": mark, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == mark:
        return Response(status_code=304, headers=headers)
    ending = request.path_params["name"].rpartition(".")[2]
    return Response(text, headers=headers, media_type=TYPES[ending])


ROUTE = Route("/static/{name}", send_static)
