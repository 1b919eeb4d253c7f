"""The application: pages, forms, API and static files behind bounds and headers.

Any ASGI server runs it. Style sheets and the script are read once and known by their content,
never by a path asked for.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from rankwise.arena.arena import Arena
from rankwise.arena.web.addresses import SiteLinks
from rankwise.arena.web.api_handlers import ApiHandlers
from rankwise.arena.web.form_handlers import FormHandlers
from rankwise.arena.web.html_rendering import FailureTeller, Site
from rankwise.arena.web.page_handlers import PageHandlers
from rankwise.arena.web.request_context import Desk
from rankwise.arena.web.security import BoundedBodies, RootPath, SecurityHeaders, WebSettings
from rankwise.reports.page.content import read_colours

_SMALLEST_COMPRESSED = 1024


def make_application(arena: Arena, settings: WebSettings | None = None) -> ASGIApp:
    """The pages and the API of an arena."""
    chosen = settings or WebSettings()
    # A task may allow more than the site does otherwise; whatever it allows must come through.
    allowed = [task.rules.largest_upload for task in arena.tasks()]
    chosen = replace(chosen, largest_upload=max([chosen.largest_upload, *allowed]))
    links = SiteLinks(chosen.root_path)
    desk = Desk(Site(arena, links), chosen)
    handlers = PageHandlers(desk), FormHandlers(desk), ApiHandlers(desk)
    routes = [route for one in handlers for route in one.routes()]
    return make_guarded(routes, chosen, FailureTeller(links, arena.settings.title))


def make_guarded(routes: list[Route], settings: WebSettings, failures: FailureTeller) -> ASGIApp:
    """Routes behind what every site of ours has: headers, bounds, sentences for failures."""
    handlers: dict[Any, Any] = dict(failures.handlers())
    bodies = Middleware(
        BoundedBodies, largest=settings.largest_upload + 64 * 1024, seconds=settings.upload_seconds
    )
    smaller = Middleware(GZipMiddleware, minimum_size=_SMALLEST_COMPRESSED, compresslevel=5)
    inner = Starlette(
        routes=[*routes, STATIC_ROUTE, Route("/health", _tell_health)],
        exception_handlers=handlers,
        middleware=[smaller, bodies],
    )
    rooted = RootPath(inner, root=settings.root_path)
    return SecurityHeaders(rooted, secure=settings.secure)


async def _tell_health(request: Request) -> Response:
    """For whoever watches the process."""
    return PlainTextResponse("ok")


STATIC_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


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
    return Response(text, headers=headers, media_type=STATIC_TYPES[ending])


STATIC_ROUTE = Route("/static/{name}", send_static)
