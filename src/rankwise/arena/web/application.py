"""The application: pages, forms and API behind bounds and headers, as any ASGI server runs it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from rankwise.arena.service import Arena
from rankwise.arena.web.api_handlers import ApiHandlers
from rankwise.arena.web.desk import Desk
from rankwise.arena.web.failures import FailureTeller
from rankwise.arena.web.form_handlers import FormHandlers
from rankwise.arena.web.links import SiteLinks
from rankwise.arena.web.page_handlers import PageHandlers
from rankwise.arena.web.security import BoundedBodies, RootPath, SecurityHeaders
from rankwise.arena.web.settings import WebSettings
from rankwise.arena.web.site import Site
from rankwise.arena.web.static_files import ROUTE as STATIC

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
        routes=[*routes, STATIC, Route("/health", _tell_health)],
        exception_handlers=handlers,
        middleware=[smaller, bodies],
    )
    rooted = RootPath(inner, root=settings.root_path)
    return SecurityHeaders(rooted, secure=settings.secure)


async def _tell_health(request: Request) -> Response:
    """For whoever watches the process."""
    return PlainTextResponse("ok")
