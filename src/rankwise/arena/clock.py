"""Times as an arena writes them: UTC in ISO 8601, which sort as texts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

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
