"""What handlers share: the site, who asks, threads, turns to submit, and kept answers.

The arena is asked in threads, for reading and for computing. Who is asking has a token in a header
or in a cookie, and forms are such as only our own pages can send. A browser keeps the token of its
account in a cookie that scripts cannot read. A form carries a mark made from that cookie,

    mark = nonce + "." + HMAC-SHA256(cookie, nonce):

whoever cannot read the cookie cannot make a mark, and no secret of the server is needed that a
restart would lose (the HMAC-based token of OWASP's cheat sheet on cross-site request forgery). The
nonce is another in every page, so that the size of a compressed page tells nothing of the mark.
Visitors without an account have a cookie of random bytes for the same purpose.

Answers are kept until the arena changes, and computed once however many ask. Pages that are the
same for many are kept whole and compressed, with a mark to ask after.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import hmac
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from functools import partial
from ipaddress import IPv6Address, IPv6Network
from typing import Any, Generic, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import URL, FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from rankwise.arena.participation import Account, ArenaEntry, Submission, UnknownToken
from rankwise.arena.web.html_rendering import PageReader, Site
from rankwise.arena.web.security import RateLimiter, RequestRate, WebSettings

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
    _set_cookie(response, SESSION_COOKIE, token, settings, _SESSION_SECONDS)
    response.delete_cookie(VISITOR_COOKIE, path=settings.root_path or "/")


def keep_visitor(response: Response, secret: str, settings: WebSettings) -> None:
    """Let the browser keep the secret of a visitor until it is closed."""
    _set_cookie(response, VISITOR_COOKIE, secret, settings, None)


def end_session(response: Response, settings: WebSettings) -> None:
    """Let the browser forget its token."""
    response.delete_cookie(SESSION_COOKIE, path=settings.root_path or "/")


def _set_cookie(
    response: Response, name: str, value: str, settings: WebSettings, seconds: int | None
) -> None:
    response.set_cookie(
        name, value, max_age=seconds, path=settings.root_path or "/", secure=settings.secure,
        httponly=True, samesite="lax",
    )  # fmt: skip


MOST_ANSWERS = 200
LONGEST_SECONDS = 60.0
PATIENCE_SECONDS = 10.0
PAUSE_SECONDS = 1.0

FindRevision = Callable[[], Awaitable[int]]
"""Asks the arena for its revision."""


@dataclass
class _KeptAnswer(Generic[T]):
    """An answer, its revision, when it was made, and when it was last known to be right."""

    value: T
    revision: int
    made: float
    checked: float


class FreshAnswers(Generic[T]):
    """Answers by question, each of one revision of the arena.

    An answer of the present revision is given out for `LONGEST_SECONDS`, after which an embargo
    may have ended. Whoever need not be exact (`patient`) waits for nothing where there is an answer
    that was right within `PATIENCE_SECONDS`: it is looked at anew meanwhile, for all of them
    together and at most once in `PAUSE_SECONDS`. So readers do not queue behind submissions, and
    two hundred of these do not have two hundred boards computed.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, _KeptAnswer[T]] = OrderedDict()
        self._running: dict[Hashable, asyncio.Task[T]] = {}

    def has(self, question: Hashable) -> bool:
        """Whether the question has been asked before, lately."""
        return question in self._kept or question in self._running

    async def ask(
        self,
        question: Hashable,
        find_revision: FindRevision,
        compute: Callable[[], Awaitable[T]],
        *,
        patient: bool,
    ) -> T:
        """The answer at the arena's present revision, or for the patient a little older."""
        known = self._kept.get(question)
        if known is not None and patient:
            age = self._clock() - known.checked
            if age < PATIENCE_SECONDS:
                if age >= PAUSE_SECONDS:
                    self._start(question, find_revision, compute)
                return known.value
        value = await asyncio.shield(self._start(question, find_revision, compute))
        if patient or self._is_fresh(question, await find_revision()):
            return value
        # What was being computed already may have begun before the latest change.
        return await asyncio.shield(self._start(question, find_revision, compute))

    def _is_fresh(self, question: Hashable, revision: int) -> bool:
        known = self._kept.get(question)
        if known is None:
            return False
        return known.revision >= revision and self._clock() - known.made < LONGEST_SECONDS

    def _start(
        self,
        question: Hashable,
        find_revision: FindRevision,
        compute: Callable[[], Awaitable[T]],
    ) -> asyncio.Task[T]:
        running = self._running.get(question)
        if running is None:
            running = asyncio.create_task(self._renew(question, find_revision, compute))
            self._running[question] = running
            running.add_done_callback(lambda task: self._end(question, task))
        return running

    async def _renew(
        self,
        question: Hashable,
        find_revision: FindRevision,
        compute: Callable[[], Awaitable[T]],
    ) -> T:
        """The answer that is kept where it is still right, else a new one."""
        asked = self._clock()
        revision = await find_revision()
        known = self._kept.get(question)
        if known is not None and self._is_fresh(question, revision):
            known.checked = asked
            self._kept.move_to_end(question)
            return known.value
        value = await compute()
        now = self._clock()
        self._kept[question] = _KeptAnswer(value, revision, now, now)
        self._kept.move_to_end(question)
        while len(self._kept) > MOST_ANSWERS:
            self._kept.popitem(last=False)
        return value

    def _end(self, question: Hashable, task: asyncio.Task[T]) -> None:
        self._running.pop(question, None)
        if not task.cancelled():
            # Whoever waited has been told; where nobody did, the next one asks again.
            task.exception()


@dataclass(frozen=True)
class KnownPage:
    """A page as it is sent: as it is, or compressed to those who take that."""

    body: bytes
    compressed: bytes
    mark: str

    def answer(self, request: Request) -> Response:
        """The page, or that the browser has it already."""
        headers = {
            "etag": self.mark,
            "cache-control": "no-cache",
            "vary": "Cookie, Authorization, Accept-Encoding",
        }
        if request.headers.get("if-none-match") == self.mark:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            return HTMLResponse(self.compressed, headers=headers)
        return HTMLResponse(self.body, headers=headers)


def make_known(page: str) -> KnownPage:
    """A page to be kept."""
    body = page.encode("utf-8")
    mark = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return KnownPage(body, gzip.compress(body, 6, mtime=0), mark)
