"""Who is asking: a token in a header or in a cookie, and forms that only our own pages can send.

A browser keeps the token of its account in a cookie that scripts cannot read. A form carries a
mark made from that cookie,

    mark = nonce + "." + HMAC-SHA256(cookie, nonce):

whoever cannot read the cookie cannot make a mark, and no secret of the server is needed that a
restart would lose (the HMAC-based token of OWASP's cheat sheet on cross-site request forgery). The
nonce is another in every page, so that the size of a compressed page tells nothing of the mark.
Visitors without an account have a cookie of random bytes for the same purpose.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from starlette.datastructures import URL, FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rankwise.arena.web.settings import WebSettings

SESSION_COOKIE = "rankwise_session"
VISITOR_COOKIE = "rankwise_visitor"
FORM_MARK = "form_mark"
_SESSION_SECONDS = 30 * 24 * 3600
_LONGEST_TOKEN = 200


def find_bearer(request: Request) -> str | None:
    """The token of the `Authorization` header, which no other site can make a browser send."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip()[:_LONGEST_TOKEN] if scheme.lower() == "bearer" and token else None


def find_cookie(request: Request) -> str | None:
    """The token that the browser keeps."""
    return request.cookies.get(SESSION_COOKIE, "")[:_LONGEST_TOKEN] or None


def make_visitor() -> str:
    """What a visitor's cookie holds."""
    return secrets.token_urlsafe(32)


def mark_forms(secret: str) -> str:
    """A mark for the forms of whoever has this cookie."""
    nonce = secrets.token_hex(16)
    return f"{nonce}.{_sign(secret, nonce)}"


def is_marked(secret: str, mark: object) -> bool:
    """Whether a mark was made for whoever has this cookie."""
    if not isinstance(mark, str):
        return False
    nonce, _, signature = mark.partition(".")
    return hmac.compare_digest(signature.encode(), _sign(secret, nonce).encode())


def _sign(secret: str, nonce: str) -> str:
    return hmac.new(secret.encode(), nonce.encode(), hashlib.sha256).hexdigest()


def find_form_secret(request: Request) -> str | None:
    """What the marks of this browser are made from: its session, or its visitor's cookie."""
    visitor = request.cookies.get(VISITOR_COOKIE, "")[:_LONGEST_TOKEN]
    return find_cookie(request) or visitor or None


def check_form(request: Request, form: FormData) -> None:
    """Refuse a form that did not come from a page of ours for the same browser."""
    origin, host = request.headers.get("origin", ""), request.headers.get("host", "")
    foreign = request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    foreign |= bool(origin) and URL(origin).netloc != host
    secret = find_form_secret(request)
    if foreign or secret is None or not is_marked(secret, form.get(FORM_MARK)):
        raise HTTPException(
            403, "a form must be sent from a page of this site; open the page again and resend it"
        )


def keep_session(response: Response, token: str, settings: WebSettings) -> None:
    """Let the browser keep the token of an account, and drop the visitor's cookie."""
    _set(response, SESSION_COOKIE, token, settings, _SESSION_SECONDS)
    response.delete_cookie(VISITOR_COOKIE, path=settings.root_path or "/")


def keep_visitor(response: Response, secret: str, settings: WebSettings) -> None:
    """Let the browser keep the secret of a visitor until it is closed."""
    _set(response, VISITOR_COOKIE, secret, settings, None)


def end_session(response: Response, settings: WebSettings) -> None:
    """Let the browser forget its token."""
    response.delete_cookie(SESSION_COOKIE, path=settings.root_path or "/")


def _set(
    response: Response, name: str, value: str, settings: WebSettings, seconds: int | None
) -> None:
    response.set_cookie(
        name, value, max_age=seconds, path=settings.root_path or "/", secure=settings.secure,
        httponly=True, samesite="lax",
    )  # fmt: skip
