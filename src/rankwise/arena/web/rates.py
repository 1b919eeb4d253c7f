"""How often somebody may ask: a bucket of requests that fills again with time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

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
