"""What went wrong, told as a page or as JSON: the sentence for people, the word for programs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Protocol

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from rankwise.arena.errors import ArenaError
from rankwise.arena.web.rendering import render
from rankwise.errors import RankwiseError

STATUSES = {
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
_CODES = {
    400: "bad-request", 401: "unauthorized", 403: "forbidden", 404: "not-found",
    405: "bad-request", 408: "too-large", 413: "too-large", 429: "rate", 503: "rate",
}  # fmt: skip
_DEFECT = "something went wrong here; the one who runs this site finds it in the server's log"


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
        return self._answer(request, STATUSES.get(code, 400), code, str(error), headers)

    async def tell_http(self, request: Request, error: Exception) -> Response:
        """Of what the protocol refuses: no such page, too much, too often."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        detail = error.detail if isinstance(error, HTTPException) else _DEFECT
        if status == 404 and detail == HTTPStatus.NOT_FOUND.phrase:
            detail = "there is no such page; it may have been moved, or never was"
        headers = dict(getattr(error, "headers", None) or {})
        if status in (408, 413):
            # What is still to come of the body is not waited for.
            headers["connection"] = "close"
        return self._answer(request, status, _CODES.get(status, "refused"), detail, headers)

    async def tell_defect(self, request: Request, error: Exception) -> Response:
        """Of what nobody foresaw: no detail, since it may tell of labels."""
        return self._answer(request, 500, "defect", _DEFECT, {})

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
