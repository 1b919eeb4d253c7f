"""What handlers share: the site, who asks, threads to ask the arena in, and turns to submit."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from functools import partial
from ipaddress import IPv6Address, IPv6Network
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request

from rankwise.arena.account import Account
from rankwise.arena.entry import ArenaEntry, Submission
from rankwise.arena.errors import UnknownToken
from rankwise.arena.web.fresh import FreshAnswers
from rankwise.arena.web.known_pages import KnownPage
from rankwise.arena.web.rates import RateLimiter, RequestRate
from rankwise.arena.web.sessions import (
    find_bearer,
    find_cookie,
    find_form_secret,
    mark_forms,
)
from rankwise.arena.web.settings import WebSettings
from rankwise.arena.web.site import PageReader, Site

T = TypeVar("T")

_READING_THREADS = 3
_COMPUTING_THREADS = 2


class Desk:
    """Where requests are received: one for each application."""

    def __init__(self, site: Site, settings: WebSettings) -> None:
        self.site = site
        self.arena = site.arena
        self.settings = settings
        self.rates = RateLimiter()
        self.boards: FreshAnswers[Any] = FreshAnswers()
        self.pages: FreshAnswers[KnownPage] = FreshAnswers()
        self._reading = CapacityLimiter(_READING_THREADS)
        self._computing = CapacityLimiter(_COMPUTING_THREADS)
        self._evaluating = CapacityLimiter(settings.evaluations)
        self._turns = asyncio.Semaphore(settings.evaluations)
        self._waiting = 0

    async def ask(self, question: Callable[..., T], *given: Any, **named: Any) -> T:
        """Ask the arena in a thread of its own, so that nobody else waits."""
        return await to_thread.run_sync(partial(question, *given, **named), limiter=self._reading)

    async def compute(self, question: Callable[[], T]) -> T:
        """Compute what many read, not in the queue of those who ask for themselves."""
        return await to_thread.run_sync(question, limiter=self._computing)

    async def find_revision(self) -> int:
        """The revision of the arena."""
        return await self.compute(self.arena.revision)

    async def submit(
        self, account: Account, task: str, read: Callable[[], Submission]
    ) -> ArenaEntry:
        """Submit when the turn comes; the files are read into memory only then."""
        if self._waiting >= self.settings.waiting:
            raise HTTPException(
                503,
                f"{self._waiting} submissions are waiting; send yours again in a minute",
                {"retry-after": "60"},
            )
        self._waiting += 1
        try:
            async with self._turns:
                return await to_thread.run_sync(
                    lambda: self.arena.submit(account, task, read()), limiter=self._evaluating
                )
        finally:
            self._waiting -= 1

    def limit(self, kind: str, who: str, rate: RequestRate) -> None:
        """Refuse whoever asks more often than the rate allows."""
        wait = self.rates.seconds_to_wait(kind, who, rate)
        if wait:
            seconds = str(math.ceil(wait))
            raise HTTPException(
                429, f"too many requests; come back in {seconds} seconds", {"retry-after": seconds}
            )

    async def find_account(self, request: Request) -> Account | None:
        """Whose token the request carries; a header must be right, a cookie may be old."""
        address = find_address(request)
        bearer = find_bearer(request)
        token = bearer or find_cookie(request)
        if token is None:
            return None
        if self.rates.is_empty("unknown token", address, self.settings.knocking):
            self.limit("unknown token", address, self.settings.knocking)
        try:
            return await self.ask(self.arena.authenticate, token)
        except UnknownToken:
            self.limit("unknown token", address, self.settings.knocking)
            if bearer:
                raise
            return None

    async def find_reader(self, request: Request) -> PageReader:
        """Who looks at a page; where the arena is not public, somebody with an account."""
        self.limit("reading", find_address(request), self.settings.reading)
        account = await self.find_account(request)
        if account is None and not self.arena.settings.public:
            raise UnknownToken("this arena is read with an account; sign in with your token")
        return self.make_reader(request, account)

    def make_reader(self, request: Request, account: Account | None) -> PageReader:
        """The reader whose browser sent the request."""
        secret = find_form_secret(request)
        return PageReader(account, mark_forms(secret) if secret else "")


def find_address(request: Request) -> str:
    """Where the request comes from; the proxy's word for it only where uvicorn was told so.

    Of IPv6 the first half, since who has one address has the other 2^64 of its network too.
    """
    host = request.client.host if request.client else "unknown"
    try:
        address = IPv6Address(host)
    except ValueError:
        return host
    known = address.ipv4_mapped
    return str(known) if known else str(IPv6Network((int(address), 64), strict=False))
