"""Pages from templates, what every page of a site shares, and failures as pages or as JSON.

Everything is text unless our own code made it markup. A failure is a sentence for people and a
word for programs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from rankwise import __version__
from rankwise.arena.arena import Arena
from rankwise.arena.participation import Account, ArenaError
from rankwise.arena.web.addresses import SiteLinks
from rankwise.arena.web.security import FILE_POLICY
from rankwise.errors import RankwiseError
from rankwise.sanitize import visible


@lru_cache(maxsize=1)
def load_templates() -> Environment:
    """The templates: names that are missing are errors, and all that is put in is escaped."""
    environment = Environment(
        loader=PackageLoader("rankwise.arena.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(
        figure=write_figure, moment=write_moment, seconds=write_seconds, size=write_size,
        seen=visible, web_address=find_web_address, day=write_day, signed=write_signed,
        sentence=end_sentence,
    )  # fmt: skip
    environment.globals.update(rankwise_version=__version__, file_policy=FILE_POLICY)
    return environment


def render(template: str, **values: Any) -> str:
    """A template filled with values."""
    return load_templates().get_template(template).render(**values)


def write_figure(value: float | None, decimals: int = 4) -> str:
    """A value as tables show it; a dash where there is none."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.{decimals}f}"


def write_signed(value: float) -> str:
    """A difference with its sign; a dash where there is none."""
    return f"{value:+.4f}" if math.isfinite(value) else "–"


def write_moment(moment: datetime | str | None) -> str:
    """Day and minute in UTC: `2026-11-18 00:30 UTC`."""
    if moment is None:
        return "–"
    known = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return f"{known:%Y-%m-%d %H:%M} UTC"


def write_day(moment: str) -> str:
    """The day in UTC: `2026-11-18`."""
    return f"{datetime.fromisoformat(moment):%Y-%m-%d}"


def end_sentence(text: str) -> str:
    """A message as a sentence of its own: a capital, a full stop."""
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."


def write_seconds(seconds: float) -> str:
    """`4 ms`, `0.4 s`, `45 s`, `12 min`, `3.5 h`."""
    if seconds < 0.0995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def write_size(count: float) -> str:
    """`512 bytes`, `3.2 MiB`."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}".replace(".0 ", " ")
    return f"{count:.0f} bytes"


def find_web_address(text: str | None) -> str | None:
    """The text where it is an address that a link may lead to: http or https with a host."""
    try:
        parts = urlsplit((text or "").strip())
    except ValueError:
        return None
    return (text or "").strip() if parts.scheme in ("http", "https") and parts.netloc else None


@dataclass(frozen=True)
class PageReader:
    """Who looks at a page, and the mark that the forms of their browser carry."""

    account: Account | None = None
    form_mark: str = ""


@dataclass(frozen=True)
class Site:
    """An arena as pages; `interactive` where somebody answers forms."""

    arena: Arena
    links: SiteLinks = field(default_factory=SiteLinks)
    interactive: bool = True

    def page(self, template: str, reader: PageReader, **values: Any) -> str:
        """A page for this reader."""
        return render(
            template,
            site_title=self.arena.settings.title,
            links=self.links,
            interactive=self.interactive,
            account=reader.account,
            form_mark=reader.form_mark,
            **values,
        )


FAILURE_STATUSES = {
    "bad-request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not-found": 404,
    "closed": 409,
    "too-large": 413,
    "bad-upload": 422,
    "quota": 429,
    "refused": 400,
    "storage": 503,
}
_FAILURE_CODES = {
    400: "bad-request", 401: "unauthorized", 403: "forbidden", 404: "not-found",
    405: "bad-request", 408: "too-large", 413: "too-large", 429: "rate", 503: "rate",
}  # fmt: skip
_DEFECT_MESSAGE = (
    "something went wrong here; the one who runs this site finds it in the server's log"
)


class FailureLinks(Protocol):
    """What a page of a failure needs of a site's addresses."""

    def home(self) -> str:
        """The first page."""

    def static(self, name: str) -> str:
        """A style sheet or a script."""

    def sign_in(self) -> str:
        """Where those go whom nobody knows."""


class FailureTeller:
    """Turns exceptions into answers: JSON below `/api`, pages elsewhere."""

    def __init__(self, links: FailureLinks, title: str) -> None:
        self.links = links
        self.title = title

    async def tell_refusal(self, request: Request, error: Exception) -> Response:
        """Of what a user asked and cannot have."""
        code = error.code if isinstance(error, ArenaError) else "refused"
        if code == "unauthorized" and not is_api(request) and request.method == "GET":
            return RedirectResponse(self.links.sign_in(), 303)
        headers = {"retry-after": _seconds_of_day()} if code == "quota" else {}
        return self._answer(request, FAILURE_STATUSES.get(code, 400), code, str(error), headers)

    async def tell_http(self, request: Request, error: Exception) -> Response:
        """Of what the protocol refuses: no such page, too much, too often."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        detail = error.detail if isinstance(error, HTTPException) else _DEFECT_MESSAGE
        if status == 404 and detail == HTTPStatus.NOT_FOUND.phrase:
            detail = "there is no such page; it may have been moved, or never was"
        headers = dict(getattr(error, "headers", None) or {})
        if status in (408, 413):
            # What is still to come of the body is not waited for.
            headers["connection"] = "close"
        return self._answer(request, status, _FAILURE_CODES.get(status, "refused"), detail, headers)

    async def tell_defect(self, request: Request, error: Exception) -> Response:
        """Of what nobody foresaw: no detail, since it may tell of labels."""
        return self._answer(request, 500, "defect", _DEFECT_MESSAGE, {})

    def _answer(
        self, request: Request, status: int, code: str, sentence: str, headers: dict[str, str]
    ) -> Response:
        if is_api(request):
            content = {"error": {"code": code, "message": sentence}}
            return JSONResponse(content, status, headers)
        heading = HTTPStatus(status).phrase
        page = render(
            "failure.html", site_title=self.title, links=self.links, interactive=False,
            account=None, form_mark="", heading=heading, sentence=sentence,
        )  # fmt: skip
        return HTMLResponse(page, status, headers)

    def handlers(self) -> dict[int | type[Exception], object]:
        """What Starlette is given."""
        return {
            RankwiseError: self.tell_refusal,
            HTTPException: self.tell_http,
            Exception: self.tell_defect,
        }


def is_api(request: Request) -> bool:
    """Whether a program asks."""
    path: str = request.scope["path"]
    return path.startswith("/api/")


def _seconds_of_day() -> str:
    """Until the day ends in UTC."""
    now = datetime.now(UTC)
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return str(int((midnight - now).total_seconds()) + 1)
