"""The log: lines that are only ever added, each with the digest of the one before.

    digest(n) = SHA-256(canonical JSON of [n, time, kind, SHA-256(payload), digest(n - 1)])

and digest(0) is 64 zeros. The chain holds the digest of a payload instead of the payload, so that
anybody can check the chain of a log whose payloads are for organisers' eyes.

Times are UTC in ISO 8601, which sort as texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from rankwise.results.store.schema import dump_canonical

BEGINNING = "0" * 64


@dataclass(frozen=True)
class LogEvent:
    """A line of the log.

    Attributes:
        sequence: 1, 2, 3, …
        time: UTC, ISO 8601.
        kind: what happened: `task`, `invited`, `joined`, `revoked`, `entry`, `revealed`.
        payload: the facts, as canonical JSON; empty where they are not for the eyes of who asks.
        payload_digest: the SHA-256 of the payload.
        previous: the digest of the line before.
        digest: of this one.
    """

    sequence: int
    time: str
    kind: str
    payload: str
    payload_digest: str
    previous: str
    digest: str

    @property
    def receipt(self) -> str:
        """What proves that the line was there: `SEQUENCE:DIGEST`."""
        return f"{self.sequence}:{self.digest}"

    def without_payload(self) -> LogEvent:
        """The line for everybody's eyes: its place in the chain, and none of its facts."""
        return replace(self, payload="")


def make_event(last: LogEvent | None, time: str, kind: str, facts: Mapping[str, Any]) -> LogEvent:
    """The line that follows `last`."""
    sequence = 1 if last is None else last.sequence + 1
    previous = BEGINNING if last is None else last.digest
    payload = dump_canonical(facts)
    payload_digest = _digest(payload)
    digest = chain_digest(sequence, time, kind, payload_digest, previous)
    return LogEvent(sequence, time, kind, payload, payload_digest, previous, digest)


def chain_digest(sequence: int, time: str, kind: str, payload_digest: str, previous: str) -> str:
    """The digest of a line."""
    return _digest(dump_canonical([sequence, time, kind, payload_digest, previous]))


def find_breaks(events: Iterable[LogEvent]) -> list[str]:
    """What is wrong with a chain that begins at line 1, one sentence for each line."""
    found: list[str] = []
    sequence, previous = 0, BEGINNING
    for event in events:
        sequence += 1
        if event.sequence != sequence:
            found.append(f"line {sequence} of the log is missing, found line {event.sequence}")
            sequence = event.sequence
        elif event.previous != previous:
            found.append(f"line {sequence} of the log does not follow the line before it")
        if event.payload and _digest(event.payload) != event.payload_digest:
            found.append(f"the facts of line {sequence} of the log were changed")
        own = chain_digest(
            event.sequence, event.time, event.kind, event.payload_digest, event.previous
        )
        if own != event.digest:
            found.append(f"line {sequence} of the log was changed")
        previous = event.digest
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


_LAYOUT = "%Y-%m-%dT%H:%M:%SZ"


def format_time(seconds: float) -> str:
    """Seconds since 1970 as `2026-11-18T00:30:00Z`."""
    return datetime.fromtimestamp(seconds, UTC).strftime(_LAYOUT)


def add_days(time: str, days: int) -> str:
    """The same time so many days later."""
    return (datetime.strptime(time, _LAYOUT) + timedelta(days=days)).strftime(_LAYOUT)


def day_of(time: str) -> str:
    """`2026-11-18`."""
    return time[:10]


def end_of_day(time: str) -> str:
    """The midnight that ends the day."""
    return add_days(f"{day_of(time)}T00:00:00Z", 1)
