"""What the one who runs an arena decides about its pages: limits, the proxy before it, cookies."""

from __future__ import annotations

from dataclasses import dataclass, field

from rankwise.arena.web.rates import RequestRate
from rankwise.errors import RankwiseError


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
