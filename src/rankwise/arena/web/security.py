"""What surrounds every request: headers that browsers obey, bounds on size, time and rate.

`WebSettings` is what the one who runs an arena decides of it: limits, the proxy before it,
cookies. A rate is a bucket of requests that fills again with time.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankwise.errors import RankwiseError

_POLICY_RULES = (
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
)
POLICY = "; ".join((*_POLICY_RULES, "frame-ancestors 'none'"))
"""Only the site's own files: a name that became markup could neither run nor load a thing."""

FILE_POLICY = "; ".join(_POLICY_RULES)
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


MOST_REMEMBERED = 20_000


@dataclass(frozen=True)
class RequestRate:
    """So many at once (`burst`), then `per_second`."""

    burst: int
    per_second: float


class RateLimiter:
    """Counts requests by who makes them, in memory, of the last so many only.

    A bucket of `burst` requests loses one a request and gains `per_second`; who finds it empty is
    told how long to wait. Buckets that were not asked for longest are forgotten, which is at worst
    kind to somebody.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def seconds_to_wait(self, kind: str, who: str, rate: RequestRate) -> float:
        """0 where the request may go on, and is counted; else when to come back."""
        now, key = self._clock(), (kind, who)
        left, since = self._buckets.pop(key, (float(rate.burst), now))
        left = min(float(rate.burst), left + (now - since) * rate.per_second)
        allowed = left >= 1.0
        self._buckets[key] = (left - 1.0 if allowed else left, now)
        while len(self._buckets) > MOST_REMEMBERED:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1.0 - left) / rate.per_second

    def is_empty(self, kind: str, who: str, rate: RequestRate) -> bool:
        """Whether the next request would have to wait; nothing is counted."""
        left, since = self._buckets.get((kind, who), (float(rate.burst), self._clock()))
        return left + (self._clock() - since) * rate.per_second < 1.0


@dataclass(frozen=True)
class WebSettings:
    """Settings of the pages and the HTTP API.

    Attributes:
        root_path: where the proxy puts the site, `/arena`; empty at the root of its host.
        secure: cookies travel over HTTPS only, and browsers are told to insist on it.
        largest_upload: bytes of a request's body; more is refused before it is read.
        upload_seconds: in which a body must have arrived.
        evaluations: how many submissions are evaluated at a time; others wait their turn.
        waiting: how many submissions may wait; more are asked to come back.
        reading: page views of one address.
        knocking: attempts to sign in or accept an invitation, by address.
        computing: boards and comparisons that nobody has asked for yet, by address.
        submitting: submissions of one account.
    """

    root_path: str = ""
    secure: bool = False
    largest_upload: int = 64 * 1024 * 1024
    upload_seconds: float = 120.0
    evaluations: int = 2
    waiting: int = 400
    reading: RequestRate = field(default=RequestRate(burst=200, per_second=20.0))
    knocking: RequestRate = field(default=RequestRate(burst=10, per_second=0.1))
    computing: RequestRate = field(default=RequestRate(burst=60, per_second=2.0))
    submitting: RequestRate = field(default=RequestRate(burst=20, per_second=0.5))

    def __post_init__(self) -> None:
        if self.root_path and (not self.root_path.startswith("/") or self.root_path.endswith("/")):
            raise RankwiseError(
                "the root path must begin with a slash and not end with one, as '/arena', "
                f"found {self.root_path!r}"
            )
        for name in ("largest_upload", "upload_seconds", "evaluations", "waiting"):
            if getattr(self, name) <= 0:
                raise RankwiseError(f"{name} must be more than 0, found {getattr(self, name)}")
