"""What surrounds every request: headers that browsers obey, and bounds on what is sent here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_RULES = (
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
)
POLICY = "; ".join((*_RULES, "frame-ancestors 'none'"))
"""Only the site's own files: a name that became markup could neither run nor load a thing."""

FILE_POLICY = "; ".join(_RULES)
"""The same for pages in files, which have no headers and cannot say who may frame them."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not `no-referrer`: browsers would then send `Origin: null` with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
}
_YEAR_SECONDS = 365 * 24 * 3600


class SecurityHeaders:
    """Adds `HEADERS` to every answer; where the site is `secure`, that it stays so."""

    def __init__(self, app: ASGIApp, *, secure: bool = False) -> None:
        self.app = app
        self.headers = dict(HEADERS)
        if secure:
            self.headers["strict-transport-security"] = f"max-age={_YEAR_SECONDS}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=_with_headers(message))
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                # What depends on who asks is kept by nobody, unless a page says otherwise.
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _with_headers(message: Message) -> MutableMapping[str, Any]:
    message.setdefault("headers", [])
    return message


class RootPath:
    """Takes the path that a proxy puts before ours away, where the proxy has not done so itself."""

    def __init__(self, app: ASGIApp, *, root: str) -> None:
        self.app = app
        self.root = root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        path = scope.get("path", "")
        if self.root and (path == self.root or path.startswith(f"{self.root}/")):
            scope = {**scope, "path": path[len(self.root) :] or "/", "root_path": ""}
        await self.app(scope, receive, send)


class BoundedBodies:
    """Refuses bodies of more than `largest` bytes, and those that take longer than `seconds`.

    A length that is declared is refused before anything is read; without one the bytes are
    counted as they arrive.
    """

    def __init__(self, app: ASGIApp, *, largest: int, seconds: float) -> None:
        self.app = app
        self.largest = largest
        self.seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, its body counted and timed."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        if not declared.isdigit() or int(declared) > self.largest:
            scope["refused_body"] = True
        ends, count, whole = time.monotonic() + self.seconds, 0, False

        async def receive_bounded() -> Message:
            nonlocal count, whole
            if scope.get("refused_body"):
                raise self._too_large()
            if whole:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, ends - time.monotonic()))
            except TimeoutError:
                raise HTTPException(
                    408, f"an upload must have arrived within {self.seconds:g} seconds"
                ) from None
            if message["type"] == "http.request":
                count += len(message.get("body", b""))
                whole = not message.get("more_body", False)
            if count > self.largest:
                raise self._too_large()
            return message

        await self.app(scope, receive_bounded, send)

    def _too_large(self) -> HTTPException:
        return HTTPException(
            413, f"an upload must be at most {self.largest:,} bytes; send less at a time"
        )
